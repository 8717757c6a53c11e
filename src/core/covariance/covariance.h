// A covariance function: a sum of components, each a variance times a correlation family of the scaled distance. This
// file also defines the order of its parameters, in which derivatives are returned.
#pragma once

#include <string>
#include <vector>

#include "covariance/families.h"

namespace neargp {

// Families by the names in families.h.
Family family_from_name(const std::string& name);
bool family_has_shape(Family family);

// The largest beta of Gneiting's covariances, by the number of coordinates of space (space_time.h).
double greatest_beta(int space);

// A local field: a linear predictor of each row. Its columns are coordinates of the row from group.size() on, which are
// covariates and not locations.
struct LocalField {
  std::vector<int> columns;
  std::vector<double> coefficients;

  int size() const { return int(columns.size()); }
};

// A coordinate made of columns of each row, like those of LocalField: the sum of w_m times column m. The weight w_m is
// coefficient m, or its exponential where the coordinate must rise with all of its columns (`monotone`). It replaces a
// coordinate of the locations, or it is a further coordinate, divided by range 0. Further coordinates are numbered from
// group.size() on.
struct WarpedCoordinate {
  int coordinate = 0;
  LocalField field = {};
  bool monotone = false;
};

// How a component depends on space and time. With `none` it depends on one distance of all coordinates, which local
// ranges divide together. Otherwise it depends on the distances in space and in time, the last coordinate, as
// space_time.h describes.
enum class SpaceTimeModel { none, metric, gneiting, separable, product_sum };

struct SpaceTime {
  SpaceTimeModel model = SpaceTimeModel::none;
  Family time_family = Family::exponential;  // the family in time of a separable one and of a product-sum
  double time_shape = 0.0;
  double alpha = 1.0, beta = 0.0;     // of Gneiting's
  double product = 1.0, space = 0.0;  // shares of a product-sum: l and k

  bool is_gneiting() const { return model == SpaceTimeModel::gneiting; }
  bool is_sum() const { return model == SpaceTimeModel::product_sum; }
  bool has_time_family() const { return is_sum() || model == SpaceTimeModel::separable; }
  bool has_time_shape() const { return has_time_family() && family_has_shape(time_family); }
  int parameters() const { return (has_time_shape() ? 1 : 0) + (is_gneiting() || is_sum() ? 2 : 0); }
};

// Coordinates are scaled as x_d / range[group[d]], and left out where the group is -1. A component without ranges takes
// those of group 0 as they are. An anisotropy (u, v) also transforms the first two coordinates, which must be in group
// 0, by exp(-B), B = [u v; v -u]. Distance along the major axis, at the angle atan2(v, u)/2, is divided by range *
// exp(h), h = sqrt(u^2 + v^2). Distance across it is divided by range * exp(-h). This log-Euclidean form is smooth at
// isotropy, where an angle would be undefined. Five numbers transform the first three coordinates, see rotation.h.
struct Component {
  Family family = Family::exponential;
  double variance = 1.0;
  std::vector<double> range;
  std::vector<int> group;
  std::vector<double> anisotropy = {};  // (u, v), five numbers, or none
  double shape = 0.0;
  SpaceTime space_time = {};
  // Loadings of several responses: outputs x rank, row-major. With loadings A, the covariance of outputs p and q is the
  // correlation times entry (p, q) of A A'. The variance is then not used.
  std::vector<double> loadings;

  // Logarithms of a factor of the standard deviation, and of all ranges, at each row; see local_scale.h.
  LocalField log_sd = {}, log_range = {};
  // The column, among those of local fields, that the component is multiplied by at each row; -1: none.
  int by = -1;
  std::vector<WarpedCoordinate> warps = {};

  bool is_local() const { return by >= 0 || log_sd.size() + log_range.size() > 0 || !warps.empty(); }
  bool is_space_time() const { return space_time.model != SpaceTimeModel::none; }
  bool has_shape() const { return family_has_shape(family); }
  // The number of coordinates that the anisotropy mixes.
  int turned() const { return anisotropy.empty() ? 0 : anisotropy.size() == 2 ? 2 : 3; }
  int warp_coefficients() const {
    int count = 0;
    for (const WarpedCoordinate& warp : warps) count += warp.field.size();
    return count;
  }
  // Parameters that come before the ranges.
  int scales() const { return loadings.empty() ? 1 : int(loadings.size()); }
  int parameters() const {
    return scales() + int(range.size()) + int(anisotropy.size()) + (has_shape() ? 1 : 0) + space_time.parameters() +
           log_sd.size() + log_range.size() + warp_coefficients();
  }
};

// Parameters, in this order. Each component lists log variance, log ranges, the anisotropy, and the shape, not its
// logarithm. For space and time it adds the shape in time, alpha and beta, or the shares of a product-sum, all without
// logarithms. The coefficients of the log sd, of the log range and of warped coordinates come after these. The log
// nugget is last. `active[a]` says whether derivative a is wanted. Several responses form a linear model of
// coregionalisation. Loadings then replace the log variance of each component, and there is a log nugget for each
// output.
struct Covariance {
  std::vector<Component> components;
  double nugget = 0.0;
  std::vector<char> active;
  std::vector<double> output_nuggets = {};  // in place of `nugget`; empty: one output
  // Parameters of the noise other than the nugget, known to the data alone (LocalData::noise_derivatives): their
  // derivatives come last, and all are wanted.
  int noise_parameters = 0;
  // Rows are areas: the columns of a location are followed by those of the points of the area, see areal.h.
  bool areal = false;

  int outputs() const { return int(output_nuggets.size()); }
  int parameters() const {
    int count = (outputs() > 0 ? outputs() : 1) + noise_parameters;
    for (const Component& component : components) count += component.parameters();
    return count;
  }
  bool is_active(int parameter) const { return active.empty() || parameter >= int(active.size()) || active[parameter]; }
};

// A gradient in all parameters with zeros for those that are not estimated.
std::vector<double> active_part(std::vector<double> gradient, const Covariance& covariance);

// The number of components that tiles have room for.
inline constexpr int max_components = 8;

// Throws an Error when a component does not fit `dim` coordinates or a value is out of
// its domain.
void check_covariance(const Covariance& covariance, int dim);

}  // namespace neargp
