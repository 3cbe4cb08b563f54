from .detector import *
