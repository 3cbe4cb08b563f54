# -*- coding: utf-8 -*-
import torch
from torch import nn
import torch.nn.functional as F


class BiLSTM_Attention(nn.Module):
    """双向LSTM + Attention 文本分类"""

    def __init__(self, vocab_size, embedding_dim, hidden_dim, n_layers, n_class, dropout=0.5):
        super(BiLSTM_Attention, self).__init__()

        self.hidden_dim = hidden_dim
        self.n_layers = n_layers
        self.embedding = nn.Embedding(vocab_size, embedding_dim, padding_idx=0)
        self.rnn = nn.LSTM(embedding_dim, hidden_dim, num_layers=n_layers,
                           bidirectional=True, batch_first=True, dropout=dropout)
        self.fc = nn.Linear(hidden_dim * 2, n_class)
        self.dropout = nn.Dropout(dropout)

        # 初始时间步和最终时间步的隐藏状态作为全连接层输入
        self.w_omega = nn.Parameter(torch.Tensor(hidden_dim * 2, hidden_dim * 2))
        self.u_omega = nn.Parameter(torch.Tensor(hidden_dim * 2, 1))

        nn.init.uniform_(self.w_omega, -0.1, 0.1)
        nn.init.uniform_(self.u_omega, -0.1, 0.1)

    def attention_net(self, x):       # x:[batch, seq_len, hidden_dim*2]
        u = torch.tanh(torch.matmul(x, self.w_omega))         # [batch, seq_len, hidden_dim*2]
        att = torch.matmul(u, self.u_omega)                   # [batch, seq_len, 1]
        att_score = F.softmax(att, dim=1)
        scored_x = x * att_score                              # [batch, seq_len, hidden_dim*2]
        context = torch.sum(scored_x, dim=1)                  # [batch, hidden_dim*2]
        return context

    def forward(self, x):
        embedding = self.dropout(self.embedding(x))       # [batch, seq_len, embedding_dim]

        # output: [batch, seq_len, hidden_dim*2]     hidden/cell: [n_layers*2, batch, hidden_dim]
        output, (final_hidden_state, final_cell_state) = self.rnn(embedding)

        attn_output = self.attention_net(output)
        hn = torch.cat((final_hidden_state[-2], final_hidden_state[-1]), dim=1)
        logit = self.fc(attn_output + hn)
        return logit


def build():
    return BiLSTM_Attention(30, 8, 6, 2, 3, dropout=0)


def inputs():
    torch.manual_seed(0)
    return (torch.LongTensor(2, 9).random_(1, 30),)
