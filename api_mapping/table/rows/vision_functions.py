"""torchvision.transforms.functional: one step on one image, at once."""

from ..families import missing
from ..rule import Check, Rule
from .vision_transforms import BILINEAR, IMAGES, NEAREST, ROUNDED, SAME_SIZE

V2 = ("adjust_contrast", "affine", "pil_to_tensor", "resize")
"""What transforms.v2.functional has, too, and models use."""


FLIP = "The axes of height and width are the last two."


def step(
    signature: str,
    target: str,
    *examples: str,
    note: str = IMAGES,
    check: Check = "value",
    **more: object,
) -> tuple[Rule, ...]:
    """The row of a function on images; again for transforms.v2 where it is used."""
    forms = ["transforms.functional"]
    forms += ["transforms.v2.functional"] if signature.partition("(")[0] in V2 else []
    return tuple(
        Rule(
            f"torchvision.{form}.{signature}",
            target,
            note=note,
            check=check,
            example=tuple(f"torchvision.{form}.{code}" for code in examples),
            **({"returns": "other"} | more),  # type: ignore[arg-type]
        )
        for form in forms
    )


GEOMETRY = (
    *step(
        f"resize(img, size, {BILINEAR}, max_size=None, antialias=True)",
        "ds.vision.Resize(size, interpolation)(img)",
        "resize(picture, 4)",
        "resize(picture, [5, 7], transforms.InterpolationMode.NEAREST)",
        note=f"On an array it does not smooth as it shrinks, as PyTorch does. {IMAGES}",
        reject=SAME_SIZE,
        drop=("antialias",),
    ),
    *step("hflip(img)", "ops.flip(img, (-1,))", "hflip(image)", note=FLIP, kinds={"img": "tensor"}),
    *step("hflip(img)", "ds.vision.HorizontalFlip()(img)", "hflip(picture)"),
    *step("vflip(img)", "ops.flip(img, (-2,))", "vflip(image)", note=FLIP, kinds={"img": "tensor"}),
    *step("vflip(img)", "ds.vision.VerticalFlip()(img)", "vflip(picture)"),
    *step(
        "crop(img, top, left, height, width)",
        "img[..., top:top + height, left:left + width]",
        "crop(image, 1, 2, 3, 4)",
        note="The part must lie in the image.",
        kinds={"img": "tensor"},
        returns="tensor",
    ),
    *step(
        "crop(img, top, left, height, width)",
        "ds.vision.Crop((top, left), (height, width))(img)",
        "crop(picture, 1, 2, 3, 4)",
        note=f"The part must lie in the image. {IMAGES}",
    ),
    *step(
        "center_crop(img, output_size)",
        "ds.vision.CenterCrop(output_size)(img)",
        "center_crop(picture, 4)",
        "center_crop(picture, (5, 6))",
    ),
    *step(
        f"resized_crop(img, top, left, height, width, size, {BILINEAR}, antialias=True)",
        "ds.vision.Resize(size, interpolation)(ds.vision.ToPIL()("
        "ds.vision.Crop((top, left), (height, width))(img)))",
        "resized_crop(picture, 1, 2, 5, 6, (4, 4))",
        drop=("antialias",),
    ),
    *step("five_crop(img, size)", "ds.vision.FiveCrop(size)(img)", "five_crop(picture, 4)"),
    *step(
        "ten_crop(img, size, vertical_flip=False)",
        "ds.vision.TenCrop(size, vertical_flip)(img)",
        "ten_crop(picture, 4, True)",
    ),
    *step(
        'pad(img, padding, fill=0, padding_mode="constant")',
        "ds.vision.Pad(padding, fill, ds.vision.Border(padding_mode))(img)",
        "pad(picture, 2)",
        'pad(picture, [1, 2, 3, 4], padding_mode="edge")',
    ),
    *step(
        f"rotate(img, angle, {NEAREST}, expand=False, center=None, fill=None)",
        "ds.vision.Rotate(angle, resample=interpolation, expand=expand, center=center, "
        "fill_value=fill)(img)",
        "rotate(picture, 90, expand=True)",
        "rotate(picture, 20.0)",
        note=ROUNDED,
        check="dtype",
    ),
    *step(
        f"affine(img, angle, translate, scale, shear, {NEAREST}, fill=None, center=None)",
        "ds.vision.Affine(angle, translate, scale, shear, resample=interpolation, "
        "fill_value=fill)(img)",
        "affine(picture, 10.0, [1, 1], 1.0, [0.0, 0.0])",
        note=ROUNDED,
        reject={"center": "MindSpore turns about the middle"},
        check="dtype",
    ),
    *step(
        f"perspective(img, startpoints, endpoints, {BILINEAR}, fill=None)",
        "ds.vision.Perspective(startpoints, endpoints)(img)",
        "perspective(picture, [[0, 0], [11, 0], [11, 8], [0, 8]], "
        "[[2, 1], [10, 0], [11, 8], [0, 6]])",
        reject={
            "interpolation": "give ds.vision.Perspective an Inter",
            "fill": "what is outside is black",
        },
    ),
    *missing(
        "compute the places with NumPy, and draw by ops.grid_sample",
        f"torchvision.transforms.functional.elastic_transform(img, displacement, {BILINEAR}, "
        "fill=None)",
    ),
)

COLOURS = (
    *(
        rule
        for name, word in (
            *(("brightness", "Brightness"), ("contrast", "Contrast")),
            *(("saturation", "Saturation"), ("hue", "Hue")),
        )
        for rule in step(
            f"adjust_{name}(img, {name}_factor)",
            f"ds.vision.Adjust{word}({name}_factor)(img)",
            f"adjust_{name}(picture, 0.4)",
        )
    ),
    *step(
        "adjust_sharpness(img, sharpness_factor)",
        "ds.vision.AdjustSharpness(sharpness_factor)(img)",
        "adjust_sharpness(picture, 1.5)",
        note=ROUNDED,
        check="dtype",
    ),
    *step(
        "adjust_gamma(img, gamma, gain=1)",
        "ds.vision.AdjustGamma(gamma, gain)(img)",
        "adjust_gamma(picture, 1.5)",
        "adjust_gamma(picture, 0.8, gain=0.9)",
    ),
    *step("autocontrast(img)", "ds.vision.AutoContrast()(img)", "autocontrast(picture)"),
    *step("equalize(img)", "ds.vision.Equalize()(img)", "equalize(picture)"),
    *step("invert(img)", "ds.vision.Invert()(img)", "invert(picture)"),
    *step("posterize(img, bits)", "ds.vision.Posterize(bits)(img)", "posterize(picture, 3)"),
    *step(
        "solarize(img, threshold)",
        "ds.vision.Solarize((threshold, 255))(img)",
        "solarize(picture, 100)",
    ),
    *step(
        "gaussian_blur(img, kernel_size, sigma=None)",
        "ds.vision.GaussianBlur(kernel_size, sigma)(img)",
        "gaussian_blur(picture, [3, 3], 1.0)",
        "gaussian_blur(picture, 3)",
        note=ROUNDED,
        check="dtype",
    ),
    *(
        rule
        for name in ("to_grayscale", "rgb_to_grayscale")
        for rule in step(
            f"{name}(img, num_output_channels=1)",
            "ds.vision.Grayscale(num_output_channels)(img)",
            f"{name}(picture)",
            f"{name}(picture, num_output_channels=3)",
            note="It takes images of PIL.",
        )
    ),
)

TENSORS = (
    *step(
        "to_tensor(pic)",
        "ms.Tensor(ds.vision.ToTensor()(pic))",
        "to_tensor(picture)",
        "to_tensor(pixels)",
        note="",
        returns="tensor",
    ),
    *step(
        "pil_to_tensor(pic)",
        "ms.Tensor(ds.vision.HWC2CHW()(pic))",
        "pil_to_tensor(picture)",
        note="",
        returns="tensor",
    ),
    *step(
        "to_pil_image(pic, mode=None)",
        "compat.to_pil_image(pic)",
        "to_pil_image(pixels)",
        "to_pil_image(image[0].clamp(0, 1))",
        note="",
        reject={"mode": "the mode is that of the values: L, RGB or RGBA"},
    ),
    *step(
        "convert_image_dtype(image, dtype=torch.float)",
        "compat.convert_image_dtype(image, dtype)",
        "convert_image_dtype((u * 200).to(torch.uint8))",
        "convert_image_dtype(u, dtype=torch.uint8)",
        note="",
        returns="tensor",
    ),
    *step(
        "normalize(tensor, mean, std, inplace=False)",
        "(tensor - ms.Tensor(mean, ms.float32).reshape((-1, 1, 1))) "
        "/ ms.Tensor(std, ms.float32).reshape((-1, 1, 1))",
        "normalize(image, [0.1, 0.2, 0.3], [0.5, 0.6, 0.7])",
        "normalize(image[0], mean=(0.1,), std=(0.5,))",
        note="",
        returns="tensor",
    ),
    *step(
        "erase(img, i, j, h, w, v, inplace=False)",
        "compat.erase(img, i, j, h, w, v)",
        "erase(image, 1, 2, 3, 4, 0.5)",
        note="",
        returns="tensor",
    ),
    *missing(
        "call compat.convert_image_dtype for scale=True, x.astype(dtype) without",
        "torchvision.transforms.v2.functional.to_dtype(inpt, dtype=torch.float32, scale=False)",
    ),
    *missing(
        'keep the format beside the boxes and call compat.box_convert(boxes, "xyxy", "cxcywh")',
        "torchvision.transforms.v2.functional.convert_bounding_box_format(inpt, old_format=None, "
        "new_format=None, inplace=False)",
    ),
)

SIZES = (
    *step(
        "get_image_size(img)",
        "img.shape[:-3:-1]",
        "get_image_size(image)",
        note="A tuple, where PyTorch has a list.",
        kinds={"img": "tensor"},
        returns="shape",
    ),
    *step(
        "get_image_size(img)",
        "ds.vision.get_image_size(img)[::-1]",
        "get_image_size(picture)",
        returns="list",
    ),
    *step(
        "get_dimensions(img)",
        "list(img.shape[-3:])",
        "get_dimensions(image)",
        note="They are read from the shape.",
        kinds={"img": "tensor"},
        returns="list",
    ),
    *step(
        "get_dimensions(img)",
        "[ds.vision.get_image_num_channels(img), *ds.vision.get_image_size(img)]",
        "get_dimensions(picture)",
        returns="list",
    ),
    *step(
        "get_image_num_channels(img)",
        "img.shape[-3]",
        "get_image_num_channels(image)",
        note="",
        kinds={"img": "tensor"},
        returns="int",
    ),
    *step(
        "get_image_num_channels(img)",
        "ds.vision.get_image_num_channels(img)",
        "get_image_num_channels(picture)",
        returns="int",
    ),
    *missing(
        "ask the image: its shape, or `size` and `mode` of PIL",
        "torchvision.transforms.functional.pil_modes_mapping",
        "torchvision.transforms._functional_tensor._max_value(dtype)",
        "torchvision.transforms.v2.functional._meta.get_size(inpt)",
    ),
)

RULES = (*GEOMETRY, *COLOURS, *TENSORS, *SIZES)
