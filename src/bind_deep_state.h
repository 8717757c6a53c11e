// Deep Gaussian processes between R and the core.
//
// A state in R is a list of layers, sites (a list, a matrix for each hidden layer), rule, log_weights, family (name and
// parameters), noise (of gaussian outputs), mixing (NULL for one output without it), trend (NULL, or a matrix: columns
// of the design x outputs), kernel (family and shape), jitter, and of the rule "random" samples and seed. A layer is a
// list of units, mean_inputs and kernel_inputs (of "h" and "x"); a unit one of positions, mean, sd or factor, variance,
// range, weights and constant.
#pragma once

#include <Rcpp.h>

#include "deep/deep_chain.h"
#include "deep/deep_score.h"

neargp::DeepState to_deep_state(const Rcpp::List& list);
// The list with the numbers of the state, or of a gradient that is shaped as it.
Rcpp::List from_deep_state(const neargp::DeepState& state, const Rcpp::List& like);

// y: a vector, or a matrix with a column for each output. list: where there are any trials, weights, offset (of one
// output) and design (a matrix), with an element or a row for each row of y.
neargp::DeepResponse to_deep_response(const Rcpp::NumericVector& y, const Rcpp::List& list);

// The element of a list, NULL where it has none of the name.
SEXP optional(const Rcpp::List& list, const char* name);

// NULL, or layer, unit and pair.
SEXP failure_to_r(const std::optional<neargp::SingularUnit>& failure);
