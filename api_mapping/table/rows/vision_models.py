"""torchvision.models, tv_tensors, utils: networks by name, marked tensors, pictures of results."""

from ..families import missing
from ..rule import Rule

FAMILIES = (
    ("alexnet", "alexnet"),
    ("convnext", "convnext_tiny convnext_small convnext_base convnext_large"),
    ("densenet", "densenet121 densenet161 densenet169 densenet201"),
    (
        "efficientnet",
        "efficientnet_b0 efficientnet_b1 efficientnet_b2 efficientnet_b3 efficientnet_b4 "
        "efficientnet_b5 efficientnet_b6 efficientnet_b7 efficientnet_v2_s efficientnet_v2_m "
        "efficientnet_v2_l",
    ),
    ("googlenet", "googlenet"),
    ("inception", "inception_v3"),
    ("maxvit", "maxvit_t"),
    ("mnasnet", "mnasnet0_5 mnasnet0_75 mnasnet1_0 mnasnet1_3"),
    ("mobilenetv2", "mobilenet_v2"),
    ("mobilenetv3", "mobilenet_v3_large mobilenet_v3_small"),
    (
        "regnet",
        "regnet_x_400mf regnet_x_800mf regnet_x_1_6gf regnet_x_3_2gf regnet_x_8gf regnet_x_16gf "
        "regnet_x_32gf regnet_y_400mf regnet_y_800mf regnet_y_1_6gf regnet_y_3_2gf regnet_y_8gf "
        "regnet_y_16gf regnet_y_32gf regnet_y_128gf",
    ),
    (
        "resnet",
        "resnet18 resnet34 resnet50 resnet101 resnet152 resnext50_32x4d resnext101_32x8d "
        "resnext101_64x4d wide_resnet50_2 wide_resnet101_2 resnet.Bottleneck resnet.BasicBlock",
    ),
    (
        "shufflenetv2",
        "shufflenet_v2_x0_5 shufflenet_v2_x1_0 shufflenet_v2_x1_5 shufflenet_v2_x2_0",
    ),
    ("squeezenet", "squeezenet1_0 squeezenet1_1"),
    ("swin_transformer", "swin_t swin_s swin_b swin_v2_t swin_v2_s swin_v2_b"),
    ("vgg", "vgg11 vgg11_bn vgg13 vgg13_bn vgg16 vgg16_bn vgg19 vgg19_bn"),
    ("vision_transformer", "vit_b_16 vit_b_32 vit_l_16 vit_l_32 vit_h_14"),
)
"""The files of torchvision/models, and the networks that they build."""

NETWORKS = tuple(
    rule
    for file, names in FAMILIES
    for rule in missing(
        "export the network from PyTorch by torch.onnx.export, weights and all, and convert it "
        f"(msconvert --model_file); or convert the source, torchvision/models/{file}.py",
        *(
            f"torchvision.models.{name}" + ("" if "." in name else "(**config)")
            for name in names.split()
        ),
    )
)

BY_NAME = missing(
    "name the network, export it from PyTorch by torch.onnx.export, and convert it",
    "torchvision.models.__dict__",
    "torchvision.models.get_model(name, **config)",
    "torchvision.models.get_model_builder(name)",
    "torchvision.models.get_model_weights(name)",
    "torchvision.models.get_weight(name)",
    "torchvision.models.list_models(module=None, include=None, exclude=None)",
)

MARKED = (
    *missing(
        "pass the Tensor or array itself: MindSpore's transforms do not ask what it stands for",
        *(
            f"torchvision.tv_tensors.{name}(data, *, dtype=None, device=None, requires_grad=None)"
            for name in ("Image", "Mask", "Video")
        ),
        "torchvision.tv_tensors.TVTensor",
        "torchvision.tv_tensors.wrap(wrappee, *, like, **kwargs)",
    ),
    *missing(
        "keep boxes and points as Tensors, and change them with the image in a transform of "
        "your own (ds.vision has RandomCropWithBBox and others for arrays)",
        "torchvision.tv_tensors.BoundingBoxes(data, *, format, canvas_size, **options)",
        "torchvision.tv_tensors.KeyPoints(data, *, canvas_size, **options)",
        "torchvision.tv_tensors.is_rotated_bounding_format(format)",
        *(
            f"torchvision.tv_tensors.BoundingBoxFormat.{name}"
            for name in ("XYXY", "XYWH", "CXCYWH", "XYWHR", "CXCYWHR", "XYXYXYXY")
        ),
    ),
)

UTILITIES = (
    Rule(
        "torchvision._is_tracing()",
        "False",
        note="MindSpore code is not traced.",
        returns="bool",
        example="torchvision._is_tracing()",
        check="alone",
    ),
    Rule(
        "torchvision.utils._log_api_usage_once(obj)",
        "None",
        note="MindSpore counts no uses: delete it.",
        drop=("obj",),
        returns="none",
        example="torchvision.utils._log_api_usage_once(1)",
        check="alone",
    ),
    Rule(
        "torchvision.extension._assert_has_ops()",
        "None",
        note="What is called is there: delete it.",
        returns="none",
        example="torchvision.extension._assert_has_ops()",
        check="alone",
    ),
    Rule(
        "torchvision.utils.make_grid(tensor, nrow=8, padding=2, normalize=False, "
        "value_range=None, scale_each=False, pad_value=0.0)",
        "compat.make_grid(tensor, nrow=nrow, padding=padding, normalize=normalize, "
        "value_range=value_range, scale_each=scale_each, pad_value=pad_value)",
        returns="tensor",
        example=(
            "torchvision.utils.make_grid(image)",
            "torchvision.utils.make_grid([image[0], image[1]], nrow=1, padding=1, pad_value=0.5)",
            "torchvision.utils.make_grid(volume[0].transpose(0, 1)[:, :1], 3, normalize=True)",
            "torchvision.utils.make_grid(image, normalize=True, value_range=(-1, 1))",
            "torchvision.utils.make_grid(image, normalize=True, scale_each=True)",
            "torchvision.utils.make_grid(x)",
        ),
    ),
    Rule(
        "torchvision.utils.save_image(tensor, fp, format=None, **kwargs)",
        "compat.save_image(tensor, fp)",
        reject={
            "format": "it follows from the name of the file",
            "kwargs": "call compat.make_grid with them first",
        },
        returns="none",
        example='torchvision.utils.save_image(image, "grid.png")',
    ),
    *missing(
        "draw with PIL.ImageDraw on ds.vision.ToPIL()(array)",
        "torchvision.utils.draw_bounding_boxes(image, boxes, labels=None, **options)",
        "torchvision.utils.draw_keypoints(image, keypoints, connectivity=None, **options)",
        "torchvision.utils.draw_segmentation_masks(image, masks, alpha=0.8, colors=None)",
        "torchvision.utils.flow_to_image(flow)",
        "torchvision.utils._Image_fromarray(obj, mode)",
    ),
)

RULES = (*NETWORKS, *BY_NAME, *MARKED, *UTILITIES)
