// The correlation of a covariance of space and time as searches for neighbours take it (geometry/lag_order.h).
#pragma once

#include "covariance/prepared.h"
#include "geometry/lag_order.h"

namespace neargp {

class CovarianceLags : public LagCorrelation {
 public:
  // `space_unit` and `time_unit`: what the first coordinate and time are divided by in the points that are searched.
  // Distances in space are those of one component, and other components take them in units of their own first range.
  CovarianceLags(PreparedCovariance covariance, double space_unit, double time_unit);

  void evaluate(const double* space2, const double* time2, int count, double* correlation) const override;

 private:
  PreparedCovariance covariance_;
  std::vector<double> space_factor_, time_factor_;  // of squared lags, for each component
};

}  // namespace neargp
