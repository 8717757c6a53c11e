"""GPBoost's part of the benchmarks: reads a field, does one task on one thread, prints CPU seconds and results as JSON.

    python rival_gpboost.py search|value|fit FOLDER DIMENSION NEIGHBORS exponential|matern32

FOLDER holds doubles as written by gpboost() in rivals.R: field.bin with the coordinates and then the response, column by
column, and for `fit` also places.bin with the coordinates of the locations to predict. GPBoost's own defaults but for the number of neighbours. Its
parameters are in the order error variance, variance, range; its exponential correlation is exp(-distance / range), its
Matern one a function of sqrt(3) distance / range, here of distance / range.
"""

import json
import math
import os
import sys
import time

import gpboost
import numpy as np


def columns(folder, name, count):
    return np.fromfile(os.path.join(folder, name), dtype=float).reshape(count, -1).T


def least(repetitions, action):
    times = []
    for i in range(repetitions):
        began = time.process_time()
        result = action(i)
        times.append(time.process_time() - began)
    return min(times), result


RANGE_FACTOR = {"exponential": 1.0, "matern32": math.sqrt(3.0)}


def model(coords, neighbors, covariance):
    family = {"exponential": "exponential", "matern32": "matern"}[covariance]
    return gpboost.GPModel(gp_coords=coords, cov_function=family, cov_fct_shape=1.5, likelihood="gaussian",
                           gp_approx="vecchia", num_neighbors=neighbors, num_parallel_threads=1)


def value(gp, z, factor):
    # Each evaluation at parameters of its own, the last at those of the benchmark: none can be remembered.
    parameters = [np.array([0.1, 1.0, factor * (0.1 + step)]) for step in (0.03, 0.02, 0.01, 0.0)]
    seconds, result = least(4, lambda i: gp.neg_log_likelihood(cov_pars=parameters[i], y=z))
    return {"seconds": seconds, "loglik": -float(result)}


def fit(gp, z, factor, folder, dimension, neighbors):
    began = time.process_time()
    gp.fit(y=z, X=np.ones((len(z), 1)))
    seconds = time.process_time() - began
    places = columns(folder, "places.bin", dimension)
    gp.set_prediction_data(num_neighbors_pred=neighbors)
    predict_seconds, moments = least(5, lambda i: gp.predict(
        gp_coords_pred=places, X_pred=np.ones((len(places), 1)), predict_var=True, predict_response=True))
    np.concatenate([moments["mu"], moments["var"]]).tofile(os.path.join(folder, "moments.bin"))
    error, variance, range_ = np.ravel(gp.get_cov_pars(format_pandas=False))[:3]
    return {"seconds": seconds, "predict_seconds": predict_seconds, "variance": float(variance), "range": float(range_) / factor,
            "nugget": float(error), "loglik": -float(gp.get_current_neg_log_likelihood())}


def main():
    task, folder, dimension, neighbors = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    data = columns(folder, "field.bin", dimension + 1)
    z = np.ascontiguousarray(data[:, dimension])
    factor = RANGE_FACTOR[sys.argv[5]]
    began = time.process_time()
    gp = model(np.ascontiguousarray(data[:, :dimension]), neighbors, sys.argv[5])
    result = {"version": gpboost.__version__, "construct_seconds": time.process_time() - began}
    if task == "value":
        result.update(value(gp, z, factor))
    elif task == "fit":
        result.update(fit(gp, z, factor, folder, dimension, neighbors))
    print("\n" + json.dumps(result))


if __name__ == "__main__":
    main()
