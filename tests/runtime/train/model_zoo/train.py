""" Model training pipeline """
import argparse
import ast
import json
import logging
import os

import numpy as np

import mindspore as ms
from mindspore import Tensor
from mindspore.communication import get_group_size, get_rank, init

from zoo.callbacks import StateMonitor
from zoo.data import create_dataset, create_loader, create_transforms
from zoo.loss import create_loss
from zoo.models import create_model
from zoo.optim import create_optimizer
from zoo.scheduler import create_scheduler
from zoo.trainer_factory import create_trainer, get_metrics

logger = logging.getLogger("zoo.train")


def create_parser():
    parser = argparse.ArgumentParser(description="Training Config", add_help=False)
    group = parser.add_argument_group("Environment")
    group.add_argument("--mode", type=int, default=0, help="Running in GRAPH_MODE(0) or PYNATIVE_MODE(1)")
    group.add_argument("--distribute", type=ast.literal_eval, default=False)
    group.add_argument("--seed", type=int, default=42)
    group.add_argument("--log_interval", type=int, default=100)
    group = parser.add_argument_group("Dataset")
    group.add_argument("--dataset", default="imagenet")
    group.add_argument("--data_dir", default="./data")
    group.add_argument("--shuffle", type=ast.literal_eval, default=True)
    group.add_argument("--batch_size", type=int, default=12)
    group.add_argument("--drop_remainder", type=ast.literal_eval, default=True)
    group.add_argument("--num_parallel_workers", type=int, default=2)
    group.add_argument("--aug_repeats", type=int, default=0)
    group = parser.add_argument_group("Augmentation")
    group.add_argument("--image_resize", type=int, default=32)
    group.add_argument("--plain", type=ast.literal_eval, default=False, help="no random transforms")
    group.add_argument("--auto_augment", default=None)
    group.add_argument("--color_jitter", default=0.4)
    group.add_argument("--re_prob", type=float, default=0.0)
    group.add_argument("--mixup", type=float, default=0.0)
    group.add_argument("--cutmix", type=float, default=0.0)
    group = parser.add_argument_group("Model")
    group.add_argument("--model", default="tinynet_s")
    group.add_argument("--num_classes", type=int, default=3)
    group.add_argument("--drop_rate", type=float, default=None)
    group.add_argument("--drop_path_rate", type=float, default=None)
    group.add_argument("--ckpt_path", default="")
    group.add_argument("--ckpt_save_dir", default="./ckpt")
    group.add_argument("--ckpt_save_policy", default="latest_k")
    group.add_argument("--keep_checkpoint_max", type=int, default=10)
    group.add_argument("--resume_opt", type=ast.literal_eval, default=False)
    group.add_argument("--epoch_size", type=int, default=2)
    group.add_argument("--dataset_sink_mode", type=ast.literal_eval, default=True)
    group = parser.add_argument_group("Optimizer")
    group.add_argument("--opt", default="momentum")
    group.add_argument("--momentum", type=float, default=0.9)
    group.add_argument("--weight_decay", type=float, default=1e-4)
    group.add_argument("--weight_decay_filter", default="auto")
    group.add_argument("--use_nesterov", type=ast.literal_eval, default=False)
    group.add_argument("--loss_scale_type", default="fixed")
    group.add_argument("--loss_scale", type=float, default=1.0)
    group.add_argument("--drop_overflow_update", type=ast.literal_eval, default=False)
    group.add_argument("--scheduler", default="cosine_decay")
    group.add_argument("--lr", type=float, default=0.02)
    group.add_argument("--min_lr", type=float, default=1e-5)
    group.add_argument("--warmup_epochs", type=int, default=1)
    group.add_argument("--decay_epochs", type=int, default=1)
    group.add_argument("--loss", default="CE")
    group.add_argument("--label_smoothing", type=float, default=0.1)
    group.add_argument("--amp_level", default="O0")
    group.add_argument("--ema", type=ast.literal_eval, default=False)
    group.add_argument("--ema_decay", type=float, default=0.99)
    group.add_argument("--clip_grad", type=ast.literal_eval, default=False)
    group.add_argument("--clip_value", type=float, default=1.0)
    group.add_argument("--gradient_accumulation_steps", type=int, default=1)
    return parser


def train(args):
    ms.set_seed(args.seed)
    np.random.seed(args.seed)
    ms.set_context(mode=args.mode)
    if args.distribute:
        init()
        device_num, rank_id = get_group_size(), get_rank()
        ms.set_auto_parallel_context(device_num=device_num, parallel_mode="data_parallel", gradients_mean=True)
    else:
        device_num, rank_id = None, None

    dataset_train = create_dataset(
        name=args.dataset, root=args.data_dir, split="train", shuffle=args.shuffle, num_shards=device_num,
        shard_id=rank_id, num_parallel_workers=args.num_parallel_workers, num_aug_repeats=args.aug_repeats)
    num_classes = dataset_train.num_classes() if args.num_classes is None else args.num_classes

    transform_list = create_transforms(
        dataset_name=args.dataset, is_training=not args.plain, image_resize=args.image_resize,
        **({} if args.plain else dict(auto_augment=args.auto_augment, color_jitter=args.color_jitter,
                                      re_prob=args.re_prob)))
    loader_train = create_loader(
        dataset=dataset_train, batch_size=args.batch_size, drop_remainder=args.drop_remainder, is_training=True,
        mixup=args.mixup, cutmix=args.cutmix, cutmix_prob=1.0, num_classes=num_classes, transform=transform_list,
        num_parallel_workers=args.num_parallel_workers)

    dataset_eval = create_dataset(name=args.dataset, root=args.data_dir, split="val", shuffle=False,
                                  num_parallel_workers=args.num_parallel_workers)
    loader_eval = create_loader(
        dataset=dataset_eval, batch_size=args.batch_size, drop_remainder=False, is_training=False,
        transform=create_transforms(dataset_name=args.dataset, is_training=False, image_resize=args.image_resize),
        num_parallel_workers=args.num_parallel_workers)

    num_batches = loader_train.get_dataset_size()
    train_count = dataset_train.get_dataset_size()
    if args.num_parallel_workers > 16:
        logger.warning("too many")

    network = create_model(model_name=args.model, num_classes=num_classes, drop_rate=args.drop_rate,
                           drop_path_rate=args.drop_path_rate, checkpoint_path=args.ckpt_path)
    num_params = sum([param.size for param in network.get_parameters()])

    loss = create_loss(name=args.loss, reduction="mean", label_smoothing=args.label_smoothing)

    lr_scheduler = create_scheduler(
        num_batches, scheduler=args.scheduler, lr=args.lr, min_lr=args.min_lr, warmup_epochs=args.warmup_epochs,
        decay_epochs=args.decay_epochs, num_epochs=args.epoch_size)

    # resume training if ckpt_path is given
    if args.ckpt_path != "" and args.resume_opt:
        opt_ckpt_path = os.path.join(args.ckpt_save_dir, f"optim_{args.model}.ckpt")
    else:
        opt_ckpt_path = ""

    if (args.loss_scale_type == "fixed" and args.drop_overflow_update is False
            and not (args.ema or args.clip_grad or args.gradient_accumulation_steps > 1)):
        optimizer_loss_scale = args.loss_scale
    else:
        optimizer_loss_scale = 1.0
    optimizer = create_optimizer(
        network.trainable_params(), opt=args.opt, lr=lr_scheduler, weight_decay=args.weight_decay,
        momentum=args.momentum, nesterov=args.use_nesterov, weight_decay_filter=args.weight_decay_filter,
        loss_scale=optimizer_loss_scale, checkpoint_path=opt_ckpt_path)

    metrics = get_metrics(num_classes)
    trainer = create_trainer(
        network, loss, optimizer, metrics, amp_level=args.amp_level, loss_scale_type=args.loss_scale_type,
        loss_scale=args.loss_scale, drop_overflow_update=args.drop_overflow_update, ema=args.ema,
        ema_decay=args.ema_decay, clip_grad=args.clip_grad, clip_value=args.clip_value,
        gradient_accumulation_steps=args.gradient_accumulation_steps)

    begin_step = 0
    begin_epoch = 0
    if args.ckpt_path != "":
        begin_step = optimizer.global_step.asnumpy()[0]
        begin_epoch = int(os.path.basename(args.ckpt_path).split("-")[-1].split("_")[0]) if args.resume_opt else 0

    state_cb = StateMonitor(
        trainer, model_name=args.model, model_ema=args.ema, last_epoch=0,
        dataset_sink_mode=args.dataset_sink_mode, dataset_val=loader_eval, metric_name=list(metrics.keys()),
        ckpt_save_dir=args.ckpt_save_dir, ckpt_save_policy=args.ckpt_save_policy,
        ckpt_keep_max=args.keep_checkpoint_max, log_interval=args.log_interval, rank_id=rank_id,
        device_num=device_num)
    essential_cfg_msg = "\n".join([
        "Essential Experiment Configurations:",
        f"MindSpore mode[GRAPH(0)/PYNATIVE(1)]: {args.mode}",
        f"Number of training samples: {train_count}",
        f"Number of batches: {num_batches}",
        f"Total number of parameters: {num_params}",
        f"begin_step: {begin_step}",
    ])
    logger.info(essential_cfg_msg)
    trainer.train(args.epoch_size, loader_train, callbacks=[state_cb], dataset_sink_mode=args.dataset_sink_mode,
                  initial_epoch=begin_epoch)
    print(json.dumps({"losses": state_cb.losses, "best": state_cb.best_res,
                      "files": sorted(os.listdir(args.ckpt_save_dir))}))


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO, format="[%(asctime)s] %(name)s %(levelname)s - %(message)s")
    args = create_parser().parse_args()
    train(args)
