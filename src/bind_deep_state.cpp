#include "bind_deep_state.h"

#include "base/error.h"
#include "bind_convert.h"
#include "bind_eigen.h"
#include "bind_network.h"

namespace {

using Eigen::VectorXd;

neargp::SiteRule site_rule(const std::string& name) {
  if (name == "free") return neargp::SiteRule::free;
  if (name == "grid") return neargp::SiteRule::grid;
  if (name == "symmetric") return neargp::SiteRule::symmetric;
  if (name == "hermite") return neargp::SiteRule::hermite;
  if (name == "random") return neargp::SiteRule::random;
  throw neargp::Error("There is no rule for sites called '" + name + "'.");
}

neargp::LayerInputs to_inputs(SEXP names) {
  neargp::LayerInputs inputs;
  for (const std::string& name : Rcpp::as<std::vector<std::string>>(names)) {
    if (name == "h")
      inputs.hidden = true;
    else if (name == "x")
      inputs.rows = true;
    else
      throw neargp::Error("The inputs of a layer are \"h\" and \"x\".");
  }
  return inputs;
}

neargp::UnitState to_unit(const Rcpp::List& list) {
  neargp::UnitState unit;
  unit.positions = to_eigen(Rcpp::as<Rcpp::NumericMatrix>(list["positions"]));
  unit.mean = to_eigen_vector(list["mean"]);
  if (list.containsElementNamed("factor"))
    unit.factor = to_eigen(Rcpp::as<Rcpp::NumericMatrix>(list["factor"]));
  else
    unit.sd = to_eigen_vector(list["sd"]);
  unit.variance = Rcpp::as<double>(list["variance"]);
  unit.range = to_eigen_vector(list["range"]);
  unit.weights = to_eigen_vector(list["weights"]);
  unit.constant = Rcpp::as<double>(list["constant"]);
  return unit;
}

Rcpp::List from_unit(const neargp::UnitState& unit, const Rcpp::List& like) {
  Rcpp::List list = Rcpp::clone(like);
  list["positions"] = to_r(unit.positions);
  list["mean"] = to_r(unit.mean);
  if (unit.full())
    list["factor"] = to_r(unit.factor);
  else
    list["sd"] = to_r(unit.sd);
  list["variance"] = unit.variance;
  list["range"] = to_r(unit.range);
  list["weights"] = to_r(unit.weights);
  list["constant"] = unit.constant;
  return list;
}

std::vector<double> numbers_or_none(SEXP values) {
  return Rf_isNull(values) ? std::vector<double>{} : Rcpp::as<std::vector<double>>(values);
}

}  // namespace

SEXP optional(const Rcpp::List& list, const char* name) {
  return list.containsElementNamed(name) ? SEXP(list[name]) : R_NilValue;
}

neargp::DeepState to_deep_state(const Rcpp::List& list) {
  neargp::DeepState state;
  const Rcpp::List layers = list["layers"], sites = list["sites"], kernel = list["kernel"], family = list["family"];
  for (R_xlen_t l = 0; l < layers.size(); ++l) {
    const Rcpp::List layer = layers[l], units = layer["units"];
    state.layers.push_back({{}, to_inputs(layer["mean_inputs"]), to_inputs(layer["kernel_inputs"])});
    for (R_xlen_t u = 0; u < units.size(); ++u) state.layers.back().units.push_back(to_unit(units[u]));
  }
  if (state.layers.empty()) throw neargp::Error("There must be a layer.");
  state.rule = site_rule(list["rule"]);
  for (R_xlen_t l = 0; l < sites.size(); ++l) state.sites.push_back(to_eigen(Rcpp::as<Rcpp::NumericMatrix>(sites[l])));
  if (state.rule == neargp::SiteRule::random) {
    state.samples = Rcpp::as<int>(list["samples"]);
    state.seed = std::uint64_t(Rcpp::as<double>(list["seed"]));
  }
  state.log_weights = to_eigen_vector(list["log_weights"]);
  state.likelihood.family = neargp::response_family_from_name(family["name"]);
  const VectorXd noise = to_eigen_vector(list["noise"]);
  if (!Rf_isNull(list["mixing"])) {
    state.mixing = to_eigen(Rcpp::as<Rcpp::NumericMatrix>(list["mixing"]));
    state.output_noise = noise;
    if (state.mixing.cols() != noise.size())
      throw neargp::Error("Each output must have a column of the mixing and a noise.");
  } else {
    state.likelihood.parameters = state.likelihood.family == neargp::ResponseFamily::gaussian
                                      ? std::vector<double>(noise.data(), noise.data() + noise.size())
                                      : Rcpp::as<std::vector<double>>(family["parameters"]);
    neargp::check_parameters(state.likelihood);
  }
  const SEXP trend = optional(list, "trend");
  if (!Rf_isNull(trend)) state.trend = to_eigen(Rcpp::as<Rcpp::NumericMatrix>(trend));
  state.kernel = neargp::family_from_name(kernel["family"]);
  const std::vector<double> shape = Rcpp::as<std::vector<double>>(kernel["shape"]);
  if (!shape.empty()) state.shape = shape[0];
  state.jitter = Rcpp::as<double>(list["jitter"]);
  const SEXP network = optional(list, "network");
  state.network = to_network(network);
  if (state.network) state.weight_decay = Rcpp::as<double>(Rcpp::List(network)["decay"]);
  return state;
}

Rcpp::List from_deep_state(const neargp::DeepState& state, const Rcpp::List& like) {
  Rcpp::List list = Rcpp::clone(like), layers = list["layers"], sites = list["sites"], family = list["family"];
  for (R_xlen_t l = 0; l < layers.size(); ++l) {
    Rcpp::List layer = layers[l], units = layer["units"];
    const auto& of_layer = state.layers[std::size_t(l)].units;
    for (R_xlen_t u = 0; u < units.size(); ++u) units[u] = from_unit(of_layer[std::size_t(u)], units[u]);
  }
  for (R_xlen_t l = 0; l < sites.size(); ++l) sites[l] = to_r(state.sites[std::size_t(l)]);
  if (state.network) {
    Rcpp::List network = list["network"];
    network["weights"] = state.network->weights;
  }
  list["log_weights"] = to_r(state.log_weights);
  if (state.trend.size() > 0) list["trend"] = to_r(state.trend);
  if (state.mixed()) {
    list["mixing"] = to_r(state.mixing);
    list["noise"] = to_r(state.output_noise);
  } else if (state.likelihood.family == neargp::ResponseFamily::gaussian) {
    list["noise"] = state.likelihood.parameters;
  } else {
    family["parameters"] = state.likelihood.parameters;
  }
  return list;
}

neargp::DeepResponse to_deep_response(const Rcpp::NumericVector& y, const Rcpp::List& list) {
  neargp::DeepResponse response;
  response.trials = numbers_or_none(optional(list, "trials"));
  response.weights = numbers_or_none(optional(list, "weights"));
  response.offset = numbers_or_none(optional(list, "offset"));
  if (Rf_isMatrix(y)) {
    const Rcpp::NumericMatrix columns(y);
    response.y = row_major(columns);
    response.outputs = columns.ncol();
  } else {
    response.y.assign(y.begin(), y.end());
  }
  const SEXP design = optional(list, "design");
  if (!Rf_isNull(design)) {
    const Rcpp::NumericMatrix columns(design);
    response.design = row_major(columns);
    response.columns = columns.ncol();
  }
  const auto check = [&](const std::vector<double>& values, int width) {
    if (!values.empty() && neargp::Index(values.size()) != response.rows() * width)
      throw neargp::Error("Each row must have its trials, weight, offset and row of the design, or none of them.");
  };
  for (const auto* values : {&response.trials, &response.weights, &response.offset}) check(*values, 1);
  check(response.design, response.columns);
  if (!response.offset.empty() && response.outputs > 1) throw neargp::Error("Several outputs have no offset.");
  return response;
}

SEXP failure_to_r(const std::optional<neargp::SingularUnit>& failure) {
  if (!failure) return R_NilValue;
  return Rcpp::List::create(
      Rcpp::_["layer"] = int(failure->layer) + 1, Rcpp::_["unit"] = int(failure->unit) + 1,
      Rcpp::_["pair"] = Rcpp::IntegerVector::create(int(failure->first) + 1, int(failure->second) + 1));
}
