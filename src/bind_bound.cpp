#include "bind_bound.h"

#include "base/error.h"
#include "bind_eigen.h"

const char* failure_name(neargp::BoundFailure failure) {
  switch (failure) {
    case neargp::BoundFailure::none: return "";
    case neargp::BoundFailure::prior: return "prior";
    case neargp::BoundFailure::posterior: return "posterior";
    case neargp::BoundFailure::trend: return "trend";
  }
  return "";
}

neargp::BoundKind bound_kind(const std::string& name) {
  if (name == "tight") return neargp::BoundKind::tight;
  if (name == "standard") return neargp::BoundKind::standard;
  throw neargp::Error("There is no such bound: " + name + ".");
}

Rcpp::List family_posterior_to_r(const neargp::FamilyPosterior& at) {
  return Rcpp::List::create(Rcpp::_["precision"] = to_r(at.precision), Rcpp::_["natural"] = to_r(at.natural),
                            Rcpp::_["unexplained_share"] = at.unexplained_share);
}

neargp::FamilyPosterior to_family_posterior(const Rcpp::List& list) {
  const Rcpp::NumericVector precision = list["precision"], natural = list["natural"];
  return {Eigen::Map<const Eigen::VectorXd>(precision.begin(), precision.size()),
          Eigen::Map<const Eigen::VectorXd>(natural.begin(), natural.size()),
          Rcpp::as<double>(list["unexplained_share"])};
}
