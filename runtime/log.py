"""`mindspore.log`: messages of scripts that log with MindSpore's logger."""

from __future__ import annotations

import logging

LOGGER = logging.getLogger("mindspore")

debug = LOGGER.debug
info = LOGGER.info
warning = LOGGER.warning
error = LOGGER.error
critical = LOGGER.critical


def get_level() -> int:
    """The level from which messages are shown: 0 debug, 1 info, 2 warning, 3 error, 4 critical."""
    return min(max(LOGGER.getEffectiveLevel() // 10 - 1, 0), 4)
