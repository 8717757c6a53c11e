// Neighbours in space and time are the rows of the largest correlation. It falls with the distance in space and with
// the lag in time, but is not a function of a single distance.
#pragma once

#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "geometry/points.h"

namespace neargp {

// A correlation of squared distances in space and squared lags in time, in the units of the points that are searched.
// The last coordinate of these points is time. The correlation must not rise with either argument.
class LagCorrelation {
 public:
  virtual ~LagCorrelation() = default;
  virtual void evaluate(const double* space2, const double* time2, int count, double* correlation) const = 0;
};

// A correlation with upper bounds from a table. A cell of the table spans a factor sqrt(2) of both squared lags, and
// its entry is the correlation at its lower corner.
class LagOrder {
 public:
  explicit LagOrder(const LagCorrelation& correlation) : correlation_(correlation), bound_(cells * cells) {
    std::vector<double> corners(cells), lag(cells);
    for (int cell = 0; cell < cells; ++cell) corners[cell] = lower_corner(cell);
    for (int row = 0; row < cells; ++row) {
      lag.assign(cells, corners[row]);
      correlation_.evaluate(lag.data(), corners.data(), cells, bound_.data() + row * cells);
    }
  }

  void evaluate(const double* space2, const double* time2, int count, double* correlation) const {
    correlation_.evaluate(space2, time2, count, correlation);
  }

  // Except for rounding, no pair at these lags or greater ones exceeds this correlation.
  double upper_bound(double space2, double time2) const { return bound_[cell_of(space2) * cells + cell_of(time2)]; }

  // Lags in space alone, and in time alone, beyond which no pair reaches this correlation.
  double largest_space2(double correlation) const { return end_of(correlation, cells); }
  double largest_time2(double correlation) const { return end_of(correlation, 1); }

  // Correlations below this count as zero. Among these, the nearest in units of the points come first.
  static constexpr double negligible = 1e-200;

 private:
  // Two cells for each power of two: the first bit of the mantissa chooses the cell. The first cell begins at 0.
  static constexpr int least_exponent = -40, greatest_exponent = 24;
  static constexpr int cells = 2 * (greatest_exponent - least_exponent) + 1;

  // Returns the lower corner of the first cell below a correlation. Entries fall along rows and columns of the table.
  double end_of(double correlation, int stride) const {
    int low = 0, high = cells;
    while (low < high) {
      const int middle = (low + high) / 2;
      if (bound_[middle * stride] >= correlation) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low < cells ? lower_corner(low) : std::numeric_limits<double>::infinity();
  }

  static int cell_of(double x) {
    std::uint64_t bits;
    std::memcpy(&bits, &x, sizeof bits);
    const std::int64_t cell = std::int64_t(bits >> 51) - 2 * (1023 + least_exponent) + 1;
    return cell < 0 ? 0 : cell < cells ? int(cell) : cells - 1;
  }

  static double lower_corner(int cell) {
    if (cell == 0) return 0.0;
    const std::uint64_t bits = std::uint64_t(cell - 1 + 2 * (1023 + least_exponent)) << 51;
    double x;
    std::memcpy(&x, &bits, sizeof x);
    return x;
  }

  const LagCorrelation& correlation_;
  std::vector<double> bound_;
};

}  // namespace neargp
