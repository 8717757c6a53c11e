// A covariance made ready for evaluation. Reciprocals, transforms, tables and the quadratic forms by which its length
// parameters act are computed once per parameter value. All threads then share them read-only.
#pragma once

#include <vector>

#include "covariance/areal.h"
#include "covariance/covariance.h"
#include "covariance/matern_table.h"

namespace neargp {

// How r^2 = |delta|^2 moves with a length parameter, where delta is the difference of two points in scaled coordinates.
// The form is d r^2 = delta' M delta with a constant symmetric M. For a log range M = -2 on the coordinates of its
// group. For an anisotropy M is a full block on the first two or three coordinates.
struct ScaleDerivative {
  int parameter = 0;
  std::vector<int> coordinates;  // with M = -2 on their diagonal; empty for a full block
  int block = 0;                 // its coordinates: 2 or 3, or 0 without one
  double m11 = 0.0, m12 = 0.0, m22 = 0.0;
  double m13 = 0.0, m23 = 0.0, m33 = 0.0;  // of three coordinates
};

// A local field with the first of its parameters. `wanted`: whether derivatives in them are wanted.
struct PreparedLocal {
  LocalField field;
  int first_parameter = 0;
  bool wanted = false;

  bool present() const { return field.size() > 0; }
};

// A warped coordinate, see warp.h.
struct PreparedWarp {
  int coordinate = 0;
  std::vector<int> columns;
  std::vector<double> weights;  // w_m
  std::vector<double> slopes;   // the derivative of w_m in its coefficient, divided by the range of the coordinate
  double inverse_range = 1.0;
  int first_parameter = 0;

  int size() const { return int(columns.size()); }
};

// Further parameters of a component of space and time, each with its own matrix of derivatives.
enum SpaceTimeTerm { in_time_range, in_time_shape, in_alpha, in_beta, in_product, in_space_share };
inline constexpr int space_time_terms = 6;

struct PreparedComponent {
  Family family = Family::exponential;
  double variance = 1.0;
  double shape = 0.0;
  std::vector<int> group;
  std::vector<double> inverse_range;       // one per coordinate, further ones included
  int first = 0, last = 0;                 // those that count are among [first, last)
  int turned = 0;                          // the coordinates that an anisotropy mixes: 2 or 3
  double a11 = 1.0, a12 = 0.0, a22 = 1.0;  // exp(-B), applied before inverse_range
  double a13 = 0.0, a23 = 0.0, a33 = 1.0;  // of three coordinates

  std::vector<double> loadings;  // outputs x rank; empty: one output
  int rank = 0;

  int variance_parameter = 0;                      // the first of the loadings where there are any
  int shape_parameter = -1;                        // -1: no derivative wanted
  std::vector<ScaleDerivative> scale_derivatives;  // only those wanted
  bool single_scale = false;  // one range for all coordinates (of space): d r^2 / d log range = -2 r^2
  bool keep_slope = false;    // slopes in r^2 are wanted by themselves

  SpaceTime space_time;                                             // the share of the product is 1 in a separable one
  int term_parameter[space_time_terms] = {-1, -1, -1, -1, -1, -1};  // by SpaceTimeTerm; -1: no derivative wanted
  MaternTable time_table;

  PreparedLocal log_sd, log_range;
  int by = -1;
  std::vector<PreparedWarp> warps;
  bool wants_warps = false;
  MaternTable table;

  int places() const { return int(group.size()); }
  int dim() const { return int(inverse_range.size()); }
  // The coordinates that a local range divides: all but time in a model of space and time.
  int local_dim() const { return dim() - (is_space_time() ? 1 : 0); }

  // Whether the standard deviation differs between rows.
  bool has_row_deviations() const { return by >= 0 || log_sd.present(); }
  // Inlined in any case: the linker keeps one function for all instruction sets.
  __attribute__((always_inline)) bool is_local() const { return has_row_deviations() || log_range.present(); }
  bool is_space_time() const { return space_time.model != SpaceTimeModel::none; }
  bool wants_term(int term) const { return term_parameter[term] >= 0; }
  bool wants_terms() const {
    bool any = false;
    for (int term = 0; term < space_time_terms; ++term) any = any || wants_term(term);
    return any;
  }
  bool wants_local() const { return log_sd.wanted || log_range.wanted; }
  __attribute__((always_inline)) bool wants_slope() const {
    return keep_slope || !scale_derivatives.empty() || log_range.wanted || wants_warps || wants_terms();
  }
  bool wants_shape() const { return shape_parameter >= 0; }
};

struct PreparedCovariance {
  int dim = 0;  // coordinates of a location
  int parameters = 0;
  double nugget = 0.0;
  double variance = 0.0;  // of the latent field: the sum over components
  std::vector<PreparedComponent> components;
  std::vector<double> output_nuggets;  // in place of `nugget`; empty: one output
  int noise_parameters = 0;            // the last of the parameters
  SupportColumns support;              // of areas

  bool is_areal() const { return support.points > 0; }
  int outputs() const { return int(output_nuggets.size()); }
  bool is_local() const {
    for (const PreparedComponent& component : components)
      if (component.is_local() || !component.warps.empty()) return true;
    return false;
  }
  bool is_space_time() const {
    for (const PreparedComponent& component : components)
      if (component.is_space_time()) return true;
    return false;
  }
  // The first of them where there are several.
  int nugget_parameter() const { return parameters - noise_parameters - (outputs() > 0 ? outputs() : 1); }
  int noise_parameter(int number) const { return parameters - noise_parameters + number; }
  // The variance of the latent field of one output.
  double output_variance(int output) const {
    double sum = 0.0;
    for (const PreparedComponent& component : components)
      for (int q = 0; q < component.rank; ++q) {
        const double loading = component.loadings[output * component.rank + q];
        sum += loading * loading;
      }
    return sum;
  }
};

PreparedCovariance prepare(const Covariance& covariance, int dim, bool derivatives);

// Prepares for derivatives in locations: tiles keep the slopes of all components in r^2.
void keep_slopes(PreparedCovariance& covariance);

// Throws an Error for a covariance of space and time. Its message says that `what` is only for covariances of one
// distance.
void require_metric(const PreparedCovariance& covariance, const char* what);

// Coordinates of one point in the metric of a component; `dim` of them, component.dim() where some are warped.
void scale_point(const PreparedComponent& component, int dim, const double* point, double* scaled);

}  // namespace neargp
