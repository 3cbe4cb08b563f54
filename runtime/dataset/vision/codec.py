"""Images as bytes of files: their size is bounded first, then they are decoded by Pillow, or by
OpenCV where it is installed and gives the same; encoded by Pillow."""

from __future__ import annotations

import io
import os
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from ....formats.storage.opening import bytes_of, reason
from ...engine.argument import check_type
from ...engine.failure import ElementTypeError, MissingNameError, RefusedError
from ...engine.tensor import Tensor
from ..images import opencv
from ..transforms.operation import is_image
from .operation import ImageOperation, pillow
from .settings import ImageReadMode

LARGEST = 1 << 30
"""Bytes of a file."""
KEPT_BLOCKS = 4
"""Of Pillow's memory, each of at most 16 MB: one for each image that is decoded at once."""
MOST_PIXELS = 1 << 26
"""Of one image: 200 MB of bytes. A file of some hundred bytes can ask for any size."""


def opened(where: str, data: bytes) -> Any:
    """An image of Pillow's, not decoded yet. Raises: RuntimeError (MS304).

    Pillow may warn of a large one before it is refused: to turn warnings off here would turn them
    off, now and then for good, in all threads that decode.
    """
    image = pillow()
    keep_memory(image.core)
    try:
        found = image.open(io.BytesIO(data))
    except (OSError, SyntaxError, ValueError, TypeError, ZeroDivisionError, OverflowError) as error:
        raise undecodable(where, data, error) from error
    except (image.DecompressionBombWarning, image.DecompressionBombError) as error:
        raise too_large(where, str(error)) from error
    if found.width * found.height > MOST_PIXELS:
        raise too_large(where, f"{found.width} x {found.height} pixels")
    return found


@cache
def keep_memory(core: Any) -> None:
    """Lets Pillow keep the memory of some images for the next: as a rule it gives it back each
    time, and to get its pages anew takes longer than to decode. Who has set it keeps his setting.
    """
    if core.get_blocks_max() == 0 and "PILLOW_BLOCKS_MAX" not in os.environ:
        core.set_blocks_max(KEPT_BLOCKS)


def pixels(where: str, data: bytes) -> np.ndarray:
    """An image as red, green and blue. Shapes: -> (h, w, 3). Raises: RuntimeError (MS304)."""
    image = opened(where, data)
    if (image.format, image.mode) == ("JPEG", "RGB"):
        found = opencv.decoded_jpeg(data, (image.height, image.width))
        if found is not None:
            return found
    return np.asarray(loaded(where, data, image, "RGB"))


def decoded(where: str, data: bytes, mode: str | None = "RGB") -> Any:
    """An image of Pillow's, in a mode. Raises: RuntimeError (MS304)."""
    return loaded(where, data, opened(where, data), mode)


def loaded(where: str, data: bytes, found: Any, mode: str | None) -> Any:
    try:
        if found.mode.startswith("I;16") and mode is not None:
            levels = np.asarray(found).astype(np.uint16) >> 8
            found = pillow().fromarray(levels.astype(np.uint8))
        if mode in (None, found.mode):
            found.load()
            return found
        return found.convert(mode)
    except (OSError, SyntaxError, ValueError, TypeError, IndexError, EOFError) as error:
        raise undecodable(where, data, error) from error


def undecodable(where: str, data: bytes, error: Exception) -> RefusedError:
    start = data[:8].hex(" ")
    got = f"{len(data)} bytes that begin with {start or 'nothing'} ({error})"
    expected = "a whole file of JPEG, PNG, BMP, TIFF or WebP"
    return RefusedError(where, "the image cannot be decoded", got=got, expected=expected)


def too_large(where: str, got: str) -> RefusedError:
    expected = f"at most {MOST_PIXELS} pixels"
    return RefusedError(where, "the image is too large", got=got, expected=expected)


class Decode(ImageOperation):
    """The image that the bytes of a file hold: red, green and blue."""

    def __init__(self, to_pil: bool = False) -> None:
        self.to_pil = check_type(self.name, "to_pil", to_pil, bool)

    def __call__(self, *values: Any) -> Any:
        if len(values) == 1 and isinstance(values[0], bytes):
            return self.array(np.frombuffer(values[0], np.uint8))
        return self.array(self.checked(values[0]))

    def checked(self, value: Any) -> np.ndarray:
        if not isinstance(value, np.ndarray) or value.ndim != 1 or value.dtype.kind == "U":
            got = f"a {type(value).__name__}"
            if isinstance(value, np.ndarray):
                got = f"{value.dtype} of shape {value.shape}"
            advice = "it may have been decoded already" if got.endswith(")") else ""
            expected = "the bytes of a file: uint8 of shape (n,)"
            raise ElementTypeError(
                self.name, "it is no encoded image", got=got, expected=expected, advice=advice
            )
        return value

    def array(self, x: np.ndarray) -> Any:
        data = x.tobytes()
        return decoded(self.name, data).copy() if self.to_pil else pixels(self.name, data)


class DecodeVideo(ImageOperation):
    """The frames of a video: nothing here decodes any. Raises: MS301"""

    def __init__(self) -> None:
        refuse_video("DecodeVideo")


def refuse_video(name: str) -> None:
    advice = "decode it with another tool into images"
    raise MissingNameError(f"mindspore.dataset.vision.{name}", "videos are not read", advice=advice)


def encode_jpeg(image: Any, quality: int = 75) -> np.ndarray:
    """The image as the bytes of a JPEG file. Shapes: (h, w), (h, w, 1) or (h, w, 3) -> (n,)"""
    refuse_outside("encode_jpeg", "quality", quality, 1, 100)
    return encoded("encode_jpeg", image, "JPEG", quality=quality)


def encode_png(image: Any, compression_level: int = 6) -> np.ndarray:
    """The image as the bytes of a PNG file. Shapes: (h, w), (h, w, 1) or (h, w, 3) -> (n,)"""
    refuse_outside("encode_png", "compression_level", compression_level, 0, 9)
    return encoded("encode_png", image, "PNG", compress_level=compression_level)


def refuse_outside(where: str, name: str, value: Any, low: int, high: int) -> None:
    if not low <= check_type(where, name, value, int) <= high:
        expected = f"{low}..{high}"
        raise RefusedError(where, f"{name} is out of range", got=str(value), expected=expected)


def encoded(where: str, image: Any, kind: str, **options: int) -> np.ndarray:
    if not isinstance(image, np.ndarray | Tensor):
        got = f"a {type(image).__name__}"
        raise ElementTypeError(where, "it is no image", got=got, expected="an array or a Tensor")
    x = image.asnumpy() if isinstance(image, Tensor) else image
    if x.dtype != np.uint8 or x.ndim not in (2, 3) or (x.ndim == 3 and x.shape[2] not in (1, 3)):
        got, expected = f"{x.dtype} of shape {x.shape}", "uint8 of (h, w), (h, w, 1) or (h, w, 3)"
        raise RefusedError(where, "the image cannot be encoded", got=got, expected=expected)
    file = io.BytesIO()
    pillow().fromarray(x[..., 0] if x.ndim == 3 and x.shape[2] == 1 else x).save(
        file, kind, **options
    )
    return np.frombuffer(file.getvalue(), np.uint8)


def write_jpeg(filename: str, image: Any, quality: int = 75) -> None:
    """Writes the image as a JPEG file."""
    write_file(filename, encode_jpeg(image, quality))


def write_png(filename: str, image: Any, compression_level: int = 6) -> None:
    """Writes the image as a PNG file."""
    write_file(filename, encode_png(image, compression_level))


def write_file(filename: str, data: Any) -> None:
    """Writes the bytes of an array of one axis."""
    check_type("write_file", "filename", filename, str)
    if not isinstance(data, np.ndarray | Tensor):
        raise ElementTypeError("write_file", "data are no array", got=f"a {type(data).__name__}")
    x = data.asnumpy() if isinstance(data, Tensor) else data
    if x.dtype != np.uint8 or x.ndim != 1:
        got, expected = f"{x.dtype} of shape {x.shape}", "uint8 of shape (n,)"
        raise RefusedError("write_file", "data are no bytes", got=got, expected=expected)
    try:
        Path(filename).write_bytes(x.tobytes())
    except OSError as error:
        raise RefusedError(
            "write_file", "the file cannot be written", got=f"{filename}: {error.strerror}"
        ) from error


def read_file(filename: str) -> np.ndarray:
    """The bytes of a file."""
    check_type("read_file", "filename", filename, str)
    try:
        return np.frombuffer(bytes_of(Path(filename), LARGEST), np.uint8)
    except OSError as error:
        problem = "the file cannot be read"
        raise RefusedError("read_file", problem, got=f"{filename}: {reason(error)}") from error


def read_image(filename: str, mode: ImageReadMode = ImageReadMode.UNCHANGED) -> np.ndarray:
    """The image in a file. Shapes: -> (h, w, c)"""
    check_type("read_image", "mode", mode, ImageReadMode)
    data = read_file(filename).tobytes()
    if mode == ImageReadMode.UNCHANGED:
        found = decoded("read_image", data, None)
        if found.mode not in ("L", "RGB", "I;16"):
            found = found.convert("RGB")
    else:
        found = decoded("read_image", data, "L" if mode == ImageReadMode.GRAYSCALE else "RGB")
    x = np.asarray(found)
    return x[..., None] if x.ndim == 2 else x


def get_image_size(image: Any) -> list[int]:
    """Height and width."""
    if is_image(image):
        return [image.height, image.width]
    return list(shape_of("get_image_size", image)[:2])


def get_image_num_channels(image: Any) -> int:
    """The number of channels."""
    if is_image(image):
        return len(image.getbands())
    shape = shape_of("get_image_num_channels", image)
    return 1 if len(shape) == 2 else int(shape[2])


def shape_of(where: str, image: Any) -> tuple[int, ...]:
    if not isinstance(image, np.ndarray):
        got = f"a {type(image).__name__}"
        raise ElementTypeError(
            where, "it is no image", got=got, expected="an array or an image of Pillow's"
        )
    if image.ndim < 2:
        got = f"shape {image.shape}"
        raise RefusedError(where, "it is no image", got=got, expected="at least two axes")
    shape: tuple[int, ...] = image.shape
    return shape[-3:]
