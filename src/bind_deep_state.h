// Deep Gaussian processes between R and the core.
//
// A state in R is a list of layers, sites, rule, log_weights, family, noise, mixing, trend, kernel and jitter. The rule
// "random" adds samples and seed. A network (bind_network.h) with its `decay` comes before the layers, if there is one.
// `sites` is a list with a matrix for each hidden layer. `family` contains name and parameters, and `kernel` contains
// family and shape. `noise` is that of Gaussian outputs. `mixing` is NULL for one output without it. `trend` is NULL,
// or a matrix with columns of the design x outputs. A layer is a list of units, mean_inputs and kernel_inputs, where
// inputs are "h" and "x". A unit is a list of positions, mean, sd or factor, variance, range, weights and constant.
#pragma once

#include <Rcpp.h>

#include "deep/deep_chain.h"
#include "deep/deep_score.h"

neargp::DeepState to_deep_state(const Rcpp::List& list);
// The list with the numbers of the state, or of a gradient that is shaped as it.
Rcpp::List from_deep_state(const neargp::DeepState& state, const Rcpp::List& like);

// `y`: a vector, or a matrix with a column for each output. `list`: where there are any, trials, weights, offset and
// design, with an element or a row for each row of y. An offset is for one output, and the design is a matrix.
neargp::DeepResponse to_deep_response(const Rcpp::NumericVector& y, const Rcpp::List& list);

// The element of a list with this name, or NULL if there is none.
SEXP optional(const Rcpp::List& list, const char* name);

// NULL, or layer, unit and pair.
SEXP failure_to_r(const std::optional<neargp::SingularUnit>& failure);
