// Sums over targets of log N(y_i; b'y_n, f) in the form that a profile likelihood needs,
// with gradient and expected information.
//
// The columns x_1 .. x_C are response and trend design. Let z_c = L^-1 x_c over the rows of
// a tile. Its last element w_c = (x_c,i - b'x_c,n) / sqrt(f) is the whitened value. The sums
// are log_det = sum log f and gram = sum w w'.
//
// Let u = L^-T e_k = (-b, 1)/sqrt(f), and for parameter a let g_a = dS_a u and v_a = L^-1 g_a.
// Then
//
//   d log f         = v_a[k],
//   d (w_c w_c')    = -w_c v_a'z_c' - w_c' v_a'z_c + w_c w_c' v_a[k],
//   information_ab  = v_a'v_b - v_a[k] v_b[k] / 2.
//
// The first two follow from dL = L Phi(L^-1 dS L^-T), where Phi takes the lower triangle and
// half the diagonal. The last row of Phi(..) is (v_a[0], .., v_a[k-1], v_a[k]/2). The third is
// the Fisher information of the conditional density, (db_a' K db_b)/f + dlog f_a dlog f_b / 2.
// See Guinness 2021, Gaussian process learning via Fisher scoring of Vecchia's
// approximation, section 3. The first variance costs no solve, because S is the sum of the
// derivatives in all log variances and the log nugget, and L^-1 S u = e_k. If noise differs
// between rows by a model of its own, each parameter of the model adds one derivative, which
// is diagonal. The nugget multiplies all of this noise, as before.
//
// The last rows of a tile can all be targets (VecchiaSums::block). Target t is given the rows before it, so that the
// formulas hold with t in the place of k. The leading rows of L are the factor of the leading rows of S. One factor and
// one solve over all rows therefore serve all targets: u is zero behind its target, and elements of g_a and v_a behind
// it are not read. A masked target adds nothing, since its f is 1 and its values are zero.
#pragma once

#include "conditional/cpu/assemble.h"
#include "conditional/cpu/contract.h"
#include "conditional/cpu/kernels.h"

namespace neargp {

template <int Lanes>
class CpuKernel<VecchiaSums, Lanes> {
 public:
  using V = typename Pack<Lanes>::Real;

  CpuKernel(const LocalView& view, const PreparedCovariance& covariance, const VecchiaSums& operation, Arena& arena)
      : covariance_(covariance), layout_{view.columns, covariance.parameters}, information_(operation.information),
        block_(operation.block), tile_(view, covariance, needs(view, covariance, operation), arena),
        sums_(arena.take<V>(layout_.size(information_))), projections_(arena.take<V>(view.columns)),
        wanted_(arena.take<bool>(covariance.parameters)),
        solve_list_(arena.take<V*>(view.columns + block_ * covariance.parameters)) {}

  Index run(Index first, Index last, double* sums) {
    return sum_tiles(covariance_, tile_, information_, tile_.rows(), first, last, sums_, layout_.size(information_),
                     sums, [&] {
                       add_values();
                       if (information_) add_derivatives();
                     });
  }

 private:
  static TileNeeds needs(const LocalView& view, const PreparedCovariance& covariance, const VecchiaSums& operation) {
    const int vectors = operation.information ? 1 + operation.block * covariance.parameters : 0;
    return {operation.information, true, view.columns + vectors};
  }

  V* column(int c) { return tile_.vector(c); }
  V* u() { return tile_.vector(layout_.columns); }
  // v_a of a target, which is a row of the tile.
  V* derivative(int target, int a) {
    return tile_.vector(layout_.columns + 1 + (target - first_target()) * layout_.parameters + a);
  }
  int first_target() const { return tile_.rows() - block_; }

  void add_values() {
    const int k = tile_.k();
    const int columns = layout_.columns;
    for (int c = 0; c < columns; ++c) {
      tile_.load_values(c, column(c));
      solve_list_[c] = column(c);
    }
    tile_.factor().solve_forward(solve_list_, columns, tile_.rows());
    const V weight = tile_.weight();
    for (int target = first_target(); target <= k; ++target) {
      sums_[layout_.log_det()] += 2.0 * weight * math::log(tile_.factor().row(target)[target]);
      for (int i = 0; i < columns; ++i) {
        const V wi = weight * column(i)[target];
        for (int j = 0; j <= i; ++j) sums_[layout_.gram(i, j)] += wi * column(j)[target];
      }
    }
  }

  void add_derivatives() {
    for (int a = 0; a < layout_.parameters; ++a) wanted_[a] = false;
    for (int target = first_target(); target < tile_.rows(); ++target) {
      find_u(target);
      multiply_all(target);
    }
    solve_derivatives();
    for (int target = first_target(); target < tile_.rows(); ++target)
      for (int a = 0; a < layout_.parameters; ++a)
        if (wanted_[a]) add_parameter(target, a);
  }

  // u of a target, zero behind it.
  void find_u(int target) {
    const Triangle<Lanes>& factor = tile_.factor();
    V* x = u();
    for (int m = 0; m < target; ++m) x[m] = -factor.row(target)[m] * factor.inverse_diagonal[target];
    x[target] = factor.inverse_diagonal[target];
    for (int m = target + 1; m < tile_.rows(); ++m) x[m] = V{};
    factor.solve_backward(x, target);
  }

  // dS_a u for all wanted parameters but the first variance. Elements behind the target's are not read.
  void multiply_all(int target) {
    const int rows = tile_.rows();
    const V* x = u();
    for (int a = 0; a < layout_.parameters; ++a) {
      V* g = derivative(target, a);
      for (int i = 0; i < rows; ++i) g[i] = V{};
    }
    for (int c = 0; c < int(covariance_.components.size()); ++c) {
      const PreparedComponent& component = covariance_.components[c];
      const auto wanted = [&](int parameter) { return want(target, parameter); };
      if (covariance_.is_areal()) {
        multiply_areal_derivatives(tile_, component, c, x, wanted);
      } else {
        for (const ScaleDerivative& form : component.scale_derivatives)
          multiply_scale_derivative(tile_, component, c, form, x, want(target, form.parameter));
        if (component.wants_shape())
          multiply_symmetric(tile_.component(c).shape, rows, x, want(target, component.shape_parameter));
      }
      if (component.is_space_time())
        for_each_term(tile_, component, c, [&](int parameter, const V* triangle) {
          multiply_symmetric(triangle, rows, x, want(target, parameter));
        });
      if (component.wants_local()) multiply_local_derivatives(tile_, component, c, x, wanted);
      if (component.wants_warps) multiply_warp_derivatives(tile_, component, c, x, wanted);
      if (c == 0) continue;
      V* g = want(target, component.variance_parameter);
      multiply_symmetric(tile_.component(c).covariance, rows, x, g);
      for (int i = 0; i < rows; ++i) g[i] += variance_at(component, c, tile_, i) * x[i];
    }
    if (covariance_.nugget > 0.0) {
      V* g = want(target, covariance_.nugget_parameter());
      for (int i = 0; i < rows; ++i) g[i] = covariance_.nugget * tile_.noise()[i] * x[i];
    }
    for (int j = 0; j < covariance_.noise_parameters; ++j) {
      V* g = want(target, covariance_.noise_parameter(j));
      for (int i = 0; i < rows; ++i) g[i] = tile_.noise_derivative(j)[i] * x[i];
    }
  }

  V* want(int target, int parameter) {
    wanted_[parameter] = true;
    return derivative(target, parameter);
  }

  // v_a of all targets, the first variance by subtraction.
  void solve_derivatives() {
    const int rows = tile_.rows();
    int count = 0;
    for (int target = first_target(); target < rows; ++target)
      for (int a = 0; a < layout_.parameters; ++a) {
        if (!wanted_[a]) continue;
        V* v = derivative(target, a);
        solve_list_[count++] = v;
        if (tile_.masked())
          for (int i = 0; i < rows; ++i) v[i] *= tile_.mask()[i];
      }
    tile_.factor().solve_forward(solve_list_, count, rows);
    for (int target = first_target(); target < rows; ++target) find_first_variance(target);
  }

  void find_first_variance(int target) {
    V* first = want(target, covariance_.components[0].variance_parameter);
    first[target] = broadcast<V>(1.0);
    const auto subtract = [&](const V* v) {
      for (int i = 0; i <= target; ++i) first[i] -= v[i];
    };
    for (int c = 1; c < int(covariance_.components.size()); ++c)
      subtract(derivative(target, covariance_.components[c].variance_parameter));
    if (covariance_.nugget > 0.0) subtract(derivative(target, covariance_.nugget_parameter()));
  }

  void add_parameter(int target, int a) {
    const int columns = layout_.columns;
    const V weight = tile_.weight() * tile_.mask()[target];
    const V* v = derivative(target, a);
    sums_[layout_.d_log_det(a)] += weight * v[target];
    for (int i = 0; i < columns; ++i) {
      const V wi = column(i)[target];
      projections_[i] = dot(v, column(i), target + 1);
      for (int j = 0; j <= i; ++j) {
        const V wj = column(j)[target];
        sums_[layout_.d_gram(a, i, j)] += weight * (wi * wj * v[target] - wi * projections_[j] - wj * projections_[i]);
      }
    }
    for (int b = 0; b <= a; ++b)
      if (wanted_[b]) {
        const V* vb = derivative(target, b);
        sums_[layout_.information(a, b)] += weight * information_entry(dot(v, vb, target + 1), v[target], vb[target]);
      }
  }

  const PreparedCovariance& covariance_;
  VecchiaSumsLayout layout_;
  bool information_;
  int block_;
  Tile<Lanes> tile_;
  V* sums_;
  V* projections_;
  bool* wanted_;
  V** solve_list_;
};

}  // namespace neargp
