"""torch.nn: layers that drop values in training."""

from ..families import of_class
from ..rule import Rule


def dropout(name: str, target: str, inputs: str) -> Rule:
    """A row whose examples drop nothing, and are in evaluation mode: the rest is chance."""
    return Rule(
        f"torch.nn.{name}(p=0.5, inplace=False)",
        target,
        example=(
            f"nn.{name}(p=0.0)({inputs})",
            f"layer = nn.{name}(0.9)\nlayer.eval()\nlayer({inputs})",
            f"layer = nn.{name}(0.999999)\nlayer({inputs}).std() < 0.1",
        ),
    )


RULES = (
    dropout("Dropout", "nn.Dropout(p=p)", "x"),
    *of_class("Dropout", "0.0, inplace=True", "x"),
    dropout("Dropout1d", "nn.Dropout1d(p=p)", "signal"),
    dropout("Dropout2d", "nn.Dropout2d(p=p)", "image"),
    dropout("Dropout3d", "nn.Dropout3d(p=p)", "volume"),
    dropout("AlphaDropout", "compat.AlphaDropout(p=p)", "x"),
    dropout("FeatureAlphaDropout", "compat.FeatureAlphaDropout(p=p)", "image"),
)
