#include "methods/class_score.h"

#include <algorithm>
#include <cmath>

namespace neargp {

namespace {

constexpr double probit_scale = 0.39269908169872415;  // pi / 8

// The linear predictors of one target with their derivatives, and log p of every class.
class Predictor {
 public:
  Predictor(const LabelMoments& moments, int outputs, const ClassLink& link)
      : moments_(moments),
        link_(link),
        outputs_(outputs),
        stride_(moments.variance.size() == moments.mean.size() ? 1 : 0),
        eta_(outputs),
        d_mean_(outputs),
        d_variance_(outputs),
        d_log_slope_(outputs),
        log_p_(classes()) {}

  int classes() const { return outputs_ == 1 ? 2 : outputs_; }
  Index targets() const { return Index(moments_.mean.size()) / outputs_; }
  Index variance_index(Index target, int r) const { return stride_ ? target * outputs_ + r : target; }

  void load(Index target) {
    const double a = link_.slope;
    for (int r = 0; r < outputs_; ++r) {
      const double mean = moments_.mean[target * outputs_ + r];
      const double excess = probit_scale * a * a * moments_.variance[variance_index(target, r)];
      const double root = 1.0 / std::sqrt(1.0 + excess);
      const double cubed = root * root * root;
      eta_[r] = a * mean * root + link_.shift[target * outputs_ + r];
      d_mean_[r] = a * root;
      d_variance_[r] = -0.5 * a * mean * probit_scale * a * a * cubed;
      d_log_slope_[r] = a * mean * cubed;
    }
    normalise();
  }

  double log_p(int c) const { return log_p_[c]; }
  // d log p_c / d eta_r
  double slope(int c, int r) const {
    const int own = outputs_ == 1 ? 1 : r;
    return (c == own ? 1.0 : 0.0) - std::exp(log_p_[own]);
  }
  double d_mean(int r) const { return d_mean_[r]; }
  double d_variance(int r) const { return d_variance_[r]; }
  double d_log_slope(int r) const { return d_log_slope_[r]; }

 private:
  void normalise() {
    if (outputs_ == 1) {
      const double correction = std::log1p(std::exp(-std::abs(eta_[0])));
      log_p_[0] = -std::max(eta_[0], 0.0) - correction;
      log_p_[1] = std::min(eta_[0], 0.0) - correction;
      return;
    }
    const double largest = *std::max_element(eta_.begin(), eta_.end());
    double sum = 0.0;
    for (const double eta : eta_) sum += std::exp(eta - largest);
    for (int r = 0; r < outputs_; ++r) log_p_[r] = eta_[r] - largest - std::log(sum);
  }

  const LabelMoments& moments_;
  const ClassLink& link_;
  int outputs_, stride_;
  std::vector<double> eta_, d_mean_, d_variance_, d_log_slope_, log_p_;
};

}  // namespace

ClassScore class_score(const LabelMoments& moments, int outputs, const ClassLink& link, const ObservedClasses& data) {
  Predictor predictor(moments, outputs, link);
  ClassScore result;
  result.bar.mean.assign(moments.mean.size(), 0.0);
  result.bar.variance.assign(moments.variance.size(), 0.0);
  result.shift_bar.assign(moments.mean.size(), 0.0);
  for (Index target = 0; target < predictor.targets(); ++target) {
    predictor.load(target);
    const int observed = data.observed[target];
    result.value += data.count[target] * predictor.log_p(observed);
    for (int r = 0; r < outputs; ++r) {
      const double g = data.count[target] * predictor.slope(observed, r);
      result.shift_bar[target * outputs + r] = g;
      result.bar.mean[target * outputs + r] = g * predictor.d_mean(r);
      result.bar.variance[predictor.variance_index(target, r)] += g * predictor.d_variance(r);
      result.d_log_slope += g * predictor.d_log_slope(r);
    }
  }
  return result;
}

std::vector<double> class_probabilities(const LabelMoments& moments, int outputs, const ClassLink& link) {
  Predictor predictor(moments, outputs, link);
  std::vector<double> result(predictor.targets() * predictor.classes());
  for (Index target = 0; target < predictor.targets(); ++target) {
    predictor.load(target);
    for (int c = 0; c < predictor.classes(); ++c)
      result[target * predictor.classes() + c] = std::exp(predictor.log_p(c));
  }
  return result;
}

}  // namespace neargp
