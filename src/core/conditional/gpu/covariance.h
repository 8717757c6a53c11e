// A prepared covariance for devices: plain data, with arrays in the device's memory. Real is the type of its numbers
// and of the matrices that it fills.
#pragma once

#include <cstddef>
#include <vector>

#include "covariance/entry.h"
#include "covariance/with_family.h"

namespace neargp {

// ScaleDerivative (covariance/prepared.h): M = -2 on `count` coordinates, or with count = 0 a full block.
template <class Real>
struct TeamForm {
  int parameter;
  int first, count;  // in TeamCovariance::coordinates
  int block;
  Real m11, m12, m22, m13, m23, m33;
};

template <class Real>
struct TeamComponent {
  FamilyChoice<Real> family;
  Real variance;
  Real a11, a12, a22, a13, a23, a33;
  int turned;
  bool single_scale, wants_slope, wants_shape;
  int variance_parameter, shape_parameter;
  int first_form, forms;
  const Real* inverse_range;

  // The loadings where there is more than one output: A, outputs x rank, and A A', whose entries couple the outputs.
  int rank;
  const Real* loadings;
  const Real* products;

  // Calls action with the struct of its correlations.
  template <class Action>
  NEARGP_HD void with_correlation(const Action& action) const {
    with_family(family, action);
  }
};

template <class Real = double>
struct TeamCovariance {
  using Component = TeamComponent<Real>;
  static constexpr int pairs_together = 1;  // that a thread computes in one go

  int dim = 0;
  int parameters = 0;
  int components = 0;
  Real nugget = 0;
  Real variance = 0;
  int outputs = 0;                       // 0: one output, without loadings
  const Real* output_nuggets = nullptr;  // in place of `nugget`
  const TeamComponent<Real>* component = nullptr;
  const TeamForm<Real>* form = nullptr;
  const int* coordinates = nullptr;

  // The parameters with a derivative; the variance of the first component, which follows from the others
  // (conditional/cpu/vecchia_sums.h), comes last. slot[a] is the position of parameter a among them, or -1.
  int wanted = 0;
  const int* wanted_parameter = nullptr;
  const int* slot = nullptr;

  // The first nugget where there are several.
  NEARGP_HD int nugget_parameter() const { return parameters - (outputs > 0 ? outputs : 1); }
  NEARGP_HD int first_variance_slot() const { return wanted - 1; }

  // The factor of a component's correlations between two outputs (conditional/cpu/coregionalisation.h).
  NEARGP_HD Real coupling(int c, int p, int q) const { return component[c].products[p * outputs + q]; }

  // The variance of the latent field of one output where there is more than one.
  NEARGP_HD Real output_variance(int output) const {
    Real sum = 0;
    for (int c = 0; c < components; ++c) sum += coupling(c, output, output);
    return sum;
  }
};

// Correlation, slope and shape derivative at one squared distance. The branches are the same for all threads of a
// launch.
template <bool derivatives, class Component, class Real>
NEARGP_HD inline void covariance_entry(const Component& component, Real r2, Real& value, Real& in_length,
                                       Real& in_shape) {
  FormulaNumber<Real> entry, length = Real(0), shape = Real(0);
  component.with_correlation([&](const auto& correlation) {
    const FormulaNumber<Real> x = r2;
    if (derivatives && component.wants_shape)
      covariance_entry<derivatives, derivatives>(correlation, component, x, entry, length, shape);
    else
      covariance_entry<derivatives, false>(correlation, component, x, entry, length, shape);
  });
  value = Real(entry);
  in_length = Real(length);
  in_shape = Real(shape);
}

// delta' M delta for the rows i and j of scaled coordinates, coordinate d of row i at coords[d * rows + i].
template <class Real>
NEARGP_HD inline Real quadratic_form(const TeamCovariance<Real>& covariance, const TeamForm<Real>& form,
                                     const Real* coords, int rows, int i, int j) {
  if (form.count == 0) {
    const FormulaNumber<Real> dx = coords[i] - coords[j], dy = coords[rows + i] - coords[rows + j];
    const FormulaNumber<Real> planar = planar_form(form, dx, dy);
    if (form.block < 3) return Real(planar);
    const FormulaNumber<Real> dz = coords[2 * rows + i] - coords[2 * rows + j];
    return Real(planar + vertical_form(form, dx, dy, dz));
  }
  Real sum = 0;
  for (int d = 0; d < form.count; ++d) {
    const Real* x = coords + covariance.coordinates[form.first + d] * rows;
    sum += (x[i] - x[j]) * (x[i] - x[j]);
  }
  return -2 * sum;
}

// The arrays of a TeamCovariance in one piece of memory, to be copied to a device as it is.
template <class Real>
class PackedCovariance {
 public:
  explicit PackedCovariance(const PreparedCovariance& covariance);

  std::size_t bytes() const { return memory_.size(); }
  const unsigned char* memory() const { return memory_.data(); }

  // The bytes to be copied to `base`, an address in the device's memory, and the covariance that computations then get.
  const unsigned char* memory_for(const unsigned char* base);
  TeamCovariance<Real> at(const unsigned char* base) const;

 private:
  struct Tabulated {
    bool value, shape;
  };

  // Appends objects to the memory, each array on a boundary of 8 bytes; returns where they begin.
  template <class T>
  std::size_t append(const std::vector<T>& objects);
  // Numbers, rounded to Reals.
  std::size_t append_numbers(const std::vector<double>& numbers);

  TeamCovariance<Real> covariance_;
  std::vector<TeamComponent<Real>> components_;
  std::vector<Tabulated> tabulated_;  // by component, and so are its offsets
  std::vector<std::size_t> range_offset_, value_offset_, shape_offset_, loading_offset_, product_offset_;
  std::size_t nugget_offset_, component_offset_, form_offset_, coordinate_offset_, wanted_offset_, slot_offset_;
  std::vector<unsigned char> memory_;
};

}  // namespace neargp
