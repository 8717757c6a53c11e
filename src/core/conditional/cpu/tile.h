// A tile: `Lanes` target points side by side, each with its own conditioning set.
//
// Lane l of every pack belongs to the l-th target of the tile. Rows 0 .. k-1 are the
// members of the conditioning set, and row k is the target itself.
//
//            Lane 0        Lane 1      ...
//   row 0    n(t0)[0]      n(t1)[0]         nearest neighbour
//   ...
//   row k-1  n(t0)[k-1]    n(t1)[k-1]
//   row k    t0            t1               the target.
//
// The triangle contains the covariance matrix of these k+1 rows, later its Cholesky factor.
// The last row of the factor is then (w', sqrt(f)), where f is the conditional variance and
// b = L^-T w are the kriging weights. One factorisation gives everything.
//
// Where a target has fewer than k neighbours, rows are masked. A masked row is a unit vector
// in the matrix and zero in every column of values, so it does not change any result. Lanes
// of the last tile without a target of their own repeat the last target with weight 0.
#pragma once

#include "base/arena.h"
#include "conditional/cpu/triangle.h"
#include "conditional/view.h"
#include "covariance/entry.h"
#include "covariance/prepared.h"
#include "covariance/warp.h"

namespace neargp {

// The arrays that a computation needs in addition to the factor.
struct TileNeeds {
  bool derivatives = false;  // triangles of derivatives of the covariance
  bool target_row = true;    // the target's values and noise are part of the matrix
  int vectors = 0;           // number of vectors of k+1 packs
};

template <int Lanes>
class Tile {
 public:
  using V = typename Pack<Lanes>::Real;
  using Bits = typename Pack<Lanes>::Bits;

  static constexpr int margin_rows = 10;

  // Derivative triangles of one component; null where not needed.
  struct ComponentTile {
    V* coords = nullptr;      // dim x rows, in the component's metric
    V* slope = nullptr;       // variance * dc/dr^2, or its product with -2 r^2 (single_scale)
    V* shape = nullptr;       // variance * dc/dshape
    V* covariance = nullptr;  // variance * c; for all components but the first, of several outputs for all
    V* loadings = nullptr;    // rank x rows, of several outputs
    V* sd = nullptr;          // rows: x e^s and e^l of local_scale.h
    V* range = nullptr;
    V* in_row = nullptr;  // derivatives in l_i and l_j of entry (i, j)
    V* in_column = nullptr;
    V* along_warps = nullptr;        // T of warp.h, a triangle for each warped coordinate
    V* term[space_time_terms] = {};  // derivatives in further parameters of space and time (SpaceTimeTerm)
    V* row_variance = nullptr;       // rows, of areas: the diagonal
    V* scale = nullptr;              // of areas: a triangle for each ScaleDerivative
  };

  Tile(const LocalView& view, const PreparedCovariance& covariance, const TileNeeds& needs, Arena& arena)
      : view_(view), rows_(view.k + 1) {
    const std::size_t triangle = triangle_size(rows_);
    factor_ = {arena.take<V>(triangle), arena.take<V>(rows_), rows_};
    mask_ = arena.take<V>(rows_);
    noise_ = arena.take<V>(rows_);
    if (needs.derivatives && view.noise_parameters > 0)
      noise_derivatives_ = arena.take<V>(std::size_t(view.noise_parameters) * rows_);
    row_r2_ = arena.take<V>(rows_);
    raw_coords_ = arena.take<V>(std::size_t(rows_) * view.dim);
    if (covariance.is_space_time()) margin_rows_ = arena.take<V>(std::size_t(margin_rows) * rows_);
    if (covariance.is_areal()) {
      support_ = arena.take<V>(std::size_t(rows_) * covariance.support.points * covariance.support.places);
      support_sizes_ = arena.take<int>(rows_);
    }
    for (int c = 0; c < int(covariance.components.size()); ++c) {
      const PreparedComponent& component = covariance.components[c];
      ComponentTile& tile = components_[c];
      if (covariance.is_areal()) tile.row_variance = arena.take<V>(rows_);
      if (!covariance.is_areal()) tile.coords = arena.take<V>(std::size_t(rows_) * view.dim);
      if (covariance.outputs() > 0) {
        tile.loadings = arena.take<V>(std::size_t(component.rank) * rows_);
        tile.covariance = arena.take<V>(triangle);
      }
      if (component.has_row_deviations()) tile.sd = arena.take<V>(rows_);
      if (component.log_range.present()) tile.range = arena.take<V>(rows_);
      if (!needs.derivatives) continue;
      if (component.log_sd.wanted) tile.covariance = arena.take<V>(triangle);
      if (component.log_range.wanted) {
        tile.in_row = arena.take<V>(triangle);
        tile.in_column = arena.take<V>(triangle);
      }
      if (component.wants_warps) {
        tile.along_warps = arena.take<V>(triangle * component.warps.size());
        if (!warp_product_) warp_product_ = arena.take<V>(rows_);
      }
      if (covariance.is_areal()) {
        tile.scale = arena.take<V>(triangle * component.scale_derivatives.size());
      } else if (component.wants_slope() || component.wants_shape()) {
        tile.slope = arena.take<V>(triangle);
      }
      if (component.wants_shape()) tile.shape = arena.take<V>(triangle);
      if (c > 0 && !tile.covariance) tile.covariance = arena.take<V>(triangle);
      for (int term = 0; term < space_time_terms; ++term)
        if (component.wants_term(term)) tile.term[term] = arena.take<V>(triangle);
    }
    vectors_ = arena.take<V>(std::size_t(needs.vectors) * rows_);
  }

  int k() const { return view_.k; }
  int rows() const { return rows_; }
  const Triangle<Lanes>& factor() const { return factor_; }
  Triangle<Lanes>& matrix() { return factor_; }
  const ComponentTile& component(int c) const { return components_[c]; }
  V* row_r2() { return row_r2_; }
  // A row of scratch of components of space and time, one of `margin_rows`.
  V* margin_row(int row) { return margin_rows_ + std::size_t(row) * rows_; }
  V* along_warp(int c, int warp) { return components_[c].along_warps + triangle_size(rows_) * warp; }
  V* warp_product() { return warp_product_; }  // rows of scratch
  // The points of a row that is an area, in the metric of the current component, and their number.
  V* support(int row, const SupportColumns& columns) {
    return support_ + std::size_t(row) * columns.points * columns.places;
  }
  int& support_size(int row) { return support_sizes_[row]; }
  V* vector(int i) { return vectors_ + std::size_t(i) * rows_; }
  const V* mask() const { return mask_; }
  bool masked() const { return masked_; }
  V weight() const { return weight_; }       // 1 for a lane that holds a target, else 0
  const V* noise() const { return noise_; }  // noise_scale (of several outputs the noise) by row, 0 where masked
  // Derivatives of the noise by row in one of the view's noise parameters, 0 where masked.
  const V* noise_derivative(int parameter) const { return noise_derivatives_ + std::size_t(parameter) * rows_; }
  Index target(int lane) const { return targets_[lane]; }

  // Reads the targets first .. first+Lanes-1. Lanes from target `last` on repeat the target before it.
  void load(Index first, Index last) {
    masked_ = false;
    for (int lane = 0; lane < Lanes; ++lane) {
      const bool present = first + lane < last;
      targets_[lane] = present ? first + lane : last - 1;
      places_[lane] = view_.place(targets_[lane]);
      set_lane(weight_, lane, present ? 1.0 : 0.0);
    }
    for (int row = 0; row < view_.k; ++row) load_neighbor_row(row);
    for (int lane = 0; lane < Lanes; ++lane) {
      set_lane(mask_[view_.k], lane, 1.0);
      const double noise = view_.target_noise_scale ? view_.target_noise_scale[places_[lane]] : 0.0;
      set_lane(noise_[view_.k], lane, noise);
      load_point(view_.k, lane, view_.target_coords + places_[lane] * view_.dim);
    }
    if (noise_derivatives_) load_noise_derivatives();
  }

  // Loads the loadings of each row, and multiplies its noise scale by the nugget of its output.
  void load_outputs(const PreparedCovariance& covariance) {
    for (int row = 0; row < rows_; ++row)
      for (int lane = 0; lane < Lanes; ++lane) {
        const int own = output(row, lane);
        set_lane(noise_[row], lane, get_lane(noise_[row], lane) * covariance.output_nuggets[own]);
        for (int c = 0; c < int(covariance.components.size()); ++c) {
          const PreparedComponent& component = covariance.components[c];
          for (int q = 0; q < component.rank; ++q)
            set_lane(components_[c].loadings[std::size_t(q) * rows_ + row], lane,
                     component.loadings[own * component.rank + q]);
        }
      }
  }

  // The output of a row. A masked row takes the target's location and output.
  int output(int row, int lane) const {
    const int datum = row < view_.k ? neighbor(row, lane) : -1;
    if (datum >= 0) return view_.outputs ? view_.outputs[datum] : 0;
    return view_.target_outputs ? view_.target_outputs[places_[lane]] : 0;
  }

  // The datum that is neighbour number `row`, from 0, of a lane's target, or -1.
  int neighbor(int row, int lane) const { return view_.neighbors[places_[lane] * view_.k + row]; }

  // Loads the values of a column at all rows. They are 0 where masked, and at the target if
  // the view comes without target values.
  void load_values(int column, V* x) const {
    for (int row = 0; row < view_.k; ++row)
      for (int lane = 0; lane < Lanes; ++lane) {
        const int datum = neighbor(row, lane);
        set_lane(x[row], lane, datum < 0 ? 0.0 : view_.values[Index(datum) * view_.columns + column]);
      }
    for (int lane = 0; lane < Lanes; ++lane)
      set_lane(x[view_.k], lane,
               view_.target_values ? view_.target_values[places_[lane] * view_.columns + column] : 0.0);
  }

  // A coordinate of all rows, unscaled as in the view.
  const V* raw_coordinate(int d) const { return raw_coords_ + std::size_t(d) * rows_; }

  // Row coordinates in the metric of a component.
  void scale_coords(const PreparedComponent& component, int c) {
    V* scaled = components_[c].coords;
    for (int d = 0; d < component.places(); ++d) {
      const V* raw = raw_coordinate(d);
      V* x = scaled + std::size_t(d) * rows_;
      for (int row = 0; row < rows_; ++row) x[row] = raw[row] * component.inverse_range[d];
    }
    for (const PreparedWarp& warp : component.warps) {
      V* x = scaled + std::size_t(warp.coordinate) * rows_;
      for (int row = 0; row < rows_; ++row) {
        const auto column = [&](int m) { return raw_coordinate(m)[row]; };
        x[row] = warped_coordinate<V>(warp, column) * warp.inverse_range;
      }
    }
    if (component.turned == 0) return;
    for (int row = 0; row < rows_; ++row) turn(component, scaled + row, rows_);
  }

  // Factorises the leading `rows` rows of the matrix. Returns the smallest target whose
  // factor failed, or -1.
  Index factorize(int rows) {
    Bits failed = {};
    factor_.factorize(rows, singular_tolerance, failed);
    Index first_failed = -1;
    for (int lane = Lanes - 1; lane >= 0; --lane)
      if (failed[lane] && get_lane(weight_, lane) > 0.0) first_failed = targets_[lane];
    return first_failed;
  }

  // A pivot is the variance of a row given the earlier ones. Below this share of the row's
  // own variance, rounding (1e-16 times the number of rows) leaves no correct digits.
  static constexpr double singular_tolerance = 1e-14;

 private:
  void load_neighbor_row(int row) {
    for (int lane = 0; lane < Lanes; ++lane) {
      const int datum = neighbor(row, lane);
      const bool present = datum >= 0;
      masked_ = masked_ || !present;
      set_lane(mask_[row], lane, present ? 1.0 : 0.0);
      set_lane(noise_[row], lane, present && view_.noise_scale ? view_.noise_scale[datum] : 0.0);
      load_point(row, lane,
                 present ? view_.coords + Index(datum) * view_.dim : view_.target_coords + places_[lane] * view_.dim);
    }
  }

  void load_noise_derivatives() {
    const int count = view_.noise_parameters;
    for (int lane = 0; lane < Lanes; ++lane)
      for (int row = 0; row < rows_; ++row) {
        const int datum = row < view_.k ? neighbor(row, lane) : -1;
        const double* own = row == view_.k ? view_.target_noise_derivatives + places_[lane] * count
                            : datum >= 0   ? view_.noise_derivatives + Index(datum) * count
                                           : nullptr;
        for (int j = 0; j < count; ++j)
          set_lane(noise_derivatives_[std::size_t(j) * rows_ + row], lane, own ? own[j] : 0.0);
      }
  }

  void load_point(int row, int lane, const double* point) {
    for (int d = 0; d < view_.dim; ++d) set_lane(raw_coords_[std::size_t(d) * rows_ + row], lane, point[d]);
  }

  const LocalView& view_;
  int rows_;
  Triangle<Lanes> factor_;
  V* mask_;
  V* noise_;
  V* noise_derivatives_ = nullptr;
  V* row_r2_;
  V* warp_product_ = nullptr;
  V* margin_rows_ = nullptr;
  V* support_ = nullptr;
  int* support_sizes_ = nullptr;
  V* raw_coords_;
  V* vectors_;
  ComponentTile components_[max_components];
  Index targets_[Lanes];
  Index places_[Lanes];  // of the targets in the view's arrays
  V weight_;
  bool masked_ = false;
};

}  // namespace neargp
