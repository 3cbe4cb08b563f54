"""checkpoint manager """
import os
import stat

import numpy as np

import mindspore as ms
from mindspore import log as logger


class CheckpointManager:
    """Manage checkpoint files according to ckpt_save_policy of checkpoint."""

    def __init__(self, ckpt_save_policy="latest_k"):
        self._ckpoint_filelist = []
        self.ckpt_save_policy = ckpt_save_policy

    @property
    def ckpoint_num(self):
        return len(self._ckpoint_filelist)

    def remove_ckpoint_file(self, file_name):
        """Remove the specified checkpoint file from this checkpoint manager and also from the directory."""
        try:
            if os.path.exists(file_name):
                os.chmod(file_name, stat.S_IWRITE)
                os.remove(file_name)
        except OSError:
            logger.warning("OSError, failed to remove the older ckpt file %s.", file_name)
        except ValueError:
            logger.warning("ValueError, failed to remove the older ckpt file %s.", file_name)

    def save_ckpoint(self, network, num_ckpt=10, metric=0.0, save_path=""):
        """Save checkpoint according to different save strategy."""
        if self.ckpt_save_policy is None:
            ms.save_checkpoint(network, save_path, async_save=False)
        elif self.ckpt_save_policy == "top_k":
            if metric is None:
                raise ValueError("The expected 'metric' is not None when top_k strategy is used.")
            self.top_k_checkpoint(network, num_ckpt, metric, save_path)
        elif self.ckpt_save_policy == "latest_k":
            self.save_latest_checkpoint(network, num_ckpt, save_path)
        else:
            raise ValueError(f"The expected 'ckpt_save_policy' is None, top_k or latest_k, but got: {self.ckpt_save_policy}.")

    def save_latest_checkpoint(self, network, num_ckpt, save_path):
        if self.ckpoint_num == num_ckpt:
            self.remove_ckpoint_file(self._ckpoint_filelist.pop(0))
        ms.save_checkpoint(network, save_path, async_save=False)
        self._ckpoint_filelist.append(save_path)

    def top_k_checkpoint(self, network, num_ckpt, metric, save_path):
        self._ckpoint_filelist.append((save_path, float(metric)))
        if self.ckpoint_num > num_ckpt:
            self._ckpoint_filelist.sort(key=lambda x: x[1], reverse=True)
            if save_path != self._ckpoint_filelist[-1][0]:
                ms.save_checkpoint(network, save_path, async_save=False)
            self.remove_ckpoint_file(self._ckpoint_filelist.pop()[0])
        else:
            ms.save_checkpoint(network, save_path, async_save=False)
