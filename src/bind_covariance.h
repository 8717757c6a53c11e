#pragma once

#include <Rcpp.h>

#include "covariance/covariance.h"
#include "covariance/parameters.h"

// R's list(components = list(...), active = logical) and the nugget; see as_core_covariance() in R.
neargp::Covariance to_covariance(const Rcpp::List& covariance, double nugget);
neargp::Component to_component(const Rcpp::List& component);

// transform, lower, upper, free
neargp::WorkingParameters to_working_parameters(const Rcpp::List& list);
