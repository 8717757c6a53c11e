#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "base/error.h"
#include "geometry/longlat.h"
#include "geometry_fixtures.h"

using namespace neargp;

namespace {

std::vector<double> embed(std::vector<double> lonlat) {
  return embed_longlat({lonlat.data(), static_cast<Index>(lonlat.size()) / 2, 2});
}

void check_point(const std::vector<double>& actual, double x, double y, double z) {
  CHECK(std::abs(actual[0] - x) < 1e-9);
  CHECK(std::abs(actual[1] - y) < 1e-9);
  CHECK(std::abs(actual[2] - z) < 1e-9);
}

}  // namespace

TEST_CASE("poles and axes are where they should be") {
  const double r = 6371.0088;
  check_point(embed({0, 0}), r, 0, 0);
  check_point(embed({90, 0}), 0, r, 0);
  check_point(embed({180, 0}), -r, 0, 0);
  check_point(embed({12, 90}), 0, 0, r);
  check_point(embed({0, -90}), 0, 0, -r);
}

TEST_CASE("the chord agrees with the haversine of the great circle") {
  const neargp::Philox random(1);
  const double degree = 3.14159265358979323846 / 180.0;
  for (int i = 0; i < 200; ++i) {
    const double lon1 = 360 * random.uniform(4 * i), lat1 = 180 * random.uniform(4 * i + 1) - 90;
    const double lon2 = 360 * random.uniform(4 * i + 2), lat2 = 180 * random.uniform(4 * i + 3) - 90;
    const std::vector<double> x = embed({lon1, lat1, lon2, lat2});
    const double half_lat = std::sin(0.5 * degree * (lat2 - lat1)), half_lon = std::sin(0.5 * degree * (lon2 - lon1));
    const double haversine =
        half_lat * half_lat + std::cos(degree * lat1) * std::cos(degree * lat2) * half_lon * half_lon;
    CHECK(std::sqrt(fixtures::distance2(&x[0], &x[3], 3)) ==
          doctest::Approx(2.0 * earth_radius_km * std::sqrt(haversine)).epsilon(1e-9));
  }
}

TEST_CASE("longitudes are periodic") {
  CHECK(embed({-170.25, 33}) == embed({189.75, 33}));
  CHECK(embed({10, 33}) == embed({730, 33}));
}

TEST_CASE("latitudes outside [-90, 90] are refused") {
  CHECK_THROWS_WITH_AS(embed({0, 0, 10, 90.5}),
                       "The latitude in row 2 is not in [-90, 90]: are the columns longitude, latitude, in degrees?",
                       Error);
  CHECK_THROWS_AS(embed({0, std::nan("")}), Error);
  CHECK_THROWS_AS(embed({INFINITY, 0}), Error);
}
