#pragma once

#include <Rcpp.h>

#include <string>

#include "variational/family_bound.h"

// The name of the matrix that is singular, or "" where nothing failed.
const char* failure_name(neargp::BoundFailure failure);

neargp::BoundKind bound_kind(const std::string& name);

// precision, natural, unexplained_share
Rcpp::List family_posterior_to_r(const neargp::FamilyPosterior& at);
neargp::FamilyPosterior to_family_posterior(const Rcpp::List& list);

neargp::BoundSettings bound_settings(const std::string& bound, double jitter);
neargp::FamilyBoundSettings family_bound_settings(const std::string& bound, double kl_weight, double jitter,
                                                  double tolerance, int places, int effects);

// A bound as R has it, and the elements that its gradient adds.
Rcpp::List bound_to_r(const neargp::CollapsedBound& result);
Rcpp::List family_bound_to_r(const neargp::FamilyBound& result, bool derivatives);
Rcpp::List gradient_to_r(const neargp::InducingGradient& gradient);
