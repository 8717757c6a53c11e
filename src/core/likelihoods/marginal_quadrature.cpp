// Integrates exp(g), where g = log p(y | eta) - (eta - mean)^2 / variance / 2, by the trapezoidal rule. The nodes go
// from the peak of g in equal steps to either side until nothing is left. The error falls exponentially in 1 / step, so
// that halving the step squares it. Steps are halved, with new nodes half way between the present ones, until that
// changes the sum by at most 1e-6 of it. The density is NaN where eight halvings do not suffice, where no peak is
// found, or where something is left after `most_nodes` nodes. The first step is 1.4 times the width of the peak, which
// integrates a normal density with an error of 4e-5. It is at most 0.7, as links bend over distances of 1.
//
// Tweedie's series is constant in eta and expensive. The nodes go without it, and add_constants() adds it to the
// logarithm of the integral.
#include <algorithm>
#include <cmath>
#include <limits>

#include "base/constants.h"
#include "likelihoods/kernels.h"
#include "likelihoods/marginal.h"
#include "likelihoods/tweedie.h"

namespace neargp {
namespace detail {

namespace {

constexpr double least_variance = 1e-16;
constexpr double negligible = 1e-14;
constexpr double agreement = 1e-6;
constexpr int most_nodes =
    8192;  // in one direction: enough for a standard deviation of 500, or of 100 after two halvings

// The data of a chunk, walked in step: node j of all data at once, as packs.
class Walk {
 public:
  Walk(const Likelihood& likelihood, const MarginalInput& input, Index first, Index last);
  void run();
  void store(Index first, MarginalDensity& result) const;
  // E d log p / d parameter, each datum counted as often as `count` says.
  void add_parameters(const double* count, double* d_log_parameters);
  void add_tweedie_parameters(const double* count, double* d_log_parameters) const;

 private:
  int size() const { return int(y_.size()); }
  void all_active();
  void evaluate();
  void evaluate_at(const Likelihood& likelihood, const std::vector<int>& data, const std::vector<double>& eta,
                   const ExpectationOutput& out);
  void find_peaks();
  bool move_to_peak(int slot);
  void start_sums();
  void walk(const std::vector<int>& data, double direction, double first);
  std::vector<int> halve_steps(const std::vector<int>& data);
  double add(int slot);

  const Likelihood& likelihood_;
  std::vector<double> y_, trials_, weights_, mean_, variance_;
  std::vector<double> low_, high_, at_, step_, top_, sum_, slope_sum_, variance_sum_;
  std::vector<int> node_datum_;
  std::vector<double> node_eta_, node_weight_;
  std::vector<double> listed_y_, listed_trials_, listed_weights_;
  // the data that are evaluated together, and their terms
  std::vector<int> active_, unsettled_;
  std::vector<double> eta_, value_, slope_, curvature_;
};

Walk::Walk(const Likelihood& likelihood, const MarginalInput& input, Index first, Index last)
    : likelihood_(likelihood) {
  const auto copy = [&](const double* values) {
    return values ? std::vector<double>(values + first, values + last) : std::vector<double>(last - first, 1.0);
  };
  y_ = copy(input.observations.y);
  trials_ = copy(input.observations.trials);
  weights_ = copy(input.observations.weights);
  mean_ = copy(input.mean);
  variance_ = copy(input.variance);
  for (double& variance : variance_) variance = std::max(variance, least_variance);
}

void Walk::all_active() {
  active_.resize(size());
  for (int i = 0; i < size(); ++i) active_[i] = i;
}

// log p and its derivatives at eta_ for the active data.
void Walk::evaluate() {
  value_.resize(active_.size());
  slope_.resize(active_.size());
  curvature_.resize(active_.size());
  evaluate_at(likelihood_, active_, eta_, {value_.data(), slope_.data(), curvature_.data(), nullptr});
}

void Walk::evaluate_at(const Likelihood& likelihood, const std::vector<int>& data, const std::vector<double>& eta,
                       const ExpectationOutput& out) {
  const std::size_t n = data.size();
  for (std::vector<double>* values : {&listed_y_, &listed_trials_, &listed_weights_}) values->resize(n);
  for (std::size_t s = 0; s < n; ++s) {
    listed_y_[s] = y_[data[s]];
    listed_trials_[s] = trials_[data[s]];
    listed_weights_[s] = weights_[data[s]];
  }
  std::vector<double> sums(1 + likelihood.parameters.size());
  likelihood_kernels().expectations(likelihood,
                                    {Index(n), listed_y_.data(), listed_trials_.data(), listed_weights_.data(), true},
                                    eta.data(), nullptr, out, 0, Index(n), sums.data());
}

// Newton's method with steps of 4 at most, since exp(eta) may overflow after a longer one. A step that leaves the
// interval known to contain the peak is replaced by one to the middle of the interval. The peak need not be found
// exactly.
void Walk::find_peaks() {
  const double infinity = std::numeric_limits<double>::infinity();
  at_ = mean_;
  low_.assign(size(), -infinity);
  high_.assign(size(), infinity);
  step_.resize(size());
  all_active();
  for (int round = 0; round < 500 && !active_.empty(); ++round) {
    eta_.resize(active_.size());
    for (std::size_t s = 0; s < active_.size(); ++s) eta_[s] = at_[active_[s]];
    evaluate();
    std::vector<int> left;
    for (std::size_t s = 0; s < active_.size(); ++s)
      if (!move_to_peak(int(s))) left.push_back(active_[s]);
    active_ = left;
  }
  unsettled_ = active_;
}

bool Walk::move_to_peak(int slot) {
  const int i = active_[slot];
  const double slope = slope_[slot] - (at_[i] - mean_[i]) / variance_[i];
  const double precision = std::max(curvature_[slot], 0.0) + 1.0 / variance_[i];
  const double width = 1.0 / std::sqrt(precision);
  step_[i] = std::min(1.4 * width, 0.7);
  if (std::abs(slope) < 0.1 * precision * width) return true;
  (slope > 0.0 ? low_ : high_)[i] = at_[i];
  const double next = at_[i] + std::clamp(slope / precision, -4.0, 4.0);
  at_[i] = next > low_[i] && next < high_[i] ? next : 0.5 * (low_[i] + high_[i]);
  return false;
}

void Walk::start_sums() {
  all_active();
  eta_ = at_;
  evaluate();
  top_.resize(size());
  for (int i = 0; i < size(); ++i) {
    const double away = at_[i] - mean_[i];
    top_[i] = value_[i] - 0.5 * away * away / variance_[i];
  }
  for (std::vector<double>* sum : {&sum_, &slope_sum_, &variance_sum_}) sum->assign(size(), 0.0);
  for (int i = 0; i < size(); ++i) add(i);
}

// Returns the weight. Where it is 0, eta is so far away that terms may be infinite, and nothing is added.
double Walk::add(int slot) {
  const int i = active_[slot];
  const double away = eta_[slot] - mean_[i];
  const double weight = std::exp(value_[slot] - 0.5 * away * away / variance_[i] - top_[i]);
  if (!(weight > 0.0)) return 0.0;
  sum_[i] += weight;
  slope_sum_[i] += weight * slope_[slot];
  variance_sum_[i] += 0.5 * weight * (slope_[slot] * slope_[slot] - curvature_[slot]);
  node_datum_.push_back(i);
  node_eta_.push_back(eta_[slot]);
  node_weight_.push_back(weight);
  return weight;
}

// Nodes at first, first + 1, ... steps from the peak. Data with terms that are not negligible after `most_nodes` stay
// unsettled.
void Walk::walk(const std::vector<int>& data, double direction, double first) {
  active_ = data;
  for (int j = 0; j < most_nodes && !active_.empty(); ++j) {
    eta_.resize(active_.size());
    for (std::size_t s = 0; s < active_.size(); ++s)
      eta_[s] = at_[active_[s]] + direction * (first + j) * step_[active_[s]];
    evaluate();
    std::vector<int> left;
    for (std::size_t s = 0; s < active_.size(); ++s)
      if (add(int(s)) > negligible * sum_[active_[s]]) left.push_back(active_[s]);
    active_ = left;
  }
  unsettled_.insert(unsettled_.end(), active_.begin(), active_.end());
}

// Returns the data whose sums changed.
std::vector<int> Walk::halve_steps(const std::vector<int>& data) {
  std::vector<double> before;
  before.reserve(data.size());
  for (const int i : data) before.push_back(sum_[i]);
  walk(data, 1.0, 0.5);
  walk(data, -1.0, 0.5);
  std::vector<int> changed;
  for (std::size_t s = 0; s < data.size(); ++s) {
    const int i = data[s];
    step_[i] *= 0.5;
    const bool is_unsettled = std::find(unsettled_.begin(), unsettled_.end(), i) != unsettled_.end();
    if (!is_unsettled && std::abs(sum_[i] - 2.0 * before[s]) > agreement * sum_[i]) changed.push_back(i);
  }
  return changed;
}

void Walk::run() {
  find_peaks();
  start_sums();
  const std::vector<int> all = active_;
  walk(all, 1.0, 1.0);
  walk(all, -1.0, 1.0);
  std::vector<int> inexact = all;
  for (int halving = 0; halving < 8 && !inexact.empty(); ++halving) inexact = halve_steps(inexact);
  unsettled_.insert(unsettled_.end(), inexact.begin(), inexact.end());
  for (const int i : unsettled_) top_[i] = std::numeric_limits<double>::quiet_NaN();
}

void Walk::store(Index first, MarginalDensity& result) const {
  for (int i = 0; i < size(); ++i) {
    result.value[first + i] = top_[i] + std::log(sum_[i] * step_[i]) - 0.5 * std::log(variance_[i]) - 0.5 * log_two_pi;
    result.d_mean[first + i] = slope_sum_[i] / sum_[i];
    result.d_variance[first + i] = variance_sum_[i] / sum_[i];
  }
}

// Steps in the logarithm of a parameter with which a central difference is exact to 1e-7. Powers and probabilities are
// limited on either side, and near the limits log p bends over less than a tenth.
double parameter_step(ResponseFamily family) {
  switch (family) {
    case ResponseFamily::zi_poisson:
    case ResponseFamily::zi_nbinom2: return 1e-5;
    default: return 1e-4;
  }
}

// The derivative of log p at a node is a central difference.
void Walk::add_parameters(const double* count, double* d_log_parameters) {
  if (likelihood_.family == ResponseFamily::tweedie) return add_tweedie_parameters(count, d_log_parameters);
  const double h = parameter_step(likelihood_.family);
  std::vector<double> up(node_eta_.size()), down(node_eta_.size());
  for (std::size_t p = 0; p < likelihood_.parameters.size(); ++p) {
    Likelihood moved = likelihood_;
    moved.parameters[p] = likelihood_.parameters[p] * std::exp(h);
    evaluate_at(moved, node_datum_, node_eta_, {up.data(), nullptr, nullptr, nullptr});
    moved.parameters[p] = likelihood_.parameters[p] * std::exp(-h);
    evaluate_at(moved, node_datum_, node_eta_, {down.data(), nullptr, nullptr, nullptr});
    for (std::size_t q = 0; q < node_eta_.size(); ++q) {
      const int i = node_datum_[q];
      d_log_parameters[p] += (count ? count[i] : 1.0) * node_weight_[q] / sum_[i] * (up[q] - down[q]) / (2.0 * h);
    }
  }
}

// Near the powers 1 and 2, log p without the series is the difference of large numbers. Its derivatives are therefore
// exact ones.
void Walk::add_tweedie_parameters(const double* count, double* d_log_parameters) const {
  TweedieResponse<double> family(likelihood_.parameters.data());
  for (std::size_t q = 0; q < node_eta_.size(); ++q) {
    const int i = node_datum_[q];
    family.load_without_constant({y_[i], 1.0, weights_[i]});
    const LikelihoodTerms<double> terms = family.point(node_eta_[q]);
    const double share = (count ? count[i] : 1.0) * node_weight_[q] / sum_[i];
    for (int p = 0; p < 2; ++p) d_log_parameters[p] += share * terms.d_parameter[p];
  }
}

// Adds the constant part of log p and its derivatives.
void add_constants(const Likelihood& likelihood, const MarginalInput& input, Index first, Index last,
                   MarginalDensity& result, double* d_log_parameters) {
  if (likelihood.family != ResponseFamily::tweedie) return;
  const double dispersion = likelihood.parameters[0], power = likelihood.parameters[1];
  const double* weights = input.observations.weights;
  for (Index i = first; i < last; ++i) {
    const double phi = dispersion / (weights ? weights[i] : 1.0), count = input.count ? input.count[i] : 1.0;
    const TweedieSeries<double> series(input.observations.y[i], phi, power);
    result.value[i] += series.value;
    if (!d_log_parameters) continue;
    d_log_parameters[0] += count * series.d_log_phi;
    d_log_parameters[1] += count * power * series.d_power;
  }
}

}  // namespace

void marginal_by_quadrature(const Likelihood& likelihood, const MarginalInput& input, Index first, Index last,
                            MarginalDensity& result, double* d_log_parameters) {
  Walk walk(likelihood, input, first, last);
  walk.run();
  walk.store(first, result);
  if (d_log_parameters) walk.add_parameters(input.count ? input.count + first : nullptr, d_log_parameters);
  add_constants(likelihood, input, first, last, result, d_log_parameters);
}

}  // namespace detail
}  // namespace neargp
