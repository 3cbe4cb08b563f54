"""torchvision.transforms and transforms.v2: what is done to images before they are tensors."""

from ..families import missing
from ..rule import Check, Rule

IMAGES = "It takes images of PIL and arrays (h, w, c): put it before ToTensor."
ARRAYS = "It gives a NumPy array, which the loader of the data makes a Tensor."
ROUNDED = f"Values may differ by rounding. {IMAGES}"
RANDOM = f"Its own random numbers. {IMAGES}"
NEAREST = "interpolation=InterpolationMode.NEAREST"
BILINEAR = "interpolation=InterpolationMode.BILINEAR"
FORMS = ("transforms", "transforms.v2")
"""The modules that have the same classes."""


def both(
    signature: str,
    target: str,
    example: str | tuple[str, ...],
    note: str = IMAGES,
    check: Check = "value",
    **more: object,
) -> tuple[Rule, ...]:
    """The rows of a class of transforms, and of the same class of transforms.v2."""
    examples = (example,) if isinstance(example, str) else example
    return tuple(
        Rule(
            f"torchvision.{form}.{signature}",
            target,
            note=note,
            check=check,
            example=tuple(code.replace("transforms.", f"{form}.", 1) for code in examples),
            **more,  # type: ignore[arg-type]
        )
        for form in FORMS
    )


def gone(advice: str, *signatures: str) -> tuple[Rule, ...]:
    """Classes of both modules, with one thing to do instead."""
    return missing(advice, *(f"torchvision.{form}.{s}" for form in FORMS for s in signatures))


SAME_SIZE = {"max_size": "compute both sides of `size`"}
NO_CENTRE = {"center": "MindSpore turns about the middle"}

GEOMETRY = (
    *both(
        f"Resize(size, {BILINEAR}, max_size=None, antialias=True)",
        "ds.vision.Resize(size, interpolation)",
        (
            "transforms.Resize(4)(picture)",
            "transforms.Resize((4, 7))(picture)",
            "transforms.Resize([5, 5], transforms.InterpolationMode.BICUBIC)(picture)",
        ),
        note=f"On an array it does not smooth as it shrinks, as PyTorch does. {IMAGES}",
        reject=SAME_SIZE,
        drop=("antialias",),
    ),
    *both(
        "CenterCrop(size)",
        "ds.vision.CenterCrop(size)",
        ("transforms.CenterCrop(4)(picture)", "transforms.CenterCrop((4, 6))(picture)"),
    ),
    *both(
        'RandomCrop(size, padding=None, pad_if_needed=False, fill=0, padding_mode="constant")',
        "ds.vision.RandomCrop(size, padding=padding, pad_if_needed=pad_if_needed, "
        "fill_value=fill, padding_mode=ds.vision.Border(padding_mode))",
        (
            "transforms.RandomCrop(4)(picture)",
            "transforms.RandomCrop((5, 6), padding=2)(picture)",
            'transforms.RandomCrop(4, padding=2, fill=3, padding_mode="reflect")(picture)',
        ),
        note=RANDOM,
        check="dtype",
    ),
    *both(
        f"RandomResizedCrop(size, scale=(0.08, 1.0), ratio=(0.75, 1.3333333333333333), {BILINEAR}, "
        "antialias=True)",
        "ds.vision.RandomResizedCrop(size, scale, ratio, interpolation)",
        (
            "transforms.RandomResizedCrop(4)(picture)",
            "transforms.RandomResizedCrop(5, scale=(0.5, 1.0))(picture)",
        ),
        note=RANDOM,
        drop=("antialias",),
        check="dtype",
    ),
    *both(
        'Pad(padding, fill=0, padding_mode="constant")',
        "ds.vision.Pad(padding, fill, ds.vision.Border(padding_mode))",
        (
            "transforms.Pad(2)(picture)",
            "transforms.Pad((1, 2), 7)(picture)",
            'transforms.Pad([1, 2, 3, 4], padding_mode="reflect")(picture)',
        ),
    ),
    *(
        rule
        for side in ("Horizontal", "Vertical")
        for rule in both(
            f"Random{side}Flip(p=0.5)",
            f"ds.vision.Random{side}Flip(prob=p)",
            (
                f"transforms.Random{side}Flip(1.0)(picture)",
                f"transforms.Random{side}Flip(p=0.0)(picture)",
            ),
        )
    ),
    *both(
        f"RandomRotation(degrees, {NEAREST}, expand=False, center=None, fill=0)",
        "ds.vision.RandomRotation(degrees, resample=interpolation, expand=expand, "
        "center=center, fill_value=fill)",
        (
            "transforms.RandomRotation(10)(picture)",
            "transforms.RandomRotation((0, 0), expand=True)(picture)",
        ),
        note=RANDOM,
        check="dtype",
    ),
    *both(
        f"RandomAffine(degrees, translate=None, scale=None, shear=None, {NEAREST}, fill=0, "
        "center=None)",
        "ds.vision.RandomAffine(degrees, translate=translate, scale=scale, shear=shear, "
        "resample=interpolation, fill_value=fill)",
        (
            "transforms.RandomAffine(10)(picture)",
            "transforms.RandomAffine(10, (0.1, 0.1), scale=(0.8, 1.2))(picture)",
        ),
        note=RANDOM,
        reject=NO_CENTRE,
        check="dtype",
    ),
    *both(
        f"RandomPerspective(distortion_scale=0.5, p=0.5, {BILINEAR}, fill=0)",
        "ds.vision.RandomPerspective(always(distortion_scale), always(p), "
        "ds.vision.Inter.BILINEAR)",
        "transforms.RandomPerspective(0.3, p=1.0)(picture)",
        note="Its own random numbers. It takes images of PIL.",
        reject={
            "interpolation": "write ds.vision.RandomPerspective with ds.vision.Inter",
            "fill": "what is outside is black",
        },
        check="dtype",
    ),
    *both(
        "FiveCrop(size)",
        "ds.vision.FiveCrop(size)",
        "transforms.FiveCrop(4)(picture)",
        note="It takes images of PIL.",
    ),
    *both(
        "TenCrop(size, vertical_flip=False)",
        "ds.vision.TenCrop(size, vertical_flip)",
        ("transforms.TenCrop(4)(picture)", "transforms.TenCrop((4, 5), True)(picture)"),
        note="It takes images of PIL.",
    ),
    *gone(
        "write it as a class with __call__ over the array of the image (NumPy)",
        f"ElasticTransform(alpha=50.0, sigma=5.0, {BILINEAR}, fill=0)",
        f"AugMix(severity=3, mixture_width=3, chain_depth=-1, alpha=1.0, all_ops=True, {BILINEAR}, "
        "fill=None)",
    ),
)

COLOURS = (
    *both(
        "ColorJitter(brightness=0, contrast=0, saturation=0, hue=0)",
        "ds.vision.RandomColorAdjust(brightness=brightness, contrast=contrast, "
        "saturation=saturation, hue=hue)",
        (
            "transforms.ColorJitter(0.4, 0.4, 0.4, 0.1)(picture)",
            "transforms.ColorJitter(brightness=(0.5, 1.5), hue=0.1)(picture)",
        ),
        note=RANDOM,
        check="dtype",
    ),
    *both(
        "Grayscale(num_output_channels=1)",
        "ds.vision.Grayscale(num_output_channels)",
        ("transforms.Grayscale()(picture)", "transforms.Grayscale(3)(picture)"),
        note="It takes images of PIL.",
    ),
    *both(
        "RandomGrayscale(p=0.1)",
        "ds.vision.RandomGrayscale(prob=p)",
        "transforms.RandomGrayscale(1.0)(picture)",
        note="It takes images of PIL.",
    ),
    *both(
        "GaussianBlur(kernel_size, sigma=(0.1, 2.0))",
        "compat.GaussianBlur(kernel_size, sigma=sigma)",
        (
            "transforms.GaussianBlur(3, sigma=1.0)(picture)",
            "transforms.GaussianBlur((3, 5))(picture)",
        ),
        note=ROUNDED,
        check="dtype",
    ),
    *both(
        "RandomInvert(p=0.5)",
        "ds.vision.RandomInvert(prob=p)",
        "transforms.RandomInvert(1.0)(picture)",
    ),
    *both(
        "RandomEqualize(p=0.5)",
        "ds.transforms.RandomApply([ds.vision.Equalize()], p)",
        "transforms.RandomEqualize(1.0)(picture)",
    ),
    *both(
        "RandomAutocontrast(p=0.5)",
        "ds.transforms.RandomApply([ds.vision.AutoContrast()], p)",
        "transforms.RandomAutocontrast(1.0)(picture)",
    ),
    *both(
        "RandomSolarize(threshold, p=0.5)",
        "ds.transforms.RandomApply([ds.vision.Solarize((threshold, 255))], p)",
        "transforms.RandomSolarize(128, p=1.0)(picture)",
    ),
    *both(
        "RandomPosterize(bits, p=0.5)",
        "ds.transforms.RandomApply([ds.vision.Posterize(bits)], p)",
        "transforms.RandomPosterize(4, p=1.0)(picture)",
    ),
    *both(
        "RandomAdjustSharpness(sharpness_factor, p=0.5)",
        "ds.vision.RandomAdjustSharpness(sharpness_factor, p)",
        "transforms.RandomAdjustSharpness(1.5, 1.0)(picture)",
        note=ROUNDED,
        check="dtype",
    ),
    *both(
        f"AutoAugment(policy=AutoAugmentPolicy.IMAGENET, {NEAREST}, fill=None)",
        "ds.vision.AutoAugment(policy=policy, interpolation=interpolation, fill_value=fill)",
        (
            "transforms.AutoAugment()(picture)",
            "transforms.AutoAugment(transforms.AutoAugmentPolicy.CIFAR10)(picture)",
        ),
        note=RANDOM,
        check="dtype",
    ),
    *both(
        f"RandAugment(num_ops=2, magnitude=9, num_magnitude_bins=31, {NEAREST}, fill=None)",
        "ds.vision.RandAugment(num_ops, magnitude, num_magnitude_bins, "
        "interpolation=interpolation, fill_value=fill)",
        ("transforms.RandAugment()(picture)", "transforms.RandAugment(1, magnitude=5)(picture)"),
        note=RANDOM,
        check="dtype",
    ),
    *both(
        f"TrivialAugmentWide(num_magnitude_bins=31, {NEAREST}, fill=None)",
        "ds.vision.TrivialAugmentWide(num_magnitude_bins, interpolation=interpolation, "
        "fill_value=fill)",
        "transforms.TrivialAugmentWide()(picture)",
        note=RANDOM,
        check="dtype",
    ),
)

VALUES = (
    *both(
        "ToTensor()",
        "ds.vision.ToTensor()",
        ("transforms.ToTensor()(picture)", "transforms.ToTensor()(pixels)"),
        note=ARRAYS,
    ),
    *both(
        "PILToTensor()",
        "ds.vision.HWC2CHW()",
        "transforms.PILToTensor()(picture)",
        note=ARRAYS,
    ),
    *both(
        "ToPILImage(mode=None)",
        "compat.to_pil_image",
        (
            "transforms.ToPILImage()(pixels)",
            "transforms.ToPILImage()(image[0].clamp(0, 1))",
        ),
        note="",
        reject={"mode": "the mode is that of the values: L, RGB or RGBA"},
    ),
    *both(
        "ConvertImageDtype(dtype)",
        "compat.ConvertImageDtype(dtype)",
        (
            "transforms.ConvertImageDtype(torch.float32)(torch.tensor([0, 128, 255], "
            "dtype=torch.uint8))",
            "transforms.ConvertImageDtype(torch.uint8)(u)",
        ),
        note="",
    ),
    Rule(
        "torchvision.transforms.v2.ToImage()",
        "compat.ToImage()",
        note="It stays an image of PIL, for MindSpore's transforms, until ToDtype.",
        example="transforms.v2.Compose([transforms.v2.ToImage(), transforms.v2.CenterCrop(4), "
        "transforms.v2.ToDtype(torch.float32, scale=True)])(picture)",
    ),
    Rule(
        "torchvision.transforms.v2.ToDtype(dtype, scale=False)",
        "compat.ToDtype(dtype, scale)",
        note=ARRAYS,
        example=(
            "transforms.v2.Compose([transforms.v2.PILToTensor(), "
            "transforms.v2.ToDtype(torch.float32, scale=True)])(picture)",
            "transforms.v2.ToDtype(torch.float32)(torch.tensor([0, 128, 255], dtype=torch.uint8))",
        ),
    ),
    Rule(
        "torchvision.transforms.v2.ToPureTensor()",
        "lambda image: image",
        note="Nothing here is more than a tensor or array.",
        returns="other",
        example="transforms.v2.Compose([transforms.v2.PILToTensor(), "
        "transforms.v2.ToPureTensor()])(picture)",
    ),
    *both(
        "Normalize(mean, std, inplace=False)",
        "ds.vision.Normalize(mean, std, is_hwc=False)",
        (
            "transforms.Normalize([0.5] * 3, [0.2] * 3)(transforms.ToTensor()(picture))",
            "transforms.Normalize(mean=(0.1, 0.2, 0.3), std=(0.5, 0.6, 0.7))"
            "(transforms.ToTensor()(pixels))",
        ),
        note="It takes arrays (c, h, w), as ToTensor gives them, not Tensors.",
        drop=("inplace",),
    ),
    *both(
        "RandomErasing(p=0.5, scale=(0.02, 0.33), ratio=(0.3, 3.3), value=0, inplace=False)",
        "ds.vision.RandomErasing(prob=p, scale=scale, ratio=ratio, value=value)",
        (
            "transforms.RandomErasing(p=0.0)(transforms.ToTensor()(picture))",
            'transforms.RandomErasing(1.0, value="random")(transforms.ToTensor()(picture))',
        ),
        note="Its own random numbers. It takes arrays (c, h, w), as ToTensor gives them.",
        check="dtype",
    ),
    *both(
        "LinearTransformation(transformation_matrix, mean_vector)",
        "ds.vision.LinearTransformation(transformation_matrix.asnumpy(), mean_vector.asnumpy())",
        "transforms.LinearTransformation(torch.eye(324), torch.ones(324))"
        "(transforms.ToTensor()(picture))",
        note="It takes arrays (c, h, w), as ToTensor gives them.",
    ),
)

PLANS = (
    Rule(
        "torchvision.transforms.Transform.__call__(self, image)",
        "compat.transformed(self, image)",
        note="In a data set it stays an array, which the loader of the data makes a Tensor.",
        returns="tensor",
        example=(
            "it = transforms.Compose([transforms.CenterCrop(4), transforms.ToTensor()])\n"
            "it.__call__(picture).unsqueeze(0)",
            "it = transforms.Normalize([0.5] * 3, [0.2] * 3)\nit.__call__(image[0]).float()",
        ),
    ),
    *both(
        "Compose(transforms)",
        "compat.Compose(transforms)",
        (
            "transforms.Compose([transforms.CenterCrop(4), transforms.ToTensor(), "
            "transforms.Normalize([0.5], [0.5])])(picture)",
            "len(transforms.Compose([transforms.CenterCrop(4)]).transforms)",
        ),
        note="",
    ),
    *both(
        "RandomApply(transforms, p=0.5)",
        "ds.transforms.RandomApply(transforms, p)",
        "transforms.RandomApply([transforms.CenterCrop(4)], p=1.0)(picture)",
    ),
    *both(
        "RandomChoice(transforms, p=None)",
        "ds.transforms.RandomChoice(transforms)",
        "transforms.RandomChoice([transforms.CenterCrop(4)])(picture)",
        reject={"p": "MindSpore chooses all alike"},
    ),
    *both(
        "RandomOrder(transforms)",
        "ds.transforms.RandomOrder(transforms)",
        "transforms.RandomOrder([transforms.CenterCrop(4), transforms.Pad(1)])(picture)",
        check="runs",
    ),
    *both(
        "Lambda(lambd)",
        "lambd",
        "transforms.Compose([transforms.Lambda(lambda picture: picture.size)])(picture)",
        note="A function is a transform as it is.",
        returns="other",
    ),
    *missing(
        "write a class with __call__: every callable is a transform",
        "torchvision.transforms.v2.Transform()",
    ),
)


def constants(group: str, target: str, *names: tuple[str, str]) -> tuple[Rule, ...]:
    """The values of an enumeration, where it is found."""
    places = (
        "transforms.",
        "transforms.v2.",
        "transforms.functional.",
        "transforms.v2.functional.",
    )
    return tuple(
        Rule(
            f"torchvision.{place}{group}.{old}",
            f"ds.vision.{target}.{new}",
            returns="other",
            example=f"torchvision.{place}{group}.{old}",
            check="runs",
        )
        for place in (places if group == "InterpolationMode" else places[:2])
        for old, new in names
    )


CONSTANTS = (
    *constants(
        "InterpolationMode",
        "Inter",
        *((name, name) for name in ("NEAREST", "BILINEAR", "BICUBIC")),
        ("LANCZOS", "ANTIALIAS"),
    ),
    *constants(
        "AutoAugmentPolicy", "AutoAugmentPolicy", *((n, n) for n in ("IMAGENET", "CIFAR10", "SVHN"))
    ),
    Rule(
        "torchvision.transforms.InterpolationMode",
        "ds.vision.Inter",
        note="Its values are numbers: BILINEAR, NEAREST, BICUBIC, AREA, ANTIALIAS.",
        returns="other",
        example="transforms.InterpolationMode",
        check="runs",
    ),
    Rule(
        "torchvision.transforms.AutoAugmentPolicy",
        "ds.vision.AutoAugmentPolicy",
        returns="other",
        example="transforms.AutoAugmentPolicy",
        check="runs",
    ),
)

RULES = (*GEOMETRY, *COLOURS, *VALUES, *PLANS, *CONSTANTS)
