#pragma once

#include <Rcpp.h>

#include <optional>

#include "networks/perceptron.h"

// widths, activation ("relu", "tanh"), weights; none of NULL.
std::optional<neargp::Perceptron> to_network(SEXP network);
