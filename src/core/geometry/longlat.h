#pragma once

#include <vector>

#include "geometry/points.h"

namespace neargp {

// Mean radius of the Earth, IUGG: (2 a + b) / 3 of the WGS 84 ellipsoid, in kilometres.
constexpr double earth_radius_km = 6371.0088;

// Maps longitude and latitude in degrees (the two coordinates of `lonlat`) to the sphere, row-major n x 3, kilometres.
// Euclidean distance there is the chord. A Matérn covariance of chordal distance is positive definite for every
// smoothness, whereas one of great-circle distance is not above 1/2. Longitudes may be any real number, latitudes lie
// in [-90, 90].
std::vector<double> embed_longlat(Points lonlat);

}  // namespace neargp
