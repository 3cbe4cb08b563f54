"""Train, evaluate after each epoch, keep the best checkpoint."""
import os
import tempfile

import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Subset, TensorDataset


def build_model(num_classes):
    return nn.Sequential(
        nn.Conv2d(1, 8, 3, stride=2, padding=1),
        nn.BatchNorm2d(8),
        nn.ReLU(),
        nn.Conv2d(8, 16, 3, stride=2, padding=1),
        nn.BatchNorm2d(16),
        nn.ReLU(),
        nn.Flatten(),
        nn.Dropout(p=0.0),
        nn.Linear(16 * 3 * 3, num_classes),
    )


def train(dataloader, model, loss_fn, optimizer, history):
    size = len(dataloader.dataset)
    model.train()
    for batch, (X, y) in enumerate(dataloader):
        # Compute prediction and loss
        pred = model(X)
        loss = loss_fn(pred, y)

        # Backpropagation
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()

        history.append(loss.item())
        if batch % 3 == 0:
            loss, current = loss.item(), batch * len(X) + len(X)
            print(f"loss: {loss:>7f}  [{current:>5d}/{size:>5d}]")


def test(dataloader, model, loss_fn):
    # Set the model to evaluation mode - important for batch normalization and dropout layers
    model.eval()
    size = len(dataloader.dataset)
    num_batches = len(dataloader)
    test_loss, correct = 0, 0

    with torch.no_grad():
        for X, y in dataloader:
            pred = model(X)
            test_loss += loss_fn(pred, y).item()
            correct += (pred.argmax(1) == y).type(torch.float).sum().item()

    test_loss /= num_batches
    correct /= size
    print(f"Test Error: \n Accuracy: {(100 * correct):>0.1f}%, Avg loss: {test_loss:>8f} \n")
    return test_loss, correct


def main(epochs=4):
    rng = np.random.RandomState(1)
    targets = rng.randint(0, 3, 60)
    images = rng.rand(60, 1, 12, 12).astype(np.float32) + targets[:, None, None, None] * 0.3
    everything = TensorDataset(torch.tensor(images, dtype=torch.float32), torch.tensor(targets))
    train_data = Subset(everything, range(40))
    test_data = Subset(everything, range(40, 60))
    train_loader = DataLoader(train_data, batch_size=8, shuffle=False, num_workers=0)
    test_loader = DataLoader(test_data, batch_size=10)

    model = build_model(num_classes=3)
    loss_fn = nn.CrossEntropyLoss()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.02)

    history, best_loss, start_epoch = [], float("inf"), 0
    path = os.path.join(tempfile.mkdtemp(), "best.pt")
    for epoch in range(start_epoch, epochs):
        train(train_loader, model, loss_fn, optimizer, history)
        test_loss, accuracy = test(test_loader, model, loss_fn)
        history.append(test_loss)
        if test_loss < best_loss:
            best_loss = test_loss
            torch.save(model.state_dict(), path)

    # the best weights again
    model.load_state_dict(torch.load(path, map_location="cpu"))
    test_loss, accuracy = test(test_loader, model, loss_fn)
    history += [test_loss, accuracy]
    return history


if __name__ == "__main__":
    history = main()
