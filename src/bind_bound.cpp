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

neargp::BoundSettings bound_settings(const std::string& bound, double jitter) {
  neargp::BoundSettings settings;
  settings.kind = bound_kind(bound);
  settings.jitter = jitter;
  return settings;
}

neargp::FamilyBoundSettings family_bound_settings(const std::string& bound, double kl_weight, double jitter,
                                                  double tolerance, int places, int effects) {
  neargp::FamilyBoundSettings settings;
  settings.kind = bound_kind(bound);
  settings.jitter = jitter;
  settings.kl_weight = kl_weight;
  settings.tolerance = tolerance;
  settings.places = places;
  settings.effects = effects;
  return settings;
}

Rcpp::List family_bound_to_r(const neargp::FamilyBound& result, bool derivatives) {
  if (result.failure != neargp::BoundFailure::none)
    return Rcpp::List::create(Rcpp::_["failure"] = failure_name(result.failure), Rcpp::_["value"] = result.value);
  Rcpp::List list = Rcpp::List::create(
      Rcpp::_["failure"] = "", Rcpp::_["value"] = result.value, Rcpp::_["divergence"] = result.divergence,
      Rcpp::_["converged"] = result.converged, Rcpp::_["end"] = family_posterior_to_r(result.end),
      Rcpp::_["beta"] = to_r(result.beta), Rcpp::_["beta_vcov"] = to_r(result.beta_covariance),
      Rcpp::_["effects"] = to_r(result.effects), Rcpp::_["weights"] = to_r(result.weights),
      Rcpp::_["factor"] = to_r(result.factor), Rcpp::_["linear_predictor"] = to_r(result.linear_predictor),
      Rcpp::_["slope"] = to_r(result.slope), Rcpp::_["variance"] = to_r(result.variance),
      Rcpp::_["unexplained"] = to_r(result.unexplained));
  if (!derivatives) return list;
  list["d_covariance"] = result.gradient.parameters;
  list["d_likelihood"] = result.d_likelihood;
  list["d_inducing"] = to_r(result.gradient.positions);
  return list;
}

Rcpp::List bound_to_r(const neargp::CollapsedBound& result) {
  Rcpp::List list =
      Rcpp::List::create(Rcpp::_["failure"] = failure_name(result.failure), Rcpp::_["value"] = result.value,
                         Rcpp::_["beta"] = to_r(result.beta), Rcpp::_["beta_vcov"] = to_r(result.beta_covariance),
                         Rcpp::_["effects"] = to_r(result.effects), Rcpp::_["weights"] = to_r(result.weights),
                         Rcpp::_["factor"] = to_r(result.factor), Rcpp::_["unexplained"] = result.unexplained);
  if (result.gradient.parameters.empty()) return list;
  const Rcpp::List gradient = gradient_to_r(result.gradient);
  list["gradient"] = gradient["gradient"];
  list["d_inducing"] = gradient["d_inducing"];
  return list;
}

Rcpp::List gradient_to_r(const neargp::InducingGradient& gradient) {
  return Rcpp::List::create(
      Rcpp::_["gradient"] = Rcpp::NumericVector(gradient.parameters.begin(), gradient.parameters.end()),
      Rcpp::_["d_inducing"] = to_r(gradient.positions));
}
