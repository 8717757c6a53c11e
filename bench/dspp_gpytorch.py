"""GPyTorch's DSPP of two layers for dspp-gpytorch.R, as its notebook has it: float32, learned sites and weights, mean-field posteriors with a
linear mean in the hidden layer, inducing points that begin at random rows and move, weight 0.05 of the divergence, Adam at 0.01 with a tenth of
that from 75% and a hundredth from 90% of the epochs on, mini-batches of 1,000 rows. One thread.

    python dspp_gpytorch.py FOLDER DIMENSION POINTS WIDTH SITES EPOCHS EVERY [STATE]

FOLDER holds train.bin and places.bin as for svgp_gpytorch.py. Prints scores on the test rows every EVERY epochs, with the CPU seconds until then.
STATE is a file that a run which ends early leaves behind, and from which the next one goes on.
"""

import json
import math
import os
import sys
import time
import warnings

warnings.filterwarnings("ignore")

import gpytorch
import torch
from gpytorch.models.deep_gps.dspp import DSPP, DSPPLayer

from svgp_gpytorch import columns


class Layer(DSPPLayer):
    def __init__(self, inputs, outputs, positions, mean, sites):
        batch = torch.Size([] if outputs is None else [outputs])
        q = gpytorch.variational.MeanFieldVariationalDistribution(positions.shape[-2], batch_shape=batch)
        super().__init__(gpytorch.variational.VariationalStrategy(self, positions, q, learn_inducing_locations=True), inputs, outputs, sites)
        self.mean_module = mean(inputs, batch)
        kernel = gpytorch.kernels.MaternKernel(nu=2.5, batch_shape=batch, ard_num_dims=inputs)
        self.covar_module = gpytorch.kernels.ScaleKernel(kernel, batch_shape=batch)

    def forward(self, x, mean_input=None, **kwargs):
        return gpytorch.distributions.MultivariateNormal(self.mean_module(x), self.covar_module(x))


class Model(DSPP):
    def __init__(self, positions, width, sites):
        super().__init__(sites)
        points, dimension = positions.shape
        spread = positions.unsqueeze(0) + 0.01 * torch.randn(width, points, dimension)
        self.hidden = Layer(dimension, width, spread, lambda d, b: gpytorch.means.LinearMean(d, batch_shape=b), sites)
        self.last = Layer(width, None, torch.randn(points, width), lambda d, b: gpytorch.means.ConstantMean(batch_shape=b), sites)
        self.likelihood = gpytorch.likelihoods.GaussianLikelihood()

    def forward(self, x, **kwargs):
        return self.last(self.hidden(x, **kwargs), **kwargs)


def test_scores(model, places):
    model.eval()
    score, squares = 0.0, 0.0
    with torch.no_grad():
        weights = model.quad_weights.unsqueeze(-1)
        for part in places.split(1000):
            predicted = model.likelihood(model(part[:, :-1].contiguous()))
            error = part[:, -1] - predicted.mean
            density = -0.5 * (math.log(2 * math.pi) + predicted.variance.log() + error ** 2 / predicted.variance)
            score -= float((weights + density).logsumexp(0).sum())
            squares += float((part[:, -1] - (weights.exp() * predicted.mean).sum(0)).pow(2).sum())
    model.train()
    return score / len(places), math.sqrt(squares / len(places))


class Training:
    def __init__(self, model, epochs, file):
        self.model, self.file, self.done, self.seconds, self.rows = model, file, 0, 0.0, []
        self.optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
        self.schedule = torch.optim.lr_scheduler.MultiStepLR(self.optimizer, [int(0.75 * epochs), int(0.9 * epochs)], gamma=0.1)
        if file and os.path.exists(file):
            self.restore(torch.load(file, weights_only=False))

    def parts(self):
        return self.model, self.optimizer, self.schedule

    def restore(self, kept):
        for part, state in zip(self.parts(), kept["parts"]):
            part.load_state_dict(state)
        torch.set_rng_state(kept["random"])
        self.done, self.seconds, self.rows = kept["done"], kept["seconds"], kept["rows"]

    def keep(self):
        kept = {"parts": [part.state_dict() for part in self.parts()], "random": torch.get_rng_state(), "done": self.done,
                "seconds": self.seconds, "rows": self.rows}
        torch.save(kept, self.file + ".part")
        os.replace(self.file + ".part", self.file)

    def epoch(self, objective, inputs, y):
        started = time.process_time()
        for batch in torch.randperm(len(y)).split(1000):
            self.optimizer.zero_grad()
            (-objective(self.model(inputs[batch]), y[batch])).backward()
            self.optimizer.step()
        self.schedule.step()
        self.seconds += time.process_time() - started
        self.done += 1

    def score(self, places):
        nll, rmse = test_scores(self.model, places)
        self.rows.append({"epoch": self.done, "seconds": self.seconds, "nll": nll, "rmse": rmse})


def main():
    folder = sys.argv[1]
    dimension, points, width, sites, epochs, every = map(int, sys.argv[2:8])
    file = sys.argv[8] if len(sys.argv) > 8 else None
    torch.set_num_threads(1)
    torch.manual_seed(1)
    train, places = (columns(folder, name, dimension + 1) for name in ("train.bin", "places.bin"))
    inputs, y = train[:, :-1].contiguous(), train[:, -1].contiguous()
    model = Model(inputs[torch.randperm(len(inputs))[:points]].clone(), width, sites)
    objective = gpytorch.mlls.DeepPredictiveLogLikelihood(model.likelihood, model, num_data=len(y), beta=0.05)
    training = Training(model, epochs, file)
    model.train()
    while training.done < epochs:
        training.epoch(objective, inputs, y)
        if training.done % every == 0:
            training.score(places)
            if file:
                training.keep()
    print("\n" + json.dumps({"torch": torch.__version__, "gpytorch": gpytorch.__version__, "path": training.rows}))


if __name__ == "__main__":
    main()
