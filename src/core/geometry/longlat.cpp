#include "geometry/longlat.h"

#include <cmath>
#include <string>

#include "base/constants.h"
#include "base/error.h"

namespace neargp {
namespace {

constexpr double radians_per_degree = pi / 180.0;

void check(double longitude, double latitude, Index row) {
  const std::string where = " in row " + std::to_string(row + 1);
  if (!std::isfinite(longitude)) throw Error("The longitude" + where + " is not finite.");
  if (!(latitude >= -90.0 && latitude <= 90.0))
    throw Error("The latitude" + where + " is not in [-90, 90]: are the columns longitude, latitude, in degrees?");
}

}  // namespace

std::vector<double> embed_longlat(Points lonlat) {
  if (lonlat.dim != 2) throw Error("Longitude and latitude must be two columns.");
  std::vector<double> embedded(std::size_t(3 * lonlat.n));
  for (Index i = 0; i < lonlat.n; ++i) {
    check(lonlat[i][0], lonlat[i][1], i);
    // The remainder is exact. A whole turn more gives the very same point, and so does any longitude at a pole.
    const double turn = std::abs(lonlat[i][1]) == 90.0 ? 0.0 : std::remainder(lonlat[i][0], 360.0);
    const double longitude = (turn == -180.0 ? 180.0 : turn) * radians_per_degree;
    const double latitude = lonlat[i][1] * radians_per_degree;
    double* x = embedded.data() + 3 * i;
    x[0] = earth_radius_km * std::cos(latitude) * std::cos(longitude);
    x[1] = earth_radius_km * std::cos(latitude) * std::sin(longitude);
    x[2] = earth_radius_km * std::sin(latitude);
  }
  return embedded;
}

}  // namespace neargp
