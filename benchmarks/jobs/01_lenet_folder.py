"""LeNet on a folder of drawn digits, with augmentation, LossMonitor, checkpoints and Model.eval."""

import os
import sys

import mindspore as ms
import mindspore.dataset as ds
import mindspore.dataset.transforms as transforms
import mindspore.dataset.vision as vision
import numpy as np
from mindspore import nn, train
from mindspore.common.initializer import Normal

ms.set_context(mode=ms.GRAPH_MODE if sys.argv[1] == "graph" else ms.PYNATIVE_MODE)
ms.set_seed(1)
rng = np.random.RandomState(0)
for part, count in (("train", 24), ("test", 12)):
    for n in range(count):
        folder = f"digits/{part}/{n % 3}"
        os.makedirs(folder, exist_ok=True)
        image = rng.randint(0, 60, (40, 40, 3)).astype(np.uint8)
        image[8 * (n % 3) : 8 * (n % 3) + 12, 10:30] = 220
        vision.write_png(f"{folder}/{n}.png", image)


def create_dataset(path, training):
    data = ds.ImageFolderDataset(path, num_parallel_workers=1, shuffle=training, decode=True)
    if training:
        data = data.map(
            [vision.RandomCrop(36, 2), vision.RandomHorizontalFlip()],
            "image",
            num_parallel_workers=1,
        )
    steps = [vision.Resize((32, 32)), vision.Rescale(1 / 255, 0.0), vision.HWC2CHW()]
    data = data.map(steps, "image", num_parallel_workers=1)
    data = data.map(transforms.TypeCast(ms.int32), "label")
    return data.batch(6, drop_remainder=True)


class LeNet5(nn.Cell):
    def __init__(self, classes=3):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 6, 5, pad_mode="valid")
        self.conv2 = nn.Conv2d(6, 16, 5, pad_mode="valid")
        self.relu = nn.ReLU()
        self.pool = nn.MaxPool2d(2, 2)
        self.flatten = nn.Flatten()
        self.fc1 = nn.Dense(400, 120, weight_init=Normal(0.02))
        self.fc2 = nn.Dense(120, 84, weight_init=Normal(0.02))
        self.fc3 = nn.Dense(84, classes, weight_init=Normal(0.02))

    def construct(self, x):
        x = self.pool(self.relu(self.conv1(x)))
        x = self.pool(self.relu(self.conv2(x)))
        x = self.flatten(x)
        return self.fc3(self.relu(self.fc2(self.relu(self.fc1(x)))))


network = LeNet5()
loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
optimizer = nn.Momentum(network.trainable_params(), 0.05, 0.9)
model = train.Model(
    network, loss, optimizer, metrics={"accuracy": nn.Accuracy(), "loss": nn.Loss()}
)
config = train.CheckpointConfig(save_checkpoint_steps=4, keep_checkpoint_max=2)
saver = train.ModelCheckpoint("lenet", "ckpt", config)
model.train(
    3,
    create_dataset("digits/train", True),
    callbacks=[train.LossMonitor(2), saver],
    dataset_sink_mode=False,
)
print(sorted(name for name in os.listdir("ckpt") if name.endswith(".ckpt")))
print({k: round(float(v), 4) for k, v in model.eval(create_dataset("digits/test", False)).items()})
ms.load_param_into_net(network, ms.load_checkpoint("ckpt/lenet-3_4.ckpt"))
for images, labels in create_dataset("digits/test", False).create_tuple_iterator():
    print(model.predict(images).argmax(1).asnumpy().tolist(), labels.asnumpy().tolist())
