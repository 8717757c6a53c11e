#include "covariance/lag_correlation.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "covariance/space_time.h"

namespace neargp {
namespace {

constexpr int run_length = 16;

struct LagRun {
  double p[run_length], q[run_length];  // squared lags in the units of a component
};

void correlations(const FamilyChoice<double>& family, const double* r2, int count, double* value) {
  double slope, shape;
  with_family(family, [&](const auto& correlation) {
    for (int s = 0; s < count; ++s) correlation.template evaluate<false, false>(r2[s], value[s], slope, shape);
  });
}

void add_gneiting(const PreparedComponent& component, LagRun& run, int count, double* sum) {
  GneitingTime<double> time[run_length];
  double value[run_length];
  const SpaceTime& model = component.space_time;
  for (int s = 0; s < count; ++s) {
    // rows at common times are searched one after the other
    time[s] = s > 0 && run.q[s] == run.q[s - 1] ? time[s - 1] : gneiting_time(model.alpha, model.beta, run.q[s]);
    run.p[s] *= time[s].reach;
  }
  correlations(family_choice(component), run.p, count, value);
  for (int s = 0; s < count; ++s) {
    SpaceTimeEntry<double> entry;
    gneiting_entry<false>(component, time[s], run.p[s], Margin<double>{value[s], 0.0, 0.0}, entry);
    sum[s] += entry.value;
  }
}

void add_margins(const PreparedComponent& component, const LagRun& run, int count, double* sum) {
  double space[run_length], time[run_length];
  correlations(family_choice(component), run.p, count, space);
  correlations(time_family_choice(component), run.q, count, time);
  for (int s = 0; s < count; ++s) {
    SpaceTimeEntry<double> entry;
    margins_entry<false>(component, run.p[s], run.q[s], Margin<double>{space[s], 0.0, 0.0},
                         Margin<double>{time[s], 0.0, 0.0}, entry);
    sum[s] += entry.value;
  }
}

void add_metric(const PreparedComponent& component, LagRun& run, int count, double* sum) {
  double value[run_length];
  for (int s = 0; s < count; ++s) run.p[s] += run.q[s];
  correlations(family_choice(component), run.p, count, value);
  for (int s = 0; s < count; ++s) sum[s] += component.variance * value[s];
}

double squared(double x) { return x * x; }

}  // namespace

CovarianceLags::CovarianceLags(PreparedCovariance covariance, double space_unit, double time_unit)
    : covariance_(std::move(covariance)) {
  for (const PreparedComponent& component : covariance_.components) {
    if (component.places() < 2) throw Error("A covariance of space and time needs a coordinate of each.");
    space_factor_.push_back(squared(space_unit * component.inverse_range[0]));
    time_factor_.push_back(squared(time_unit * component.inverse_range[component.places() - 1]));
  }
}

void CovarianceLags::evaluate(const double* space2, const double* time2, int count, double* correlation) const {
  std::fill_n(correlation, count, 0.0);
  for (std::size_t c = 0; c < covariance_.components.size(); ++c) {
    const PreparedComponent& component = covariance_.components[c];
    for (int first = 0; first < count; first += run_length) {
      LagRun run;
      const int length = std::min(run_length, count - first);
      for (int s = 0; s < length; ++s) {
        run.p[s] = space_factor_[c] * space2[first + s];
        run.q[s] = time_factor_[c] * time2[first + s];
      }
      if (component.space_time.is_gneiting()) {
        add_gneiting(component, run, length, correlation + first);
      } else if (component.space_time.has_time_family()) {
        add_margins(component, run, length, correlation + first);
      } else {
        add_metric(component, run, length, correlation + first);
      }
    }
  }
  for (int s = 0; s < count; ++s) correlation[s] /= covariance_.variance;
}

}  // namespace neargp
