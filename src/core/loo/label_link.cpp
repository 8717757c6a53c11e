#include "loo/label_link.h"

#include <algorithm>
#include <cmath>

namespace neargp {

namespace {

constexpr double probit_scale = 0.39269908169872415;  // pi / 8

// The linear predictors of one target with their derivatives, and log p of every class.
class Predictor {
 public:
  Predictor(const LabelMoments& moments, const LabelLink& link)
      : moments_(moments), link_(link), outputs_(link.outputs),
        columns_(link.per_class ? link.outputs : link.outputs + 1), root_(columns_), scaled_(columns_),
        scaled_bar_(columns_), eta_(outputs_), log_p_(classes()) {}

  int classes() const { return outputs_ == 1 ? 2 : outputs_; }
  Index targets() const { return Index(moments_.mean.size()) / columns_; }
  double log_p(int c) const { return log_p_[c]; }

  void load(Index target) {
    target_ = target;
    for (int s = 0; s < columns_; ++s) {
      root_[s] = 1.0 / std::sqrt(1.0 + probit_scale * link_.slope * link_.slope * moments_.variance[variance_index(s)]);
      scaled_[s] = moments_.mean[target * columns_ + s] * root_[s];
    }
    const double near = nearness();
    for (int r = 0; r < outputs_; ++r)
      eta_[r] = link_.shift[target * outputs_ + r] + link_.slope * scaled_[r] + link_.bias[r] * near;
    normalize();
  }

  // Adds the derivatives of count * log p_observed.
  void add_adjoint(int observed, double count, ClassScore& score) {
    std::fill(scaled_bar_.begin(), scaled_bar_.end(), 0.0);
    const double near = nearness();
    double near_bar = 0.0;
    for (int r = 0; r < outputs_; ++r) {
      const double g = count * slope(observed, r);
      score.shift_bar[target_ * outputs_ + r] = g;
      score.bias_bar[r] += g * near;
      score.d_log_slope += g * link_.slope * scaled_[r];
      scaled_bar_[r] = g * link_.slope;
      near_bar += g * link_.bias[r];
    }
    add_nearness_adjoint(near_bar);
    for (int s = 0; s < columns_; ++s) {
      // u = mu q^(-1/2), q = 1 + (pi/8) a^2 f
      const double mean = moments_.mean[target_ * columns_ + s], cubed = root_[s] * root_[s] * root_[s];
      score.bar.mean[target_ * columns_ + s] = scaled_bar_[s] * root_[s];
      score.bar.variance[variance_index(s)] -=
          0.5 * scaled_bar_[s] * mean * probit_scale * link_.slope * link_.slope * cubed;
      score.d_log_slope -= scaled_bar_[s] * mean * (root_[s] - cubed);
    }
  }

 private:
  Index variance_index(int s) const { return link_.per_class ? target_ * columns_ + s : target_; }

  // d log p_c / d eta_r
  double slope(int c, int r) const {
    const int own = outputs_ == 1 ? 1 : r;
    return (c == own ? 1.0 : 0.0) - std::exp(log_p_[own]);
  }

  // h
  double nearness() const {
    if (!link_.per_class) return scaled_[outputs_];
    double far = 1.0;
    for (const double u : scaled_) far *= 1.0 - u;
    return 1.0 - far;
  }

  void add_nearness_adjoint(double near_bar) {
    if (!link_.per_class) {
      scaled_bar_[outputs_] += near_bar;
      return;
    }
    for (int s = 0; s < columns_; ++s) {
      double others = near_bar;
      for (int t = 0; t < columns_; ++t)
        if (t != s) others *= 1.0 - scaled_[t];
      scaled_bar_[s] += others;
    }
  }

  void normalize() {
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
  const LabelLink& link_;
  int outputs_, columns_;
  Index target_ = 0;
  std::vector<double> root_, scaled_, scaled_bar_, eta_, log_p_;
};

}  // namespace

ClassScore label_link_score(const LabelMoments& moments, const LabelLink& link, const ObservedClasses& data) {
  Predictor predictor(moments, link);
  ClassScore result;
  result.bar.mean.assign(moments.mean.size(), 0.0);
  result.bar.variance.assign(moments.variance.size(), 0.0);
  result.shift_bar.assign(predictor.targets() * link.outputs, 0.0);
  result.bias_bar.assign(link.outputs, 0.0);
  for (Index target = 0; target < predictor.targets(); ++target) {
    predictor.load(target);
    result.value += data.count[target] * predictor.log_p(data.observed[target]);
    predictor.add_adjoint(data.observed[target], data.count[target], result);
  }
  return result;
}

std::vector<double> class_probabilities(const LabelMoments& moments, const LabelLink& link) {
  Predictor predictor(moments, link);
  std::vector<double> result(predictor.targets() * predictor.classes());
  for (Index target = 0; target < predictor.targets(); ++target) {
    predictor.load(target);
    for (int c = 0; c < predictor.classes(); ++c)
      result[target * predictor.classes() + c] = std::exp(predictor.log_p(c));
  }
  return result;
}

}  // namespace neargp
