#pragma once

#include <Rcpp.h>

#include <string>

#include "variational/family_bound.h"

// Whose matrix is singular, by name; "" where nothing failed.
const char* failure_name(neargp::BoundFailure failure);

neargp::BoundKind bound_kind(const std::string& name);

// precision, natural, unexplained_share
Rcpp::List family_posterior_to_r(const neargp::FamilyPosterior& at);
neargp::FamilyPosterior to_family_posterior(const Rcpp::List& list);
