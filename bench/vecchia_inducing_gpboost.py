"""GPBoost's full-scale Vecchia approximation for vecchia-inducing.R: fits one data set on one thread, predicts, prints CPU seconds and estimates
as JSON.

    python vecchia_inducing_gpboost.py FOLDER DIMENSION INDUCING NEIGHBORS

FOLDER holds doubles, column by column: field.bin with the coordinates and then the response, places.bin with the coordinates to predict;
moments.bin is written with means and variances of the response. Matern covariance of smoothness 5/2 with a range for each coordinate.
GPBoost's own defaults but for the numbers of inducing points and neighbours.
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
    folder, dimension, inducing, neighbors = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
    data = columns(folder, "field.bin", dimension + 1)
    began = time.process_time()
    gp = gpboost.GPModel(gp_coords=np.ascontiguousarray(data[:, :dimension]), cov_function="matern_ard", cov_fct_shape=2.5,
                         likelihood="gaussian", gp_approx="full_scale_vecchia", num_ind_points=inducing, num_neighbors=neighbors,
                         num_parallel_threads=1)
    gp.fit(y=np.ascontiguousarray(data[:, dimension]), X=np.ones((len(data), 1)))
    fitted = time.process_time()
    places = columns(folder, "places.bin", dimension)
    moments = gp.predict(gp_coords_pred=places, X_pred=np.ones((len(places), 1)), predict_var=True, predict_response=True)
    predicted = time.process_time()
    np.concatenate([moments["mu"], moments["var"]]).tofile(os.path.join(folder, "moments.bin"))
    print("\n" + json.dumps({
        "version": gpboost.__version__, "fit_seconds": fitted - began, "predict_seconds": predicted - fitted,
        "parameters": np.ravel(gp.get_cov_pars(format_pandas=False)).tolist(),
        "loglik": -float(gp.get_current_neg_log_likelihood())}))


if __name__ == "__main__":
    main()
