"""torchvision.datasets: data sets of images in local files."""

from ..families import missing
from ..rule import Rule

FILES = "local files"
NOT_LOADED = (
    "It downloads nothing; it is read one after another, has no dataset[i], and gives Tensors."
)
DOWN = "transform=None, target_transform=None, download=False"
BY_PART = f"root, train=True, {DOWN}"
LABELLED = "transform=transform, target_transform=target_transform"


def labelled(name: str, parameters: str, dataset: str, note: str = NOT_LOADED) -> Rule:
    """A data set of images and labels, with PyTorch's transforms."""
    rule = Rule(f"torchvision.datasets.{name}({parameters})")
    return Rule(
        rule.signature,
        f"compat.image_set({dataset}, {LABELLED})",
        note=note,
        drop=tuple(p.name for p in rule.params if p.name in ("download", "loader")),
        reject={
            p.name: "all files with the usual endings are read, by MindSpore"
            for p in rule.params
            if p.name in ("is_valid_file", "allow_empty", "folds")
        },
        returns="other",
        platform=FILES,
    )


def read(name: str, parameters: str, dataset: str) -> Rule:
    """A data set with columns of its own."""
    rule = Rule(f"torchvision.datasets.{name}({parameters})")
    by_map = 'call .map(transform, "image") on the data set'
    names = {p.name for p in rule.params}
    return Rule(
        rule.signature,
        dataset,
        note=f"{NOT_LOADED} Its columns are MindSpore's.",
        drop=tuple(sorted(names & {"download", "loader"})),
        reject={n: by_map for n in ("transform", "target_transform", "transforms") if n in names},
        returns="other",
        platform=FILES,
    )


NUMBERS = (
    *(
        labelled(name, BY_PART, f'ds.{dataset}(root + "/{name}/raw", part(train), shuffle=False)')
        for name, dataset in (
            ("MNIST", "MnistDataset"),
            ("FashionMNIST", "FashionMnistDataset"),
            ("KMNIST", "KMnistDataset"),
        )
    ),
    labelled(
        "EMNIST",
        f"root, split, train=True, {DOWN}",
        'ds.EMnistDataset(root + "/EMNIST/raw", split, part(train), shuffle=False)',
    ),
    labelled(
        "QMNIST",
        f"root, what=None, compat=True, train=True, {DOWN}",
        'ds.QMnistDataset(root + "/QMNIST/raw", what or part(train), compat, shuffle=False)',
    ),
    labelled("USPS", BY_PART, "ds.USPSDataset(root, part(train), shuffle=False)"),
    labelled("SEMEION", f"root, {DOWN}", "ds.SemeionDataset(root, shuffle=False)"),
    labelled(
        "SVHN",
        f'root, split="train", {DOWN}',
        "ds.SVHNDataset(root, always(split), shuffle=False)",
    ),
    labelled(
        "Omniglot",
        f"root, background=True, {DOWN}, loader=None",
        'ds.OmniglotDataset(root + "/omniglot-py", always(background), shuffle=False, decode=True)',
    ),
)

OBJECTS = (
    labelled(
        "CIFAR10",
        BY_PART,
        'ds.Cifar10Dataset(root + "/cifar-10-batches-bin", part(train), shuffle=False)',
        note=f"The files are those of the binary version, cifar-10-binary.tar.gz. {NOT_LOADED}",
    ),
    labelled(
        "CIFAR100",
        BY_PART,
        'ds.Cifar100Dataset(root + "/cifar-100-binary", part(train), shuffle=False)'
        '.project(["image", "fine_label"]).rename("fine_label", "label")',
        note=f"The files are those of the binary version, cifar-100-binary.tar.gz. {NOT_LOADED}",
    ),
    labelled(
        "ImageFolder",
        "root, transform=None, target_transform=None, loader=None, is_valid_file=None, "
        "allow_empty=False",
        "ds.ImageFolderDataset(root, shuffle=False, decode=True)",
        note=f"It has no `classes`: they are the sorted names of the folders. {NOT_LOADED}",
    ),
    labelled(
        "STL10",
        f'root, split="train", folds=None, {DOWN}',
        'ds.STL10Dataset(root + "/stl10_binary", always(split), shuffle=False)',
    ),
    labelled(
        "Caltech256",
        f"root, {DOWN}",
        'ds.Caltech256Dataset(root + "/caltech256/256_ObjectCategories", shuffle=False, '
        "decode=True)",
    ),
    labelled(
        "Food101",
        f'root, split="train", {DOWN}, loader=None',
        'ds.Food101Dataset(root + "/food-101", always(split), shuffle=False, decode=True)',
    ),
    labelled(
        "Flowers102",
        f'root, split="train", {DOWN}, loader=None',
        'ds.Flowers102Dataset(root + "/flowers-102", "Classification", '
        '{"train": "train", "val": "valid", "test": "test"}[always(split)], shuffle=False, '
        "decode=True)",
    ),
    labelled(
        "SUN397",
        f"root, {DOWN}, loader=None",
        'ds.SUN397Dataset(root + "/SUN397", shuffle=False, decode=True)',
    ),
    labelled(
        "RenderedSST2",
        f'root, split="train", {DOWN}, loader=None',
        'ds.RenderedSST2Dataset(root + "/rendered-sst2", always(split), shuffle=False, '
        "decode=True)",
    ),
    labelled(
        "Places365",
        'root, split="train-standard", small=False, download=False, transform=None, '
        "target_transform=None, loader=None",
        "ds.Places365Dataset(root, always(split), always(small), decode=True, shuffle=False)",
    ),
    labelled(
        "LFWPeople",
        f'root, split="10fold", image_set="funneled", {DOWN}, loader=None',
        'ds.LFWDataset(root + "/lfw-py", "people", always(split), always(image_set), '
        "shuffle=False, decode=True)",
    ),
)

PICTURES = (
    read(
        "LFWPairs",
        f'root, split="10fold", image_set="funneled", {DOWN}, loader=None',
        'ds.LFWDataset(root + "/lfw-py", "pairs", always(split), always(image_set), '
        "shuffle=False, decode=True)",
    ),
    read(
        "LSUN",
        'root, classes="train", transform=None, target_transform=None',
        "ds.LSUNDataset(root, always(classes), shuffle=False, decode=True)",
    ),
    read(
        "Caltech101",
        f'root, target_type="category", {DOWN}',
        'ds.Caltech101Dataset(root + "/caltech101", target_type, shuffle=False, decode=True)',
    ),
    read(
        "CelebA",
        f'root, split="train", target_type="attr", {DOWN}',
        'ds.CelebADataset(root + "/celeba", usage=always(split), shuffle=False, decode=True)',
    ),
    read(
        "Cityscapes",
        'root, split="train", mode="fine", target_type="instance", transform=None, '
        "target_transform=None, transforms=None",
        "ds.CityscapesDataset(root, always(split), always(mode), always(target_type), "
        "shuffle=False, decode=True)",
    ),
    *(
        read(
            f"Coco{name}",
            "root, annFile, transform=None, target_transform=None, transforms=None",
            f'ds.CocoDataset(root, annFile, "{task}", shuffle=False, decode=True)',
        )
        for name, task in (("Detection", "Detection"), ("Captions", "Captioning"))
    ),
    *(
        read(
            f"Flickr{size}k",
            "root, ann_file, transform=None, target_transform=None, loader=None",
            "ds.FlickrDataset(root, ann_file, shuffle=False, decode=True)",
        )
        for size in (8, 30)
    ),
    *(
        read(
            f"VOC{task}",
            'root, year="2012", image_set="train", download=False, transform=None, '
            "target_transform=None, transforms=None",
            'ds.VOCDataset(root + "/VOCdevkit/VOC" + always(year), '
            f'"{task}", always(image_set), shuffle=False, decode=True)',
        )
        for task in ("Detection", "Segmentation")
    ),
    read(
        "SBDataset",
        'root, image_set="train", mode="boundaries", download=False, transforms=None',
        "ds.SBDataset(root, always(mode).capitalize(), always(image_set), shuffle=False, "
        "decode=True)",
    ),
    read("SBU", f"root, {DOWN}, loader=None", "ds.SBUDataset(root, shuffle=False, decode=True)"),
    read(
        "PhotoTour",
        "root, name, train=True, transform=None, download=False",
        "ds.PhotoTourDataset(root, name, part(train), shuffle=False)",
    ),
    read(
        "WIDERFace",
        f'root, split="train", {DOWN}',
        'ds.WIDERFaceDataset(root + "/widerface", always(split), shuffle=False, decode=True)',
    ),
    read(
        "Kitti",
        "root, train=True, transform=None, target_transform=None, transforms=None, download=False",
        "ds.KITTIDataset(root, part(train), shuffle=False, decode=True)",
    ),
    read(
        "FakeData",
        "size=1000, image_size=(3, 224, 224), num_classes=10, transform=None, "
        "target_transform=None, random_offset=0",
        "ds.FakeImageDataset(always(size), (image_size[1], image_size[2], image_size[0]), "
        "always(num_classes))",
    ),
)

OWN = missing(
    "read the files in a class with __getitem__ and __len__, for a DataLoader or a "
    "ds.GeneratorDataset",
    *(
        f"torchvision.datasets.{name}"
        for name in (
            *("VisionDataset", "DatasetFolder", "CLEVRClassification", "CREStereo"),
            *("CarlaStereo", "Country211", "DTD", "ETH3DStereo", "EuroSAT", "FER2013"),
            *("FGVCAircraft", "FallingThingsStereo", "FlyingChairs", "FlyingThings3D"),
            *("GTSRB", "HD1K", "HMDB51", "INaturalist", "Imagenette", "InStereo2k"),
            *("Kinetics", "Kitti2012Stereo", "Kitti2015Stereo", "KittiFlow", "LSUNClass"),
            *("Middlebury2014Stereo", "MovingMNIST", "OxfordIIITPet", "PCAM"),
            *("SceneFlowStereo", "Sintel", "SintelStereo", "StanfordCars", "UCF101"),
        )
    ),
)

FOLDERS = missing(
    "its train and val folders are read by ds.ImageFolderDataset(dir, decode=True)",
    'torchvision.datasets.ImageNet(root, split="train", **kwargs)',
)

RULES = (*NUMBERS, *OBJECTS, *PICTURES, *OWN, *FOLDERS)
