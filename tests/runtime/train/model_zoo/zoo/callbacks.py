"""Callbacks for mindspore.Model"""
import logging
import os
from time import time

import numpy as np

import mindspore as ms
from mindspore import ParameterTuple, Tensor, load_param_into_net, ops
from mindspore import dtype as mstype
from mindspore.train.callback import Callback

from .checkpoint_manager import CheckpointManager

_logger = logging.getLogger(__name__)


class StateMonitor(Callback):
    """Train loss and validation accuracy monitor, after each epoch save the best checkpoint file."""

    def __init__(self, model, model_name="", model_ema=False, last_epoch=0, dataset_sink_mode=True, dataset_val=None,
                 metric_name=("accuracy",), val_interval=1, val_start_epoch=1, save_best_ckpt=True, ckpt_save_dir="./",
                 ckpt_save_interval=1, ckpt_save_policy=None, ckpt_keep_max=10, summary_dir="./", log_interval=100,
                 rank_id=None, device_num=None):
        super().__init__()
        self.model = model
        self.model_name = model_name
        self.model_ema = model_ema
        self.last_epoch = last_epoch
        self.dataset_sink_mode = dataset_sink_mode
        self.dataset_val = dataset_val
        self.metric_name = metric_name
        self.val_interval = val_interval
        self.val_start_epoch = val_start_epoch
        self.save_best_ckpt = save_best_ckpt
        self.ckpt_save_dir = ckpt_save_dir
        self.ckpt_save_interval = ckpt_save_interval
        self.ckpt_save_policy = ckpt_save_policy
        self.ckpt_keep_max = ckpt_keep_max
        self.ckpt_manager = CheckpointManager(ckpt_save_policy=self.ckpt_save_policy)
        self._need_flush_from_cache = True
        self.summary_dir = summary_dir
        self.log_interval = log_interval
        self.rank_id = rank_id if rank_id is not None else 0
        self.device_num = device_num if device_num is not None else 1
        if self.rank_id in [0, None]:
            os.makedirs(ckpt_save_dir, exist_ok=True)
            self.log_file = os.path.join(ckpt_save_dir, "result.log")
            log_line = "".join(f"{s:<20}" for s in ["Epoch", "TrainLoss", *metric_name, "TrainTime", "EvalTime"])
            with open(self.log_file, "w", encoding="utf-8") as fp:  # writing the title of result.log
                fp.write(log_line + "\n")
        if self.device_num > 1:
            self.all_reduce = ops.AllReduce(ops.ReduceOp.SUM)
        self.losses = []

        self.ema_updated = False
        self.best_res = 0
        self.best_epoch = -1
        self.start = time()
        self.step_start = time()
        self.step_num = 0

    def __enter__(self):
        return self

    def __exit__(self, *exc_args):
        _logger.info("leaving")

    def apply_eval(self, run_context):
        cb_params = run_context.original_args()
        if self.model_ema:
            cur_params, ema_params = self._swap_params(cb_params)
            res_dict = self.model.eval(self.dataset_val, dataset_sink_mode=False)
            load_param_into_net(cb_params.train_network, cur_params)
        else:
            res_dict = self.model.eval(self.dataset_val, dataset_sink_mode=False)
        res_array = ms.Tensor(list(res_dict.values()), ms.float32)
        return [float(v) for v in res_array.asnumpy()]

    def _swap_params(self, cb_params):
        ema_dict, cur = dict(), dict()
        for param in cb_params.train_network.get_parameters():
            if param.name.startswith("ema"):
                ema_dict[param.name.split("ema.")[1]] = ms.Parameter(param.value(), name=param.name.split("ema.")[1])
        for param in cb_params.train_network.get_parameters():
            if param.name in ema_dict:
                cur[param.name] = ms.Parameter(param.asnumpy().copy(), name=param.name)
        load_param_into_net(cb_params.train_network, ema_dict)
        return cur, ema_dict

    def on_train_step_begin(self, run_context):
        self.step_start = time()

    def on_train_step_end(self, run_context):
        cb_params = run_context.original_args()
        num_epochs = cb_params.epoch_num
        num_steps = cb_params.batch_num
        cur_x_epoch = cb_params.cur_epoch_num
        cur_x_step = (cb_params.cur_step_num - 1) % cb_params.batch_num + 1
        self.losses.append(float(self._get_loss(cb_params).asnumpy()))
        if cb_params.optimizer is not None:
            optimizer = cb_params.optimizer
        else:
            optimizer = cb_params.train_network.optimizer
        if (cb_params.cur_step_num % self.log_interval) == 0 or cur_x_step in (1, num_steps):
            step = optimizer.global_step
            lr = optimizer.learning_rate(step - 1 if int(step.asnumpy()[0]) else step)[0] \
                if optimizer.dynamic_lr else optimizer.learning_rate.value()
            loss = self._get_loss(cb_params)
            _logger.info(f"Epoch: [{cur_x_epoch}/{num_epochs}], batch: [{cur_x_step}/{num_steps}], "
                         f"loss: {loss.asnumpy():.6f}, lr: {float(lr.asnumpy()):.6f}, time: {time()-self.step_start:.6f}s")

    def on_train_epoch_begin(self, run_context):
        self.start = time()

    def on_train_epoch_end(self, run_context):
        cb_params = run_context.original_args()
        cur_epoch = cb_params.cur_epoch_num + self.last_epoch
        train_time = time() - self.start
        loss = self._get_loss(cb_params)

        val_time = 0
        res = np.zeros(len(self.metric_name), dtype=np.float32)
        if self.dataset_val is not None:
            if cur_epoch >= self.val_start_epoch and (cur_epoch - self.val_start_epoch) % self.val_interval == 0:
                val_time = time()
                res = self.apply_eval(run_context)
                val_time = time() - val_time
                metric_str = "Validation "
                for i in range(len(self.metric_name)):
                    metric_str += f"{self.metric_name[i]}: {res[i]:.4%}, "
                metric_str += f"time: {val_time:.6f}s"
                _logger.info(metric_str)
                if self.save_best_ckpt and res[0] > self.best_res:
                    self.best_res = res[0]
                    self.best_epoch = cur_epoch
                    best_ckpt_save_path = os.path.join(self.ckpt_save_dir, f"{self.model_name}_best.ckpt")
                    ms.save_checkpoint(cb_params.train_network, best_ckpt_save_path, async_save=False)

        # save checkpoint
        if (cur_epoch % self.ckpt_save_interval == 0) or (cur_epoch == cb_params.epoch_num):
            if self._need_flush_from_cache:
                self._flush_from_cache(cb_params)
            ckpt_save_path = os.path.join(self.ckpt_save_dir, f"{self.model_name}-{cur_epoch}_{cb_params.batch_num}.ckpt")
            self.ckpt_manager.save_ckpoint(cb_params.train_network, num_ckpt=self.ckpt_keep_max,
                                           metric=res[0], save_path=ckpt_save_path)
            optimizer = cb_params.optimizer or cb_params.train_network.optimizer
            ms.save_checkpoint(optimizer, os.path.join(self.ckpt_save_dir, "optim_%s.ckpt" % self.model_name),
                               async_save=False)

        epoch_time = time() - self.start
        _logger.info(f"Total time since last epoch: {epoch_time:.6f}(train: {train_time:.6f}, val: {val_time:.6f})s")
        log_line = "".join(f"{s:<20}" for s in [f"{cur_epoch}", f"{loss.asnumpy():.6f}",
                                                *[f"{i:.4%}" for i in res], f"{train_time:.2f}", f"{val_time:.2f}"])
        with open(self.log_file, "a", encoding="utf-8") as fp:
            fp.write(log_line + "\n")

    def on_train_end(self, run_context):
        _logger.info("Finish training!")
        if self.dataset_val is not None:
            _logger.info(f"The best validation {self.metric_name[0]} is: {self.best_res:.4%} at epoch {self.best_epoch}.")
        _logger.info("=" * 80)

    def _get_loss(self, cb_params):
        loss = cb_params.net_outputs
        if isinstance(loss, (tuple, list)):
            if isinstance(loss[0], Tensor) and isinstance(loss[0].asnumpy(), np.ndarray):
                loss = loss[0]
        if isinstance(loss, Tensor) and isinstance(loss.asnumpy(), np.ndarray):
            loss = Tensor(np.mean(loss.asnumpy()))
        return loss

    def _flush_from_cache(self, cb_params):
        has_cache_params = False
        params = cb_params.train_network.get_parameters()
        for param in params:
            if param.cache_enable:
                has_cache_params = True
                Tensor(param).flush_from_cache()
        if not has_cache_params:
            self._need_flush_from_cache = False
