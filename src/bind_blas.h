#pragma once

#include <Rcpp.h>

// Has dense products computed by R's BLAS, which core_fast_blas() must know, or else by Eigen, until another call says
// otherwise: linalg/product_engine.cpp says why that is the process's. run_context() also does it.
void use_products_of(const Rcpp::List& context);
