// A prepared covariance as devices see it: plain data, with arrays in the device's memory.
#pragma once

#include <cstddef>
#include <vector>

#include "covariance/entry.h"
#include "covariance/with_family.h"

namespace neargp {

// ScaleDerivative (covariance/prepared.h): M = -2 on `count` coordinates, or with count = 0 the planar block.
struct TeamForm {
  int parameter;
  int first, count;  // in TeamCovariance::coordinates
  double m11, m12, m22;
};

struct TeamComponent {
  FamilyChoice family;
  double variance;
  double a11, a12, a22;
  bool anisotropic, single_scale, wants_slope, wants_shape;
  int variance_parameter, shape_parameter;
  int first_form, forms;
  const double* inverse_range;

  // Of several outputs: loadings A, outputs x rank, and A A', whose entries couple the outputs.
  int rank;
  const double* loadings;
  const double* products;
};

struct TeamCovariance {
  int dim = 0;
  int parameters = 0;
  int components = 0;
  double nugget = 0.0;
  double variance = 0.0;
  int outputs = 0;                          // 0: one output, without loadings
  const double* output_nuggets = nullptr;  // in place of `nugget`
  const TeamComponent* component = nullptr;
  const TeamForm* form = nullptr;
  const int* coordinates = nullptr;

  // The parameters with a derivative; the variance of the first component, which follows from the others
  // (local/conditional_sums.h), comes last. slot[a] is the place of parameter a among them, or -1.
  int wanted = 0;
  const int* wanted_parameter = nullptr;
  const int* slot = nullptr;

  // The first of them where there are several.
  NEARGP_HD int nugget_parameter() const { return parameters - (outputs > 0 ? outputs : 1); }
  NEARGP_HD int first_variance_slot() const { return wanted - 1; }

  // By how much the correlations of a component count between two outputs (local/coregionalisation.h).
  NEARGP_HD double coupling(int c, int p, int q) const { return component[c].products[p * outputs + q]; }

  // Of the latent field of one of several outputs.
  NEARGP_HD double output_variance(int output) const {
    double sum = 0.0;
    for (int c = 0; c < components; ++c) sum += coupling(c, output, output);
    return sum;
  }
};

// Correlation, slope and shape derivative at one squared distance. The branches are the same for all threads of a
// launch.
template <bool derivatives>
NEARGP_HD inline void covariance_entry(const TeamComponent& component, double r2, double& value, double& in_length,
                                       double& in_shape) {
  with_family(component.family, [&](const auto& correlation) {
    if (derivatives && component.wants_shape)
      covariance_entry<derivatives, derivatives>(correlation, component, r2, value, in_length, in_shape);
    else
      covariance_entry<derivatives, false>(correlation, component, r2, value, in_length, in_shape);
  });
}

// delta' M delta for the rows i and j of scaled coordinates, coordinate d of row i at coords[d * rows + i].
NEARGP_HD inline double quadratic_form(const TeamCovariance& covariance, const TeamForm& form, const double* coords,
                                       int rows, int i, int j) {
  if (form.count == 0) return planar_form(form, coords[i] - coords[j], coords[rows + i] - coords[rows + j]);
  double sum = 0.0;
  for (int d = 0; d < form.count; ++d) {
    const double* x = coords + covariance.coordinates[form.first + d] * rows;
    sum += (x[i] - x[j]) * (x[i] - x[j]);
  }
  return -2.0 * sum;
}

// The arrays of a TeamCovariance in one piece of memory, to be copied to a device as it is.
class PackedCovariance {
 public:
  explicit PackedCovariance(const PreparedCovariance& covariance);

  std::size_t size() const { return memory_.size(); }
  const std::vector<double>& memory() const { return memory_; }

  // What is to be copied to `base`, an address in the device's memory, and what computations there then get.
  const std::vector<double>& memory_for(const double* base);
  TeamCovariance at(const double* base) const;

 private:
  struct Tabulated {
    bool value, shape;
  };

  TeamCovariance covariance_;
  std::vector<TeamComponent> components_;
  std::vector<Tabulated> tabulated_;  // by component, and so are its offsets
  std::vector<std::size_t> range_offset_, value_offset_, shape_offset_, loading_offset_, product_offset_;
  std::size_t nugget_offset_, component_offset_, form_offset_, coordinate_offset_, wanted_offset_, slot_offset_;
  std::vector<double> memory_;
};

}  // namespace neargp
