from .layers import ConvBlock
from .models import Detector as Net
