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
        tile_(view, covariance, needs(view, covariance, information_), arena),
        sums_(arena.take<V>(layout_.size(information_))), projections_(arena.take<V>(view.columns)),
        wanted_(arena.take<bool>(covariance.parameters)),
        solve_list_(arena.take<V*>(view.columns + covariance.parameters)) {}

  Index run(Index first, Index last, double* sums) {
    return sum_tiles(covariance_, tile_, information_, tile_.rows(), first, last, sums_, layout_.size(information_),
                     sums, [&] {
                       add_values();
                       if (information_) add_derivatives();
                     });
  }

 private:
  static TileNeeds needs(const LocalView& view, const PreparedCovariance& covariance, bool information) {
    return {information, true, view.columns + (information ? 1 + covariance.parameters : 0)};
  }

  V* column(int c) { return tile_.vector(c); }
  V* u() { return tile_.vector(layout_.columns); }
  V* derivative(int a) { return tile_.vector(layout_.columns + 1 + a); }

  void add_values() {
    const int k = tile_.k();
    const int columns = layout_.columns;
    for (int c = 0; c < columns; ++c) {
      tile_.load_values(c, column(c));
      solve_list_[c] = column(c);
    }
    tile_.factor().solve_forward(solve_list_, columns, tile_.rows());
    const V weight = tile_.weight();
    sums_[layout_.log_det()] += 2.0 * weight * math::log(tile_.factor().row(k)[k]);
    for (int i = 0; i < columns; ++i) {
      const V wi = weight * column(i)[k];
      for (int j = 0; j <= i; ++j) sums_[layout_.gram(i, j)] += wi * column(j)[k];
    }
  }

  void add_derivatives() {
    const int k = tile_.k();
    const Triangle<Lanes>& factor = tile_.factor();
    V* u_vector = u();
    for (int m = 0; m < k; ++m) u_vector[m] = -factor.row(k)[m] * factor.inverse_diagonal[k];
    u_vector[k] = factor.inverse_diagonal[k];
    factor.solve_backward(u_vector, k);
    multiply_all();
    for (int a = 0; a < layout_.parameters; ++a)
      if (wanted_[a]) add_parameter(a);
  }

  // v_a = L^-1 dS_a u for all wanted parameters, the first variance by subtraction.
  void multiply_all() {
    const int rows = tile_.rows();
    const V* x = u();
    for (int a = 0; a < layout_.parameters; ++a) {
      wanted_[a] = false;
      V* g = derivative(a);
      for (int i = 0; i < rows; ++i) g[i] = V{};
    }
    for (int c = 0; c < int(covariance_.components.size()); ++c) {
      const PreparedComponent& component = covariance_.components[c];
      const auto wanted = [&](int parameter) { return want(parameter); };
      if (covariance_.is_areal()) {
        multiply_areal_derivatives(tile_, component, c, x, wanted);
      } else {
        for (const ScaleDerivative& form : component.scale_derivatives)
          multiply_scale_derivative(tile_, component, c, form, x, want(form.parameter));
        if (component.wants_shape())
          multiply_symmetric(tile_.component(c).shape, rows, x, want(component.shape_parameter));
      }
      if (component.is_space_time())
        for_each_term(tile_, component, c, [&](int parameter, const V* triangle) {
          multiply_symmetric(triangle, rows, x, want(parameter));
        });
      if (component.wants_local()) multiply_local_derivatives(tile_, component, c, x, wanted);
      if (component.wants_warps) multiply_warp_derivatives(tile_, component, c, x, wanted);
      if (c == 0) continue;
      V* g = want(component.variance_parameter);
      multiply_symmetric(tile_.component(c).covariance, rows, x, g);
      for (int i = 0; i < rows; ++i) g[i] += variance_at(component, c, tile_, i) * x[i];
    }
    if (covariance_.nugget > 0.0) {
      V* g = want(covariance_.nugget_parameter());
      for (int i = 0; i < rows; ++i) g[i] = covariance_.nugget * tile_.noise()[i] * x[i];
    }
    for (int j = 0; j < covariance_.noise_parameters; ++j) {
      V* g = want(covariance_.noise_parameter(j));
      for (int i = 0; i < rows; ++i) g[i] = tile_.noise_derivative(j)[i] * x[i];
    }
    solve_derivatives();
  }

  V* want(int parameter) {
    wanted_[parameter] = true;
    return derivative(parameter);
  }

  void solve_derivatives() {
    const int rows = tile_.rows();
    int count = 0;
    for (int a = 0; a < layout_.parameters; ++a) {
      if (!wanted_[a]) continue;
      solve_list_[count++] = derivative(a);
      if (tile_.masked())
        for (int i = 0; i < rows; ++i) derivative(a)[i] *= tile_.mask()[i];
    }
    tile_.factor().solve_forward(solve_list_, count, rows);

    V* first = want(covariance_.components[0].variance_parameter);
    first[tile_.k()] = broadcast<V>(1.0);
    const auto subtract = [&](const V* v) {
      for (int i = 0; i < rows; ++i) first[i] -= v[i];
    };
    for (int c = 1; c < int(covariance_.components.size()); ++c)
      subtract(derivative(covariance_.components[c].variance_parameter));
    if (covariance_.nugget > 0.0) subtract(derivative(covariance_.nugget_parameter()));
  }

  void add_parameter(int a) {
    const int k = tile_.k();
    const int columns = layout_.columns;
    const V weight = tile_.weight();
    const V* v = derivative(a);
    sums_[layout_.d_log_det(a)] += weight * v[k];
    for (int i = 0; i < columns; ++i) {
      const V wi = column(i)[k];
      projections_[i] = dot(v, column(i), tile_.rows());
      for (int j = 0; j <= i; ++j) {
        const V wj = column(j)[k];
        sums_[layout_.d_gram(a, i, j)] += weight * (wi * wj * v[k] - wi * projections_[j] - wj * projections_[i]);
      }
    }
    for (int b = 0; b <= a; ++b)
      if (wanted_[b]) {
        const V* vb = derivative(b);
        sums_[layout_.information(a, b)] += weight * information_entry(dot(v, vb, tile_.rows()), v[k], vb[k]);
      }
  }

  const PreparedCovariance& covariance_;
  VecchiaSumsLayout layout_;
  bool information_;
  Tile<Lanes> tile_;
  V* sums_;
  V* projections_;
  bool* wanted_;
  V** solve_list_;
};

}  // namespace neargp
