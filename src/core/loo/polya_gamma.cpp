#include "loo/polya_gamma.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/constants.h"
#include "base/error.h"
#include "conditional/conditional_moments.h"

namespace neargp {

namespace {

// Nodes and weights for the density exp(-x^2) / sqrt(pi); Abramowitz and Stegun 1964, table 25.10, n = 16. Symmetric.
constexpr std::array<double, 8> hermite_node = {0.27348104613815245, 0.82295144914465589, 1.3802585391988808,
                                                1.9517879909162540,  2.5462021578474814,  3.1769991619799560,
                                                3.8694479048601227,  4.6887389393058184};
constexpr std::array<double, 8> hermite_weight = {5.0792947901661374e-1, 2.8064745852853368e-1, 8.3810041398985829e-2,
                                                  1.2880311535509974e-2, 9.3228400862418053e-4, 2.7118600925378815e-5,
                                                  2.3209808448652107e-7, 2.6548074740111822e-10};

double logistic(double x) { return x >= 0.0 ? 1.0 / (1.0 + std::exp(-x)) : std::exp(x) / (1.0 + std::exp(x)); }

std::vector<double> pseudo_values(const PolyaGammaData& data, int output) {
  std::vector<double> values(data.coords.n);
  for (Index i = 0, at = output; i < data.coords.n; ++i, at += data.outputs)
    values[i] = 0.5 * data.sign[at] / data.omega[at];
  return values;
}

std::vector<double> noise_variances(const PolyaGammaData& data, int output) {
  std::vector<double> noise(data.coords.n);
  for (Index i = 0, at = output; i < data.coords.n; ++i, at += data.outputs) {
    if (!(data.omega[at] > 0.0)) throw Error("Polya-Gamma variables must be positive.");
    noise[i] = 1.0 / data.omega[at];
  }
  return noise;
}

// The moments of one process at all targets.
class Moments {
 public:
  Moments(const PolyaGammaData& data, const PolyaGammaTargets& targets, int output, const Covariance& covariance,
          const RunContext& context)
      : data_(data), targets_(targets), output_(output), covariance_(covariance), context_(context),
        values_(pseudo_values(data, output)), noise_(noise_variances(data, output)),
        moments_({data.coords, 1, values_.data(), noise_.data()}, {targets.coords, targets.neighbors},
                 ConditionalMoments::Weights::kept, context),
        failed_(moments_.update(prepare(covariance, data.coords.dim, false), context)) {}

  Index failed() const { return failed_; }  // the first failed target or -1
  double mean(Index target) const { return moments_.weighted()[target]; }
  double variance(Index target) const { return moments_.variance()[target]; }

  // With z = y / (2 omega) and nu = 1 / omega: d z / d log omega = -z, d nu / d log omega = -nu.
  void adjoint(const std::vector<double>& mean_bar, const std::vector<double>& variance_bar,
               PolyaGammaScore& score) const {
    const std::vector<double>& weights = moments_.weights();
    std::vector<double> weights_bar(weights.size(), 0.0), noise_bar(weights.size());
    for_each_neighbor([&](Index t, std::size_t entry, Index row) { weights_bar[entry] = mean_bar[t] * values_[row]; });
    const std::vector<double> gradient =
        active_part(moments_.adjoint(prepare(covariance_, data_.coords.dim, true),
                                     {weights_bar.data(), variance_bar.data(), noise_bar.data()}, context_),
                    covariance_);
    for (std::size_t a = 0; a + 1 < gradient.size(); ++a) score.gradient[a] += gradient[a];
    for_each_neighbor([&](Index t, std::size_t entry, Index row) {
      score.d_log_omega[row * data_.outputs + output_] -=
          mean_bar[t] * weights[entry] * values_[row] + noise_bar[entry] * noise_[row];
    });
  }

 private:
  template <class Action>
  void for_each_neighbor(const Action& action) const {
    const int k = targets_.neighbors.k;
    for (Index t = 0; t < targets_.coords.n; ++t)
      for (int m = 0; m < k; ++m)
        if (const Index row = targets_.neighbors[t][m]; row >= 0) action(t, std::size_t(t * k + m), row);
  }

  const PolyaGammaData& data_;
  const PolyaGammaTargets& targets_;
  int output_;
  const Covariance& covariance_;
  const RunContext& context_;
  std::vector<double> values_, noise_;  // of the pseudo-observations
  ConditionalMoments moments_;
  Index failed_;
};

void check(const PolyaGammaData& data, const PolyaGammaTargets& targets, const Covariance& covariance) {
  if (covariance.nugget != 1.0) throw Error("With Polya-Gamma variables the nugget is 1.");
  if (targets.neighbors.n != targets.coords.n)
    throw Error("The table of neighbours must have one row for each target.");
  check_coordinates(data.coords);
  check_coordinates(targets.coords);
  check_rows(targets.neighbors.index, -1, data.coords.n);
}

// Every process with its averaged logistic functions.
struct Processes {
  std::vector<Moments> moments;
  std::vector<AveragedLogistic> average;  // targets x outputs
  Index failed = -1;

  Processes(const PolyaGammaData& data, const PolyaGammaTargets& targets, const Covariance& covariance,
            const RunContext& context)
      : average(targets.coords.n * data.outputs) {
    check(data, targets, covariance);
    for (int r = 0; r < data.outputs; ++r) {
      const Moments& of_process = moments.emplace_back(data, targets, r, covariance, context);
      if (of_process.failed() >= 0) failed = failed < 0 ? of_process.failed() : std::min(failed, of_process.failed());
      for (Index t = 0, at = r; t < targets.coords.n; ++t, at += data.outputs)
        average[at] = averaged_logistic(of_process.mean(t) + targets.shift[at], of_process.variance(t));
    }
  }
};

double total(const AveragedLogistic* of_target, int outputs) {
  double sum = 0.0;
  for (int r = 0; r < outputs; ++r) sum += of_target[r].value;
  return sum;
}

// d log p_observed / d p~_r
double probability_bar(const AveragedLogistic* of_target, int outputs, int observed, int r) {
  if (outputs == 1) return observed == 1 ? 1.0 / of_target[0].value : -1.0 / (1.0 - of_target[0].value);
  return (observed == r ? 1.0 / of_target[r].value : 0.0) - 1.0 / total(of_target, outputs);
}

double log_probability(const AveragedLogistic* of_target, int outputs, int observed) {
  if (outputs == 1) return std::log(observed == 1 ? of_target[0].value : 1.0 - of_target[0].value);
  return std::log(of_target[observed].value / total(of_target, outputs));
}

}  // namespace

LogDensity log_polya_gamma(double omega) {
  // Relative to the first term, whose logarithm does not underflow.
  double sum = 0.0, slope = 0.0;
  for (int n = 0; n < 7; ++n) {
    const double odd = 2.0 * n + 1.0;
    const double term = (n % 2 ? -1.0 : 1.0) * odd * std::exp(-(odd * odd - 1.0) / (8.0 * omega));
    sum += term;
    slope += term * odd * odd / (8.0 * omega);
  }
  return {-0.5 * std::log(2.0 * pi) - 1.5 * std::log(omega) - 1.0 / (8.0 * omega) + std::log(sum), slope / sum - 1.5};
}

AveragedLogistic averaged_logistic(double mean, double variance) {
  const double scale = std::sqrt(2.0 * std::max(variance, 1e-300));
  AveragedLogistic result{0.0, 0.0, 0.0};
  for (std::size_t q = 0; q < hermite_node.size(); ++q)
    for (const double x : {-hermite_node[q], hermite_node[q]}) {
      const double weight = hermite_weight[q] / std::sqrt(pi);
      const double p = logistic(mean + scale * x);
      const double slope = weight * p * logistic(-(mean + scale * x));
      result.value += weight * p;
      result.d_mean += slope;
      result.d_variance += slope * x / scale;
    }
  result.value = std::min(std::max(result.value, 1e-300), 1.0 - 1e-16);
  return result;
}

PolyaGammaScore polya_gamma_score(const PolyaGammaData& data, const PolyaGammaTargets& targets,
                                  const Covariance& covariance, const RunContext& context) {
  const Processes processes(data, targets, covariance, context);
  const int outputs = data.outputs;
  const Index n = targets.coords.n;
  PolyaGammaScore score;
  score.failed = processes.failed;
  if (score.failed >= 0) return score;
  score.gradient.assign(covariance.parameters(), 0.0);
  score.d_log_omega.assign(data.coords.n * outputs, 0.0);
  score.d_shift.resize(n * outputs);
  const AveragedLogistic* average = processes.average.data();
  for (Index t = 0; t < n; ++t) score.value += log_probability(&average[t * outputs], outputs, targets.observed[t]);
  std::vector<double> mean_bar(n), variance_bar(n);
  for (int r = 0; r < outputs; ++r) {
    for (Index t = 0; t < n; ++t) {
      const AveragedLogistic* of_target = &average[t * outputs];
      const double bar = probability_bar(of_target, outputs, targets.observed[t], r);
      mean_bar[t] = score.d_shift[t * outputs + r] = bar * of_target[r].d_mean;
      variance_bar[t] = bar * of_target[r].d_variance;
    }
    processes.moments[r].adjoint(mean_bar, variance_bar, score);
  }
  return score;
}

std::vector<double> polya_gamma_probabilities(const PolyaGammaData& data, const PolyaGammaTargets& targets,
                                              const Covariance& covariance, const RunContext& context) {
  const Processes processes(data, targets, covariance, context);
  const int outputs = data.outputs;
  const int classes = outputs == 1 ? 2 : outputs;
  if (processes.failed >= 0) return {};
  std::vector<double> result(targets.coords.n * classes);
  for (Index t = 0; t < targets.coords.n; ++t)
    for (int c = 0; c < classes; ++c)
      result[t * classes + c] = std::exp(log_probability(&processes.average[t * outputs], outputs, c));
  return result;
}

}  // namespace neargp
