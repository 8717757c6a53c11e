// One target with its conditioning set, in the memory of a team. It follows the conventions of conditional/cpu/tile.h:
// rows 0 .. k-1 are the conditioning set, and row k is the target. Rows that are absent stand at the target's own
// location and are unit vectors of the matrix. Here the triangles of derivatives also contain zeros for them.
//
// The target's row is the last row of the factor. If it is not to be factorised, it stays in cross().
#pragma once

#include "base/types.h"
#include "conditional/gpu/covariance.h"
#include "conditional/gpu/pairs.h"
#include "conditional/gpu/triangle.h"
#include "conditional/view.h"

namespace neargp {

struct TeamNeeds {
  bool target_row = true;  // is part of the factor
  int vectors = 0;         // of k+1 elements
  int solved_values = 0;   // columns of values x of which L^-1 x is wanted
};

// A pivot below this share of the row's own variance counts as zero (conditional/cpu/tile.h). In single precision it is
// the same multiple of the rounding error, 2^29 times as large.
template <class Real>
inline constexpr Real team_singular_tolerance = 1e-14;
template <>
inline constexpr float team_singular_tolerance<float> = 5e-6f;

// Real is the type of all numbers that a team keeps for a target. The data are doubles.
template <class Team, bool derivatives, class Real = double, class Covariance = TeamCovariance<Real>>
class TeamTile {
 public:
  using Component = typename Covariance::Component;

  // Derivatives of one component by pair (conditional/gpu/pairs.h); null where not needed.
  struct ComponentTile {
    Real* slope = nullptr;       // variance * dc/dr^2, or its product with -2 r^2 (single_scale)
    Real* shape = nullptr;       // variance * dc/dshape
    Real* covariance = nullptr;  // variance * c; for all components but the first, of several outputs for all
  };

  NEARGP_HD TeamTile(const Team& team, const LocalView& view, const Covariance& covariance, const TeamNeeds& needs,
                     TeamArena& arena)
      : team_(team), view_(view), covariance_(covariance), rows_(view.k + 1), target_row_(needs.target_row),
        solved_values_(needs.solved_values) {
    factor_ = TeamTriangle<Real>(target_row_ ? rows_ : view.k, arena, solved_values_);
    cross_ = target_row_ ? nullptr : arena.take<Real>(rows_);
    datum_ = arena.take<int>(several_outputs() ? 2 * rows_ : rows_);
    loading_ = arena.take<Real>(derivatives && several_outputs() ? 2 * rows_ : 0);
    noise_ = arena.take<Real>(rows_);
    vectors_ = arena.take<Real>(needs.vectors * vector_stride());
    coords_ = arena.take<Real>(rows_ * coordinates() * covariance.components);
    derivative_ = arena.take<Real>(derivatives ? derivative_size() : 0);
  }

  NEARGP_HD int k() const { return view_.k; }
  NEARGP_HD int rows() const { return rows_; }
  NEARGP_HD const Team& team() const { return team_; }
  NEARGP_HD const Covariance& covariance() const { return covariance_; }
  NEARGP_HD const TeamTriangle<Real>& factor() const { return factor_; }
  NEARGP_HD const Real* cross() const { return cross_; }  // covariances of the target with row i; [k]: its variance
  NEARGP_HD const Real* noise() const { return noise_; }  // noise_scale (of several outputs the noise), 0 where absent
  NEARGP_HD bool present(int row) const { return datum_[row] >= 0; }
  NEARGP_HD const Real* coords(int c) const { return coords_ + c * rows_ * coordinates(); }

  // The output of a row where there is more than one, and two vectors for the derivatives in loadings
  // (conditional/gpu/coregionalisation.h).
  NEARGP_HD int output(int row) const { return datum_[rows_ + row]; }
  NEARGP_HD Real* row_loading() const { return loading_; }
  NEARGP_HD Real* row_sum() const { return loading_ + rows_; }

  // Vectors may be solved with, whether the target's row is part of the factor or not.
  NEARGP_HD int vector_stride() const { return TeamTriangle<Real>::vector_stride(rows_); }
  NEARGP_HD Real* vector(int i) const { return vectors_ + i * vector_stride(); }

  NEARGP_HD ComponentTile component(int c) const {
    ComponentTile tile;
    Real* next = derivative_;
    for (int i = 0; i <= c; ++i) {
      const Component component(covariance_.component[i]);
      const int pairs = pair_count(rows_);
      tile = {};
      if (component.wants_slope || component.wants_shape) tile.slope = take(next, pairs);
      if (component.wants_shape) tile.shape = take(next, pairs);
      if (keeps_covariance(i)) tile.covariance = take(next, pairs);
    }
    return tile;
  }

  // Reads a target, fills the matrix and factorises it. Returns whether that succeeds. Every thread sees all results
  // afterwards.
  NEARGP_HD bool load(Index target) {
    fill(target);
    return factor_.factorize(team_, team_singular_tolerance<Real>);
  }

  // The same with a factor that was found before (TeamTriangle<Real>::copy_to()).
  NEARGP_HD void load(Index target, const Real* factor) {
    fill(target);
    factor_.copy_from(team_, factor);
    team_.barrier();
  }

  // The value of a column at a row of the conditioning set; 0 where absent.
  NEARGP_HD double value(int row, int column) const {
    return present(row) ? view_.values[Index(datum_[row]) * view_.columns + column] : 0.0;
  }

  // x = L^-1 of the values of a column, with zeros behind.
  NEARGP_HD void copy_solved_values(int column, Real* x) const {
    for (int row = team_.rank(); row < vector_stride(); row += team_.size())
      x[row] = row < rows_ ? factor_.further(column, row) : 0;
  }

 private:
  struct Entry {
    Real value, in_length, in_shape;
  };

  // The number of coordinates. On a line a second coordinate of zeros is added.
  NEARGP_HD int coordinates() const { return larger(view_.dim, 2); }
  NEARGP_HD bool several_outputs() const { return covariance_.outputs > 0; }
  NEARGP_HD bool keeps_covariance(int c) const { return c > 0 || several_outputs(); }

  NEARGP_HD static Real* take(Real*& next, int count) {
    Real* piece = next;
    next += count;
    return piece;
  }

  // The size of all derivatives. With some covariances and many rows it is beyond the range of an int, but the size of
  // each triangle is not.
  NEARGP_HD Index derivative_size() const {
    int triangles = 0;
    for (int c = 0; c < covariance_.components; ++c) {
      const Component component(covariance_.component[c]);
      triangles += (component.wants_slope || component.wants_shape) + component.wants_shape + keeps_covariance(c);
    }
    return Index(triangles) * pair_count(rows_);
  }

  NEARGP_HD void fill(Index target) {
    const bool some_absent = load_rows(view_.place(target));
    team_.barrier();
    for (int c = 0; c < covariance_.components; ++c) assemble(c);
    if (some_absent) clear_absent();
    for (int i = team_.rank(); i < rows_; i += team_.size()) set_diagonal(i);
    factor_.pad(team_);
    for (int column = 0; column < solved_values_; ++column) load_values(view_.place(target), column);
    team_.barrier();
  }

  // Returns whether any row is absent.
  NEARGP_HD bool load_rows(Index place) {
    bool absent = false;
    const double* target_point = view_.target_coords + place * view_.dim;
    for (int row = team_.rank(); row < rows_; row += team_.size()) {
      const int datum = row < k() ? view_.neighbors[place * k() + row] : 0;
      absent = absent || datum < 0;
      const bool is_neighbor = row < k() && datum >= 0;
      scale_point(row, is_neighbor ? view_.coords + Index(datum) * view_.dim : target_point, target_point);
      datum_[row] = datum;
      if (row == k())
        noise_[row] = Real(view_.target_noise_scale ? view_.target_noise_scale[place] : 0.0);
      else
        noise_[row] = Real(is_neighbor && view_.noise_scale ? view_.noise_scale[datum] : 0.0);
      if (several_outputs()) load_output(place, row, datum);
    }
    int threads_with_absent;
    team_.place(absent, threads_with_absent);
    return threads_with_absent > 0;
  }

  // Absent rows may be of any output.
  NEARGP_HD void load_output(Index place, int row, int datum) {
    const int* outputs = row < k() ? view_.outputs : view_.target_outputs;
    const int output = outputs && datum >= 0 ? outputs[row < k() ? datum : place] : 0;
    datum_[rows_ + row] = output;
    noise_[row] *= covariance_.output_nuggets[output];
  }

  // Scales a point relative to the target's location. Rounding comes after this subtraction, so differences keep their
  // digits wherever the data lie.
  NEARGP_HD void scale_point(int row, const double* point, const double* origin) {
    for (int c = 0; c < covariance_.components; ++c) {
      const Component component(covariance_.component[c]);
      Real* scaled = coords_ + c * rows_ * coordinates() + row;
      for (int d = 0; d < view_.dim; ++d) scaled[d * rows_] = Real(point[d] - origin[d]) * component.inverse_range[d];
      if (view_.dim == 1) scaled[rows_] = 0;
      if (component.turned > 0) turn(component, scaled, rows_);
    }
  }

  NEARGP_HD void assemble(int c) {
    constexpr int together = Covariance::pairs_together;
    const Component component(covariance_.component[c]);
    const ComponentTile store = derivatives ? this->component(c) : ComponentTile{};
    for (PairWalk walk(team_, rows_); walk.has_pair();) {
      RowPair pair[together];
      const int count = walk.take(pair);
      Real r2[together];
      squared_distances(coords(c), pair, r2);
      Entry computed[together];
      for (int p = 0; p < together; ++p)
        covariance_entry<derivatives>(component, r2[p], computed[p].value, computed[p].in_length, computed[p].in_shape);
      for (int p = 0; p < together; ++p)
        if (p < count) keep(c, store, pair[p], computed[p]);
    }
  }

  // The first two coordinates, which are often all, without a loop.
  template <int Count>
  NEARGP_HD void squared_distances(const Real* x, const RowPair (&pair)[Count], Real (&sum)[Count]) const {
    const auto square = [&](int d, const RowPair& p) {
      const Real difference = x[d * rows_ + p.i] - x[d * rows_ + p.j];
      return difference * difference;
    };
    for (int p = 0; p < Count; ++p) sum[p] = square(0, pair[p]) + square(1, pair[p]);
    for (int d = 2; d < view_.dim; ++d)
      for (int p = 0; p < Count; ++p) sum[p] += square(d, pair[p]);
  }

  NEARGP_HD void keep(int c, const ComponentTile& store, const RowPair& pair, Entry computed) const {
    if (store.covariance) store.covariance[pair.place] = computed.value;
    if (several_outputs()) {
      const Real coupling = covariance_.coupling(c, output(pair.i), output(pair.j));
      computed.value *= coupling;
      computed.in_length *= coupling;
      computed.in_shape *= coupling;
    }
    Real& matrix_entry = entry(pair.i, pair.j);
    matrix_entry = c == 0 ? computed.value : matrix_entry + computed.value;
    if (store.slope) store.slope[pair.place] = computed.in_length;
    if (store.shape) store.shape[pair.place] = computed.in_shape;
  }

  NEARGP_HD Real& entry(int i, int j) const { return target_row_ || i < k() ? factor_.at(i, j) : cross_[j]; }

  // Loads the values of a column at all rows. They are 0 where absent, in the padding, and at a target without values.
  NEARGP_HD void load_values(Index place, int column) {
    for (int row = team_.rank(); row < factor_.padded(); row += team_.size()) {
      double value = 0.0;
      if (row < k()) value = this->value(row, column);
      if (row == k() && view_.target_values) value = view_.target_values[place * view_.columns + column];
      factor_.further(column, row) = Real(value);
    }
  }

  // Clears the pairs of absent rows. Each thread clears its own pairs, those that it has filled.
  NEARGP_HD void clear_absent() {
    for_each_pair(team_, rows_, [&](int i, int j, int place) {
      if (present(i) && present(j)) return;
      entry(i, j) = 0;
      for (int c = 0; derivatives && c < covariance_.components; ++c) {
        const ComponentTile store = component(c);
        if (store.slope) store.slope[place] = 0;
        if (store.shape) store.shape[place] = 0;
        if (store.covariance) store.covariance[place] = 0;
      }
    });
  }

  NEARGP_HD void set_diagonal(int i) {
    const Real variance = several_outputs() ? covariance_.output_variance(output(i)) + noise_[i]
                                            : covariance_.variance + covariance_.nugget * noise_[i];
    const Real entry = present(i) ? variance : 1;
    if (i == factor_.rows()) {
      cross_[i] = entry;
    } else {
      factor_.at(i, i) = entry;
      factor_.inverse_diagonal()[i] = entry;
    }
  }

  const Team& team_;
  const LocalView& view_;
  const Covariance& covariance_;
  int rows_;
  bool target_row_;
  int solved_values_;
  TeamTriangle<Real> factor_;
  Real* cross_;
  int* datum_;  // of each row, below 0 where absent; of several outputs, then that of each row
  Real* loading_;
  Real* noise_;
  Real* vectors_;
  Real* coords_;
  Real* derivative_;
};

}  // namespace neargp
