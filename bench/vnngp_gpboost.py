"""GPBoost's Vecchia-Laplace approximation for vnngp-speed.R: fits one data set on one thread, predicts the linear predictor, prints CPU seconds
and estimates as JSON.

    python vnngp_gpboost.py FOLDER DIMENSION NEIGHBORS bernoulli|poisson MATRIX_INVERSION

FOLDER holds doubles, column by column: field.bin with the coordinates and then the response, places.bin with the coordinates to
predict; moments.bin is written with means and variances. MATRIX_INVERSION is cholesky (exact) or iterative, its choice for large data.
Construction includes its ordering and its search for neighbours.
"""

import json
import os
import sys
import time

import gpboost
import numpy as np


def columns(folder, name, count):
    return np.ascontiguousarray(np.fromfile(os.path.join(folder, name), dtype=float).reshape(count, -1).T)


def main():
    folder, dimension, neighbors, family, inversion = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4], sys.argv[5]
    data = columns(folder, "field.bin", dimension + 1)
    likelihood = {"bernoulli": "bernoulli_logit", "poisson": "poisson"}[family]
    began = time.process_time()
    gp = gpboost.GPModel(gp_coords=np.ascontiguousarray(data[:, :dimension]), cov_function="matern", cov_fct_shape=1.5,
                         likelihood=likelihood, gp_approx="vecchia", num_neighbors=neighbors, matrix_inversion_method=inversion,
                         num_parallel_threads=1)
    constructed = time.process_time()
    gp.fit(y=np.ascontiguousarray(data[:, dimension]), X=np.ones((len(data), 1)))
    fitted = time.process_time()
    places = columns(folder, "places.bin", dimension)
    gp.set_prediction_data(num_neighbors_pred=neighbors)
    moments = gp.predict(gp_coords_pred=places, X_pred=np.ones((len(places), 1)), predict_var=True, predict_response=False)
    predicted = time.process_time()
    np.concatenate([moments["mu"], moments["var"]]).tofile(os.path.join(folder, "moments.bin"))
    variance, range_ = np.ravel(gp.get_cov_pars(format_pandas=False))[:2]
    print("\n" + json.dumps({
        "version": gpboost.__version__, "fit_seconds": fitted - began, "construct_seconds": constructed - began,
        "predict_seconds": predicted - fitted, "variance": float(variance), "range": float(range_) / 3 ** 0.5,
        "loglik": -float(gp.get_current_neg_log_likelihood())}))


if __name__ == "__main__":
    main()
