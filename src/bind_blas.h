#pragma once

#include <Rcpp.h>

// Chooses what computes dense products until another call: R's BLAS, which core_fast_blas() must know, or else Eigen.
// The file linalg/product_engine.cpp says why the choice is that of the process. It is also made by run_context().
void use_products_of(const Rcpp::List& context);
