"""GPyTorch's VNNGP for vnngp-gpytorch.R, as its tutorial has it: float32, zero mean, Matern 5/2 with one range per coordinate, jitter
1e-3, inducing points at all rows, Adam at 0.01, the same mini-batch of inducing points and rows. One thread; neighbours by faiss.

    python vnngp_gpytorch.py epoch FOLDER DIMENSION K BATCH STEPS    CPU seconds of an epoch: the median step of STEPS, times their number
    python vnngp_gpytorch.py fit FOLDER DIMENSION K BATCH EPOCHS     scores on the test rows every ten epochs, with the CPU seconds until then

FOLDER holds train.bin and places.bin: doubles, column by column, the coordinates and then the response.
"""

import json
import os
import sys
import time
import warnings

warnings.filterwarnings("ignore")

import gpytorch
import numpy as np
import torch
from gpytorch.variational.nearest_neighbor_variational_strategy import NNVariationalStrategy


def columns(folder, name, count):
    return torch.tensor(np.fromfile(os.path.join(folder, name), dtype=float).reshape(count, -1).T.copy(), dtype=torch.float32)


class VNNGP(gpytorch.models.ApproximateGP):
    def __init__(self, inputs, k, batch):
        rows, dimension = inputs.shape
        q = gpytorch.variational.MeanFieldVariationalDistribution(rows)
        super().__init__(NNVariationalStrategy(self, inputs, q, k=k, training_batch_size=batch))
        self.mean_module = gpytorch.means.ZeroMean()
        self.covar_module = gpytorch.kernels.ScaleKernel(gpytorch.kernels.MaternKernel(nu=2.5, ard_num_dims=dimension))

    def forward(self, x):
        return gpytorch.distributions.MultivariateNormal(self.mean_module(x), self.covar_module(x))

    def __call__(self, x, prior=False, **settings):
        return self.variational_strategy(x=x, prior=False, **settings)


def make_step(model, likelihood, y):
    objective = gpytorch.mlls.VariationalELBO(likelihood, model, num_data=len(y))
    optimizer = torch.optim.Adam([{"params": model.parameters()}, {"params": likelihood.parameters()}], lr=0.01)

    def step():
        optimizer.zero_grad()
        output = model(x=None)
        loss = -objective(output, y[model.variational_strategy.current_training_indices])
        loss.backward()
        optimizer.step()

    return step


def test_scores(model, likelihood, places):
    model.eval(), likelihood.eval()
    with torch.no_grad():
        parts = [likelihood(model(part[:, :-1].contiguous())) for part in places.split(1000)]
        mean = torch.cat([part.mean for part in parts])
        variance = torch.cat([part.variance for part in parts])
    model.train(), likelihood.train()
    error = places[:, -1] - mean
    score = 0.5 * torch.log(2 * torch.pi * variance) + 0.5 * error ** 2 / variance
    return float(score.mean()), float(error.pow(2).mean().sqrt())


def main():
    import faiss

    task, folder = sys.argv[1:3]
    dimension, k, batch, amount = map(int, sys.argv[3:])
    torch.set_num_threads(1)
    faiss.omp_set_num_threads(1)
    torch.manual_seed(1)
    train = columns(folder, "train.bin", dimension + 1)
    began = time.process_time()
    model, likelihood = VNNGP(train[:, :-1].contiguous(), k, batch), gpytorch.likelihoods.GaussianLikelihood()
    result = {"torch": torch.__version__, "gpytorch": gpytorch.__version__, "faiss": faiss.__version__,
              "build_seconds": time.process_time() - began}
    step = make_step(model, likelihood, train[:, -1].contiguous())
    model.train(), likelihood.train()
    batches = model.variational_strategy._total_training_batches
    if task == "epoch":
        for _ in range(2):  # the first batch, of the first k points, and warming up
            step()
        times = []
        for _ in range(amount):
            started = time.process_time()
            step()
            times.append(time.process_time() - started)
        result.update(batches=batches, epoch_seconds=float(np.median(times)) * batches, least_epoch_seconds=min(times) * batches)
    else:
        places = columns(folder, "places.bin", dimension + 1)
        seconds, rows = result["build_seconds"], []
        for epoch in range(1, amount + 1):
            started = time.process_time()
            for _ in range(batches):
                step()
            seconds += time.process_time() - started
            if epoch % 10 == 0:
                nll, rmse = test_scores(model, likelihood, places)
                rows.append({"epoch": epoch, "seconds": seconds, "nll": nll, "rmse": rmse})
        result.update(path=rows, noise=float(likelihood.noise), variance=float(model.covar_module.outputscale))
    print("\n" + json.dumps(result))


if __name__ == "__main__":
    main()
