"""Seconds of an epoch of GPyTorch's VNNGP on a GPU, for cuda-speed.R: the model of vnngp_gpytorch.py, moved to the GPU.

    python cuda_gpytorch.py FOLDER DIMENSION K BATCH STEPS

prints the median step of STEPS times the number of steps of an epoch. FOLDER is that of vnngp_gpytorch.py. Without faiss GPyTorch's
neighbours take minutes, by scikit-learn; they are found by all pairs then, which is no part of a step.
"""

import importlib.util
import sys
import time

import gpytorch
import numpy as np
import torch

from gpytorch.utils.nearest_neighbors import NNUtil
from vnngp_gpytorch import VNNGP, columns, make_step


def neighbors_by_all_pairs(self, x):
    rows = torch.arange(len(x), device=x.device)
    found = []
    for part in rows[self.k:].split(2000):
        distance = torch.cdist(x[part], x)
        distance[rows[None, :] >= part[:, None]] = torch.inf
        found.append(distance.topk(self.k, largest=False).indices)
    return torch.cat(found)


if importlib.util.find_spec("faiss") is None:
    NNUtil.build_sequential_nn_idx = neighbors_by_all_pairs


def timed(step):
    torch.cuda.synchronize()
    started = time.perf_counter()
    step()
    torch.cuda.synchronize()
    return time.perf_counter() - started


def main():
    folder = sys.argv[1]
    dimension, k, batch, steps = map(int, sys.argv[2:])
    torch.manual_seed(1)
    train = columns(folder, "train.bin", dimension + 1).cuda()
    model = VNNGP(train[:, :-1].contiguous(), k, batch).cuda()
    likelihood = gpytorch.likelihoods.GaussianLikelihood().cuda()
    step = make_step(model, likelihood, train[:, -1].contiguous())
    model.train(), likelihood.train()
    for _ in range(3):  # the first batch, of the first k points, and warming up
        step()
    times = [timed(step) for _ in range(steps)]
    print(float(np.median(times)) * model.variational_strategy._total_training_batches)


if __name__ == "__main__":
    main()
