#include "likelihoods/quadrature.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "base/constants.h"

namespace neargp {

namespace {

constexpr double coarsest_step = 0.8;  // error exp(-2 pi^2 / step^2) = 4e-14 for any polynomial of low degree
constexpr double finer = 1.5;
constexpr int rules = 10;

// The largest ratio sd / d = 1 / q with 2 pi q / step - q^2 / 2 >= 20, see quadrature.h.
double limit_of(double step) {
  const double rate = 2.0 * pi / step;
  return 1.0 / (rate - std::sqrt(rate * rate - 40.0));
}

struct OwnedRule {
  std::vector<double> x, weight;

  OwnedRule(double step, double reach) {
    const int half = int(std::ceil(reach / step));
    double sum = 0.0;
    for (int q = -half; q <= half; ++q) {
      x.push_back(q * step);
      weight.push_back(std::exp(-0.5 * x.back() * x.back()));
      sum += weight.back();
    }
    for (double& w : weight) w /= sum;
  }
};

// Nodes reach 6.5, beyond which the normal density is below 1e-10. They reach farther in rules for a large sd, because
// f may grow exponentially, with rate 1 until it turns linear. This growth moves the mass of f times the density by sd.
class RuleTable {
 public:
  RuleTable() {
    double step = coarsest_step;
    for (int r = 0; r < rules; ++r, step /= finer) {
      owned_.emplace_back(step, 6.5 + std::min(r, 5));
      limits_.push_back(r + 1 < rules ? limit_of(step) : std::numeric_limits<double>::infinity());
    }
    for (int r = 0; r < rules; ++r)
      views_.push_back({int(owned_[r].x.size()), owned_[r].x.data(), owned_[r].weight.data(), limits_[r]});
  }

  const QuadratureRule& for_ratio(double ratio) const {
    for (const QuadratureRule& rule : views_)
      if (ratio <= rule.limit) return rule;
    return views_.back();
  }

 private:
  std::vector<OwnedRule> owned_;
  std::vector<double> limits_;
  std::vector<QuadratureRule> views_;
};

}  // namespace

const QuadratureRule& quadrature_rule(double ratio) {
  static const RuleTable ladder;
  return ladder.for_ratio(ratio);
}

}  // namespace neargp
