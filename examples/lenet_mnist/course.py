"""LeNet as MindSpore's beginner's course trains it: `python course.py data lenet_course`.

MnistDataset, `map` with vision operations, Model.train with callbacks, Model.eval. The network is
the migrated one.
"""

import os
import sys

import mindspore as ms
import mindspore.dataset as ds
from mindspore import nn
from mindspore.dataset import transforms, vision
from mindspore.train import CheckpointConfig, LossMonitor, Model, ModelCheckpoint

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "migrated"))
from net import LeNet5


def create_dataset(folder, part, batch_size=32):
    dataset = ds.MnistDataset(os.path.join(folder, "MNIST", "raw"), usage=part, shuffle=False)
    images = [
        vision.Rescale(1.0 / 255.0, 0.0),
        vision.Normalize(mean=(0.1307,), std=(0.3081,)),
        vision.HWC2CHW(),
    ]
    dataset = dataset.map(images, "image")
    dataset = dataset.map(transforms.TypeCast(ms.int32), "label")
    if part == "train":
        dataset = dataset.shuffle(1000)
    return dataset.batch(batch_size)


def main(folder, saved, epochs=3):
    ms.set_seed(1)
    ms.set_context(mode=ms.GRAPH_MODE)
    net = LeNet5()
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    optimizer = nn.Momentum(net.trainable_params(), learning_rate=0.02, momentum=0.9)
    model = Model(net, loss, optimizer, metrics={"accuracy"})

    train = create_dataset(folder, "train")
    steps = train.get_dataset_size()
    config = CheckpointConfig(save_checkpoint_steps=steps, keep_checkpoint_max=2)
    callbacks = [LossMonitor(steps // 2), ModelCheckpoint("lenet", saved, config)]
    model.train(int(epochs), train, callbacks=callbacks, dataset_sink_mode=False)
    print("from memory:", model.eval(create_dataset(folder, "test"), dataset_sink_mode=False))

    again = LeNet5()
    found = ms.load_checkpoint(os.path.join(saved, f"lenet-{epochs}_{steps}.ckpt"))
    ms.load_param_into_net(again, found)
    model = Model(again, loss, metrics={"accuracy"})
    print("from the file:", model.eval(create_dataset(folder, "test"), dataset_sink_mode=False))


if __name__ == "__main__":
    main(*sys.argv[1:])
