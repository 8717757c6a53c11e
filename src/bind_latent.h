// Turns R's lists into latent models and their responses. Nodes and data are numbered as the caller's rows.
#pragma once

#include <Rcpp.h>

#include <string>
#include <vector>

#include "bind_convert.h"
#include "latent/latent_model.h"
#include "likelihoods/latent_response.h"

// nodes: coords, order, neighbors, jitter, and where wanted pattern_neighbors and, of a low-rank part, inducing. data:
// node (the node of each datum), or coords and neighbors. The coordinates live as long as the object.
class LatentInput {
 public:
  LatentInput(const Rcpp::List& nodes, const Rcpp::List& data);
  const neargp::LatentData& data() const { return latent_; }

 private:
  PointStore nodes_, data_, inducing_;
  neargp::LatentData latent_;
};

// y, trials (or NULL), weights, offset, design.
neargp::LatentResponse to_response(const Rcpp::List& list);

// parameters: a vector, or a matrix with a column for each datum.
neargp::Likelihood to_likelihood(const std::string& family, const Rcpp::NumericVector& parameters);

Rcpp::NumericMatrix by_column(const std::vector<double>& entries, neargp::Index rows, int columns);
