"""GPyTorch's SVGP, PPGPR and ODVGP for svgp-gpytorch.R, as its tutorials have them: float32, constant mean, Matern 5/2 with one range per
coordinate, inducing points that begin at random rows and move, Adam at 0.01 with a tenth of that from 75% and a hundredth from 90% of the epochs on
(as in the papers of LOO-k and DSPP), mini-batches of 1,024 rows. One thread.

    python svgp_gpytorch.py METHOD FOLDER DIMENSION POINTS EPOCHS EVERY

METHOD is svgp, ppgpr or odvgp (whose covariance has 256 inducing points). FOLDER holds train.bin and places.bin: doubles, column by column, the
coordinates and then the response. Prints scores on the test rows every EVERY epochs, with the CPU seconds until then.
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
from gpytorch import variational


def columns(folder, name, count):
    return torch.tensor(np.fromfile(os.path.join(folder, name), dtype=float).reshape(count, -1).T.copy(), dtype=torch.float32)


def strategy(model, method, positions):
    def cholesky(owner, z):
        q = variational.CholeskyVariationalDistribution(len(z))
        return variational.VariationalStrategy(owner, z, q, learn_inducing_locations=True)

    if method != "odvgp":
        return cholesky(model, positions)
    inner = cholesky(model, positions[:256].clone())
    q = variational.DeltaVariationalDistribution(len(positions))
    return variational.OrthogonallyDecoupledVariationalStrategy(inner, positions, q)


class Model(gpytorch.models.ApproximateGP):
    def __init__(self, method, positions):
        super().__init__(strategy(self, method, positions))
        self.mean_module = gpytorch.means.ConstantMean()
        self.covar_module = gpytorch.kernels.ScaleKernel(gpytorch.kernels.MaternKernel(nu=2.5, ard_num_dims=positions.shape[1]))

    def forward(self, x):
        return gpytorch.distributions.MultivariateNormal(self.mean_module(x), self.covar_module(x))


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
    method, folder = sys.argv[1:3]
    dimension, points, epochs, every = map(int, sys.argv[3:])
    torch.set_num_threads(1)
    torch.manual_seed(1)
    train, places = (columns(folder, name, dimension + 1) for name in ("train.bin", "places.bin"))
    inputs, y = train[:, :-1].contiguous(), train[:, -1].contiguous()
    model = Model(method, inputs[torch.randperm(len(inputs))[:points]].clone())
    likelihood = gpytorch.likelihoods.GaussianLikelihood()
    kind = gpytorch.mlls.PredictiveLogLikelihood if method == "ppgpr" else gpytorch.mlls.VariationalELBO
    objective = kind(likelihood, model, num_data=len(y))
    optimizer = torch.optim.Adam([{"params": model.parameters()}, {"params": likelihood.parameters()}], lr=0.01)
    schedule = torch.optim.lr_scheduler.MultiStepLR(optimizer, [int(0.75 * epochs), int(0.9 * epochs)], gamma=0.1)
    model.train(), likelihood.train()
    seconds, rows = 0.0, []
    for epoch in range(1, epochs + 1):
        started = time.process_time()
        for batch in torch.randperm(len(y)).split(1024):
            optimizer.zero_grad()
            loss = -objective(model(inputs[batch]), y[batch])
            loss.backward()
            optimizer.step()
        schedule.step()
        seconds += time.process_time() - started
        if epoch % every == 0:
            nll, rmse = test_scores(model, likelihood, places)
            rows.append({"epoch": epoch, "seconds": seconds, "nll": nll, "rmse": rmse})
    print("\n" + json.dumps({"torch": torch.__version__, "gpytorch": gpytorch.__version__, "path": rows}))


if __name__ == "__main__":
    main()
