"""GPBoost and GPyTorch for race.R: fits the training rows, predicts the test rows, prints CPU seconds and peak memory as JSON.

    python race_python.py GPBoost|GPyTorch TRACK FOLDER

FOLDER holds doubles, column by column: train.bin and test.bin with the inputs and then the response, and shape.txt with the number of
columns. moments.bin is written with means and standard deviations of new observations, of the linear predictor for counts. One thread.
GPBoost: Vecchia's approximation with 30 neighbours, its default for large data. GPyTorch: SVGP as in its tutorials, in single precision, with
500 inducing points that move, Adam at 0.01, batches of 1,024 rows and 30 epochs.
"""

import json
import os
import resource
import sys
import time
import warnings

import numpy as np

warnings.filterwarnings("ignore")


def rows(folder, name, columns):
    data = np.fromfile(os.path.join(folder, name), dtype=float).reshape(columns, -1).T
    return np.ascontiguousarray(data[:, :-1]), np.ascontiguousarray(data[:, -1])


def trend(inputs, track):
    return np.column_stack([np.ones(len(inputs))] + ([inputs] if track == "satellite" else []))


def gpboost(track, inputs, y, places):
    import gpboost
    family, shape = ("exponential", 0.5) if track in ("field", "satellite") else ("matern", 1.5)
    if track == "inputs":
        family = "matern_ard"
    counts = track == "counts"
    model = gpboost.GPModel(gp_coords=inputs, cov_function=family, cov_fct_shape=shape, gp_approx="vecchia", num_parallel_threads=1,
                            num_neighbors=30, likelihood="poisson" if counts else "gaussian")
    model.fit(y=y, X=trend(inputs, track))
    found = model.predict(gp_coords_pred=places, X_pred=trend(places, track), predict_var=True, predict_response=not counts)
    return found["mu"], np.sqrt(found["var"])


def gpytorch(track, inputs, y, places):
    import gpytorch
    import torch
    torch.set_num_threads(1)
    torch.manual_seed(1)
    center, spread = inputs.mean(0), inputs.std(0)
    level, size = (y.mean(), y.std())
    x = torch.tensor((inputs - center) / spread, dtype=torch.float32)
    z = torch.tensor((y - level) / size, dtype=torch.float32)
    at = torch.tensor((places - center) / spread, dtype=torch.float32)

    class Model(gpytorch.models.ApproximateGP):
        def __init__(self, points):
            q = gpytorch.variational.CholeskyVariationalDistribution(len(points))
            super().__init__(gpytorch.variational.VariationalStrategy(self, points, q, learn_inducing_locations=True))
            self.mean_module = gpytorch.means.ConstantMean()
            self.covar_module = gpytorch.kernels.ScaleKernel(gpytorch.kernels.MaternKernel(nu=1.5, ard_num_dims=points.shape[1]))

        def forward(self, x):
            return gpytorch.distributions.MultivariateNormal(self.mean_module(x), self.covar_module(x))

    model, likelihood = Model(x[torch.randperm(len(x))[:500]].clone()), gpytorch.likelihoods.GaussianLikelihood()
    objective = gpytorch.mlls.VariationalELBO(likelihood, model, num_data=len(z))
    optimizer = torch.optim.Adam([*model.parameters(), *likelihood.parameters()], lr=0.01)
    for _ in range(30):
        for batch in torch.randperm(len(z)).split(1024):
            optimizer.zero_grad()
            loss = -objective(model(x[batch]), z[batch])
            loss.backward()
            optimizer.step()
    model.eval(), likelihood.eval()
    with torch.no_grad():
        parts = [likelihood(model(part)) for part in at.split(1000)]
        mean = torch.cat([part.mean for part in parts]).double().numpy()
        sd = torch.cat([part.variance for part in parts]).double().sqrt().numpy()
    return level + size * mean, size * sd


def main():
    name, track, folder = sys.argv[1:4]
    with open(os.path.join(folder, "shape.txt"), encoding="ascii") as file:
        columns = int(file.read())
    (inputs, y), (places, _) = (rows(folder, file, columns) for file in ("train.bin", "test.bin"))
    __import__(name.lower())
    began = time.process_time()
    mean, sd = {"GPBoost": gpboost, "GPyTorch": gpytorch}[name](track, inputs, y, places)
    seconds = time.process_time() - began
    np.concatenate([mean, sd]).tofile(os.path.join(folder, "moments.bin"))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print("\n" + json.dumps({"seconds": seconds, "peak_mb": peak, "version": __import__(name.lower()).__version__}))


if __name__ == "__main__":
    main()
