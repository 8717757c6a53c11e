#include "covariance/search_ranges.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "covariance/with_family.h"

namespace neargp {

namespace {

double correlation(const FamilyChoice<double>& family, double r) {
  double c, slope, shape;
  with_family(family,
              [&](const auto& correlation) { correlation.template evaluate<false, false>(r * r, c, slope, shape); });
  return c;
}

struct ShareAt {
  double value, limit;
};

// The correlation at scaled distance r, and its limit far away. A periodic one falls until half a period.
ShareAt share(const FamilyChoice<double>& family, double r) {
  if (family.family != Family::periodic) return {correlation(family, r), 0.0};
  return {correlation(family, std::min(r, 0.5)), correlation(family, 0.5)};
}

// The sum of a share that stays and of one that falls.
ShareAt above(double constant, const ShareAt& at) {
  return {constant + (1.0 - constant) * at.value, constant + (1.0 - constant) * at.limit};
}

ShareAt along_space(const PreparedComponent& component, double r) {
  const SpaceTime& model = component.space_time;
  const ShareAt at = share(family_choice(component), r);
  return model.is_sum() ? above((1.0 - model.product) * (1.0 - model.space), at) : at;
}

ShareAt along_time(const PreparedComponent& component, double r) {
  const SpaceTime& model = component.space_time;
  if (model.is_gneiting()) return {1.0 / (1.0 + std::pow(r, 2.0 * model.alpha)), 0.0};
  if (!model.has_time_family()) return share(family_choice(component), r);
  const ShareAt at = share(time_family_choice(component), r);
  return above((1.0 - model.product) * model.space, at);
}

double weight(const PreparedComponent& component) {
  if (component.loadings.empty()) return component.variance;
  double sum = 0.0;
  for (const double loading : component.loadings) sum += loading * loading;
  return sum;
}

// Bisects the logarithm of the distance along a coordinate; `share_at(component, scaled distance)`. Components that
// leave the coordinate out are constant along it.
template <class Share>
double half_way(const PreparedCovariance& covariance, int coordinate, const Share& share_at) {
  double low = -140.0, high = 140.0;
  for (int step = 0; step < 60; ++step) {
    const double middle = 0.5 * (low + high);
    double excess = 0.0;
    for (const PreparedComponent& component : covariance.components) {
      if (component.inverse_range[coordinate] == 0.0) continue;
      const ShareAt at = share_at(component, std::exp(middle) * component.inverse_range[coordinate]);
      excess += weight(component) * (at.value - 0.5 * (1.0 + at.limit));
    }
    (excess > 0.0 ? low : high) = middle;
  }
  return std::exp(0.5 * (low + high));
}

}  // namespace

std::vector<double> search_ranges(const Covariance& covariance, int index) {
  if (index < 0 || index >= int(covariance.components.size())) throw Error("There is no such component.");
  const Component& component = covariance.components[index];
  const int places = int(component.group.size());
  const PreparedCovariance prepared = prepare(covariance, places, false);
  std::vector<double> ranges = component.range;
  if (ranges.empty() || component.group[0] < 0) return ranges;
  const double factor = half_way(prepared, 0, along_space) / component.range[component.group[0]];
  for (double& range : ranges) range *= factor;
  const int last = component.group[places - 1];
  if (last >= 0) ranges[last] = half_way(prepared, places - 1, along_time);
  return ranges;
}

}  // namespace neargp
