from package import ConvBlock, Net
import package.layers as tools

net = Net()
net.eval()  #: M.eval
score = net.parameters_count()
score.bit_length()
block = ConvBlock(3, 4)
for name, parameter in block.named_parameters():  #: M.named_parameters
    parameter.detach()  #: T.detach
y = tools.join(block.conv.weight, block.conv.weight)
y.abs()  #: T.abs
tools.nn.Linear(3, 4)  #: nn.Linear
