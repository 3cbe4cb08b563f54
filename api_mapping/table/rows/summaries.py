"""torch.utils.tensorboard: event files of a training run."""

from ..families import missing
from ..rule import Rule

WRITER = "torch.utils.tensorboard.SummaryWriter"
MADE = "writer = torch.utils.tensorboard.SummaryWriter('summaries')\n"
WAYS = "new_style=new_style, double_precision=double_precision"


def method(signature: str, target: str, *examples: str, note: str = "") -> Rule:
    """The row of a method that writes; its examples are code behind the writer."""
    return Rule(
        f"{WRITER}.{signature}",
        f"self.{target}",
        note=note,
        returns="none",
        example=tuple(f"{MADE}writer.{example}" for example in examples),
        check="alone",
    )


WRITERS = (
    Rule(
        f'{WRITER}(log_dir=None, comment="", purge_step=None, max_queue=10, flush_secs=120, '
        'filename_suffix="")',
        "compat.SummaryWriter(log_dir=log_dir, comment=comment, purge_step=purge_step, "
        "max_queue=max_queue, flush_secs=flush_secs, filename_suffix=filename_suffix)",
        note="Each record is written at once: max_queue and flush_secs change nothing.",
        returns="other",
        example=(
            f"{WRITER}('summaries', comment='_lr', filename_suffix='.run')",
            f"{WRITER}(log_dir='summaries', purge_step=3, max_queue=1, flush_secs=1)",
            f"with {WRITER}('summaries') as writer:\n    writer.add_scalar('loss', 0.5, 1)",
        ),
        check="alone",
    ),
    Rule(
        f"{WRITER}(*args, **kwargs)",
        "compat.SummaryWriter(starred(args, kwargs))",
        returns="other",
        example=f"options = {{'log_dir': 'summaries'}}\n{WRITER}(**options)",
        check="alone",
    ),
    Rule(
        WRITER,
        "compat.SummaryWriter",
        returns="other",
        example=f"kind = {WRITER}\nkind('summaries')",
        check="alone",
    ),
    method(
        "add_scalar(self, tag, scalar_value, global_step=None, walltime=None, new_style=False, "
        "double_precision=False)",
        f"add_scalar(tag, scalar_value, global_step, walltime, {WAYS})",
        "add_scalar('loss', 0.5, 1)",
        "add_scalar('loss', x.mean(), global_step=2, walltime=7.0)",
        "add_scalar('loss', s, 3, new_style=True, double_precision=True)",
    ),
    method(
        "add_scalars(self, main_tag, tag_scalar_dict, global_step=None, walltime=None)",
        "add_scalars(main_tag, tag_scalar_dict, global_step, walltime)",
        "add_scalars('loss', {'train': 0.5, 'test': s}, 1)",
    ),
    method(
        'add_histogram(self, tag, values, global_step=None, bins="tensorflow", walltime=None, '
        "max_bins=None)",
        "add_histogram(tag, values, global_step, bins, walltime, max_bins)",
        "add_histogram('weights', x, 1)",
        "add_histogram('weights', x, 1, bins='auto')",
        "add_histogram('labels', i, 1, bins=20, max_bins=4)",
    ),
    method(
        "add_histogram_raw(self, tag, min, max, num, sum, sum_squares, bucket_limits, "
        "bucket_counts, global_step=None, walltime=None)",
        "add_histogram_raw(tag, min, max, num, sum, sum_squares, bucket_limits, bucket_counts, "
        "global_step, walltime)",
        "add_histogram_raw('raw', 0, 2, 3, 3, 5, [1, 2], [1, 2], 1)",
    ),
    method(
        'add_image(self, tag, img_tensor, global_step=None, walltime=None, dataformats="CHW")',
        "add_image(tag, img_tensor, global_step, walltime, dataformats)",
        "add_image('first', image[0, :1], 1)",
        "add_image('plain', x, 1, dataformats='HW')",
        "add_image('pixels', pixels, 1, dataformats='HWC')",
    ),
    method(
        'add_images(self, tag, img_tensor, global_step=None, walltime=None, dataformats="NCHW")',
        "add_images(tag, img_tensor, global_step, walltime, dataformats)",
        "add_images('batch', image, 1)",
    ),
    method(
        "add_text(self, tag, text_string, global_step=None, walltime=None)",
        "add_text(tag, text_string, global_step, walltime)",
        "add_text('words', 'so it *ends*', 1)",
    ),
    method(
        "add_hparams(self, hparam_dict, metric_dict, hparam_domain_discrete=None, run_name=None, "
        "global_step=None)",
        "add_hparams(hparam_dict, metric_dict, hparam_domain_discrete, run_name, global_step)",
        "add_hparams({'lr': 0.1, 'kind': 'sgd'}, {'loss': 0.5}, run_name='run')",
        "add_hparams({'lr': 0.1}, {'loss': s}, {'lr': [0.1, 0.2]}, 'run', 3)",
    ),
    method(
        "add_graph(self, model, input_to_model=None, verbose=False, use_strict_trace=True)",
        "add_graph(model, input_to_model, verbose, use_strict_trace)",
        "add_graph(nn.Sequential(nn.Linear(4, 2), nn.ReLU()), x)",
        note="It draws the layers by their paths, not the operators between them.",
    ),
    method("flush(self)", "flush()", "flush()"),
    method("close(self)", "close()", "close()"),
    Rule(
        f"{WRITER}.get_logdir(self)",
        "self.get_logdir()",
        returns="str",
        example=f"{MADE}writer.get_logdir()",
        check="alone",
    ),
)

OTHERS = (
    *missing(
        "draw the figure to pixels, and add them: figure.canvas.draw(), then writer.add_image(tag, "
        "np.asarray(figure.canvas.buffer_rgba())[..., :3], step, dataformats='HWC')",
        f"{WRITER}.add_figure(self, tag, figure, global_step=None, close=True, walltime=None)",
    ),
    *missing(
        "draw the boxes into the image (ds.vision.BoundingBox, PIL.ImageDraw), and use add_image",
        f"{WRITER}.add_image_with_boxes(self, tag, img_tensor, box_tensor, global_step=None, "
        'walltime=None, rescale=1, dataformats="CHW", labels=None)',
    ),
    *missing(
        "save it by numpy.save, and its mean and spread by add_scalar and add_histogram",
        f"{WRITER}.add_tensor(self, tag, tensor, global_step=None, walltime=None)",
        f"{WRITER}.add_embedding(self, mat, metadata=None, label_img=None, global_step=None, "
        'tag="default", metadata_header=None)',
        f"{WRITER}.add_mesh(self, tag, vertices, colors=None, faces=None, config_dict=None, "
        "global_step=None, walltime=None)",
    ),
    *missing(
        "write the frames by add_images, and sound as a file of its own (Python's wave)",
        f"{WRITER}.add_video(self, tag, vid_tensor, global_step=None, fps=4, walltime=None)",
        f"{WRITER}.add_audio(self, tag, snd_tensor, global_step=None, sample_rate=44100, "
        "walltime=None)",
    ),
    *missing(
        "compute precision and recall, and write them by add_scalar at each threshold as a step",
        f"{WRITER}.add_pr_curve(self, tag, labels, predictions, global_step=None, "
        "num_thresholds=127, weights=None, walltime=None)",
        f"{WRITER}.add_pr_curve_raw(self, tag, true_positive_counts, false_positive_counts, "
        "true_negative_counts, false_negative_counts, precision, recall, global_step=None, "
        "num_thresholds=127, weights=None, walltime=None)",
    ),
    *missing(
        "leave it out, and choose the tags in TensorBoard, or write them by add_scalars",
        f"{WRITER}.add_custom_scalars(self, layout)",
        f"{WRITER}.add_custom_scalars_multilinechart(self, tags, "
        'category="default", title="untitled")',
        f"{WRITER}.add_custom_scalars_marginchart(self, tags, "
        'category="default", title="untitled")',
    ),
    *missing(
        "leave it out, and open the ONNX file with Netron",
        f"{WRITER}.add_onnx_graph(self, prototxt)",
    ),
)

RULES = (*WRITERS, *OTHERS)
