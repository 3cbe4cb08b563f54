from .adamw import AdamW
from .adan import Adan
from .lamb import Lamb
from .lion import Lion
from .optim_factory import create_optimizer, init_group_params
