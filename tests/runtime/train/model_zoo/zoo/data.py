import math
import os
from typing import Optional

import mindspore as ms
import mindspore.dataset as ds
from mindspore.dataset import transforms, vision
from mindspore.dataset.vision import Inter

__all__ = ["create_dataset", "create_loader", "create_transforms"]

IMAGENET_DEFAULT_MEAN = [123.675, 116.28, 103.53]
IMAGENET_DEFAULT_STD = [58.395, 57.12, 57.375]
_modes = {"nearest": Inter.NEAREST, "bilinear": Inter.BILINEAR, "bicubic": Inter.BICUBIC}


def create_dataset(
    name: str = "",
    root: Optional[str] = None,
    split: str = "train",
    shuffle: bool = True,
    num_samples: Optional[int] = None,
    num_shards: Optional[int] = None,
    shard_id: Optional[int] = None,
    num_parallel_workers: Optional[int] = None,
    download: bool = False,
    num_aug_repeats: int = 0,
    **kwargs,
):
    name = name.lower()
    if root is None:
        root = os.path.join("data", name)
    assert (num_samples is None) or (num_aug_repeats == 0), "num_samples and num_aug_repeats can not be set together."
    mindspore_kwargs = dict(shuffle=shuffle, sampler=None, num_shards=num_shards, shard_id=shard_id,
                            num_parallel_workers=num_parallel_workers, **kwargs)
    if name in ("imagenet", ""):
        root = os.path.join(root, split)
        if num_aug_repeats > 0:
            sampler = RepeatAugSampler(len_folder(root), num_aug_repeats, shuffle)
            mindspore_kwargs.pop("shuffle")
            mindspore_kwargs.update(sampler=sampler, num_shards=None, shard_id=None)
        return ds.ImageFolderDataset(dataset_dir=root, num_samples=num_samples, **mindspore_kwargs)
    raise ValueError(f"unknown dataset {name}")


def len_folder(root):
    return sum(len(files) for _, _, files in os.walk(root))


class RepeatAugSampler:
    """Sampler that repeats each image, as in "Multigrain" """

    def __init__(self, dataset_size, num_repeats=3, shuffle=True, selected_round=0):
        self.dataset_size = dataset_size
        self.num_repeats = num_repeats
        self.shuffle = shuffle
        self.epoch = 0
        self.num_samples = dataset_size

    def __iter__(self):
        import numpy as np

        rng = np.random.RandomState(self.epoch)
        self.epoch += 1
        indices = rng.permutation(self.dataset_size) if self.shuffle else np.arange(self.dataset_size)
        indices = np.repeat(indices, self.num_repeats)
        return iter(indices[: self.num_samples].tolist())

    def __len__(self):
        return self.num_samples


def transforms_imagenet_train(image_resize=224, scale=(0.08, 1.0), ratio=(0.75, 1.333), hflip=0.5, vflip=0.0,
                              color_jitter=None, auto_augment=None, mean=IMAGENET_DEFAULT_MEAN,
                              std=IMAGENET_DEFAULT_STD, re_prob=0.0, re_scale=(0.02, 0.33), re_ratio=(0.3, 3.3),
                              re_value=0, re_max_attempts=1, interpolation="bilinear"):
    trans_list = []
    if hasattr(vision.Inter, interpolation.upper()):
        interpolation = getattr(vision.Inter, interpolation.upper())
    else:
        interpolation = vision.Inter.BILINEAR
    trans_list.append(vision.RandomCropDecodeResize(size=image_resize, scale=scale, ratio=ratio,
                                                    interpolation=interpolation))
    if hflip > 0.0:
        trans_list.append(vision.RandomHorizontalFlip(prob=hflip))
    if vflip > 0.0:
        trans_list.append(vision.RandomVerticalFlip(prob=vflip))
    if auto_augment is not None:
        assert auto_augment in ("autoaug", "randaug", "trivialaugwide")
        trans_list.append({"autoaug": lambda: vision.AutoAugment(vision.AutoAugmentPolicy.IMAGENET, interpolation),
                           "randaug": lambda: vision.RandAugment(num_ops=2, magnitude=9),
                           "trivialaugwide": lambda: vision.TrivialAugmentWide(31)}[auto_augment]())
    elif color_jitter is not None:
        if isinstance(color_jitter, (list, tuple)):
            assert len(color_jitter) in (3, 4)
        else:
            color_jitter = (float(color_jitter),) * 3
        trans_list += [vision.RandomColorAdjust(*color_jitter)]
    trans_list += [vision.Normalize(mean=mean, std=std), vision.HWC2CHW()]
    if re_prob > 0.0:
        trans_list.append(vision.RandomErasing(prob=re_prob, scale=re_scale, ratio=re_ratio, value=re_value,
                                               max_attempts=re_max_attempts))
    return trans_list


def transforms_imagenet_eval(image_resize=224, crop_pct=0.875, mean=IMAGENET_DEFAULT_MEAN, std=IMAGENET_DEFAULT_STD,
                             interpolation="bilinear"):
    if hasattr(vision.Inter, interpolation.upper()):
        interpolation = getattr(vision.Inter, interpolation.upper())
    else:
        interpolation = vision.Inter.BILINEAR
    if isinstance(image_resize, (tuple, list)):
        scale_size = tuple([int(x / crop_pct) for x in image_resize])
    else:
        scale_size = int(math.floor(image_resize / crop_pct))
    return [
        vision.Decode(),
        vision.Resize(scale_size, interpolation=interpolation),
        vision.CenterCrop(image_resize),
        vision.Normalize(mean=mean, std=std),
        vision.HWC2CHW(),
    ]


def create_transforms(dataset_name="", image_resize=224, is_training=False, auto_augment=None, **kwargs):
    dataset_name = dataset_name.lower()
    if dataset_name in ("imagenet", ""):
        trans_args = dict(image_resize=image_resize, **kwargs)
        if is_training:
            return transforms_imagenet_train(auto_augment=auto_augment, **trans_args)
        return transforms_imagenet_eval(**trans_args)
    raise NotImplementedError


def create_loader(dataset, batch_size, drop_remainder=False, is_training=False, mixup=0.0, cutmix=0.0, cutmix_prob=0.0,
                  num_classes=1000, transform=None, target_transform=None, num_parallel_workers=None,
                  python_multiprocessing=False, separate=False):
    if target_transform is None:
        target_transform = transforms.TypeCast(ms.int32)
    target_input_columns = "label" if "label" in dataset.get_col_names() else "fine_label"
    dataset = dataset.map(operations=target_transform, input_columns=target_input_columns,
                          num_parallel_workers=num_parallel_workers, python_multiprocessing=python_multiprocessing)
    if transform is None:
        raise ValueError("tranform should not be None, please create transform first.")
    dataset = dataset.map(operations=transform, input_columns="image", num_parallel_workers=num_parallel_workers,
                          python_multiprocessing=python_multiprocessing)
    if is_training and (mixup + cutmix > 0.0):
        one_hot_encode = transforms.OneHot(num_classes)
        dataset = dataset.map(operations=one_hot_encode, input_columns=[target_input_columns])
    dataset = dataset.batch(batch_size=batch_size, drop_remainder=drop_remainder,
                            num_parallel_workers=num_parallel_workers)
    if is_training:
        trans_mixup = []
        if mixup > 0:
            trans_mixup.append(vision.MixUpBatch(alpha=mixup))
        if cutmix > 0:
            trans_mixup.append(vision.CutMixBatch(vision.ImageBatchFormat.NCHW, cutmix, cutmix_prob))
        for op in trans_mixup:
            dataset = dataset.map(operations=op, input_columns=["image", target_input_columns],
                                  num_parallel_workers=num_parallel_workers)
    return dataset
