#pragma once

#include <Rcpp.h>

#include "bind_convert.h"
#include "bind_covariance.h"
#include "bind_eigen.h"
#include "variational/inducing_prior.h"

// The factored prior at the inducing points of a fit, and the posterior there, as R keeps them.
struct InducingPosteriorParts {
  Eigen::MatrixXd weights, factor;
};

using InducingPriorPointer = Rcpp::XPtr<neargp::InducingPrior>;
using InducingPosteriorPointer = Rcpp::XPtr<InducingPosteriorParts>;
