// The sums of conditional/cpu/vecchia_sums.h, where the formulas are derived, one target to a team.
#pragma once

#include "conditional/gpu/contract.h"
#include "conditional/operations.h"

namespace neargp {

template <bool information, class Real = double, class Covariance = TeamCovariance<Real>>
class TeamVecchiaSums {
 public:
  LocalView view;
  Covariance covariance;

  NEARGP_HD VecchiaSumsLayout layout() const { return {view.columns, covariance.parameters}; }
  NEARGP_HD int outputs() const { return VecchiaSums{information}.sums(view.columns, covariance.parameters); }

  template <class Team>
  class Work {
   public:
    NEARGP_HD Work(const TeamVecchiaSums& task, const Team& team, TeamArena& arena)
        : covariance_(task.covariance), layout_(task.layout()), team_(team),
          tile_(team, task.view, task.covariance, {true, information ? wanted() : 0, task.view.columns}, arena),
          projections_(arena.take<Real>(information ? wanted() * task.view.columns : 0)) {}

    NEARGP_HD bool add(Index target, double weight, double* sums) {
      const bool good = tile_.load(target);
      add_values(weight, sums);
      if constexpr (information) {
        solve_derivatives();
        add_derivatives(weight, sums);
      }
      return good;
    }

   private:
    NEARGP_HD int wanted() const { return covariance_.wanted; }
    NEARGP_HD int k() const { return tile_.k(); }
    NEARGP_HD Real column_at_target(int c) const { return tile_.factor().further(c, k()); }
    NEARGP_HD Real* derivative(int slot) const { return tile_.vector(slot); }
    // The vector u, in the memory of the last derivative, which is found when it is no longer needed.
    NEARGP_HD Real* u() const { return derivative(covariance_.first_variance_slot()); }

    NEARGP_HD void add_values(double weight, double* sums) {
      const int columns = layout_.columns;
      if (team_.rank() == 0) sums[layout_.log_det()] += 2.0 * weight * math::log(double(tile_.factor().at(k(), k())));
      for (int s = team_.rank(); s < columns * columns; s += team_.size()) {
        const int i = s / columns, j = s % columns;
        if (j <= i) sums[layout_.gram(i, j)] += weight * column_at_target(i) * column_at_target(j);
      }
    }

    // v_a = L^-1 dS_a u for all wanted parameters, the first variance by subtraction.
    NEARGP_HD void solve_derivatives() {
      for (int i = team_.rank(); i < tile_.vector_stride(); i += team_.size()) {
        u()[i] = i == k() ? 1 : 0;
        for (int w = 0; w < covariance_.first_variance_slot(); ++w) derivative(w)[i] = 0;
      }
      team_.barrier();
      tile_.factor().solve_backward(team_, u());
      for (int c = 0; c < covariance_.components; ++c) multiply(c);
      if (covariance_.nugget > 0) {
        Real* g = derivative(covariance_.slot[covariance_.nugget_parameter()]);
        for (int i = team_.rank(); i < tile_.rows(); i += team_.size())
          g[i] = covariance_.nugget * tile_.noise()[i] * u()[i];
      }
      team_.barrier();
      tile_.factor().solve_forward(team_, derivative(0), wanted() - 1, tile_.vector_stride());
      subtract_from_total();
      team_.barrier();
    }

    NEARGP_HD void multiply(int c) {
      const typename Covariance::Component component(covariance_.component[c]);
      const int rows = tile_.rows();
      for (int f = 0; f < component.forms; ++f) {
        const TeamForm<Real>& form = covariance_.form[component.first_form + f];
        multiply_scale_derivative(tile_, c, form, u(), derivative(covariance_.slot[form.parameter]));
      }
      const auto store = tile_.component(c);
      if (component.wants_shape)
        multiply_symmetric(
            team_, rows, [&](int, int, int place) { return store.shape[place]; }, u(),
            derivative(covariance_.slot[component.shape_parameter]));
      if (c == 0) return;
      Real* g = derivative(covariance_.slot[component.variance_parameter]);
      multiply_symmetric(
          team_, rows, [&](int, int, int place) { return store.covariance[place]; }, u(), g);
      for (int i = team_.rank(); i < rows; i += team_.size()) g[i] += component.variance * u()[i];
    }

    // The derivatives in all variances and the nugget add up to L^-1 S u = e_k.
    NEARGP_HD void subtract_from_total() {
      Real* first = derivative(covariance_.first_variance_slot());
      for (int i = team_.rank(); i < tile_.rows(); i += team_.size()) {
        Real value = i == k() ? 1 : 0;
        for (int c = 1; c < covariance_.components; ++c)
          value -= derivative(covariance_.slot[covariance_.component[c].variance_parameter])[i];
        if (covariance_.nugget > 0) value -= derivative(covariance_.slot[covariance_.nugget_parameter()])[i];
        first[i] = value;
      }
    }

    NEARGP_HD void add_derivatives(double weight, double* sums) {
      const int columns = layout_.columns;
      for (int s = team_.rank(); s < wanted() * columns; s += team_.size())
        projections_[s] = tile_.factor().further_dot(s % columns, derivative(s / columns));
      for (int s = team_.rank(); s < wanted() * wanted(); s += team_.size())
        add_information(s / wanted(), s % wanted(), weight, sums);
      team_.barrier();
      const int gram = columns * columns;
      for (int s = team_.rank(); s < wanted() * gram; s += team_.size())
        add_d_gram(s / gram, s % gram / columns, s % columns, weight, sums);
      for (int w = team_.rank(); w < wanted(); w += team_.size())
        sums[layout_.d_log_det(covariance_.wanted_parameter[w])] += weight * derivative(w)[k()];
    }

    NEARGP_HD void add_information(int v, int w, double weight, double* sums) {
      const int a = covariance_.wanted_parameter[v], b = covariance_.wanted_parameter[w];
      if (b > a) return;
      const Real product = thread_dot(derivative(v), derivative(w), tile_.factor().padded());
      sums[layout_.information(a, b)] += weight * information_entry(product, derivative(v)[k()], derivative(w)[k()]);
    }

    NEARGP_HD void add_d_gram(int w, int i, int j, double weight, double* sums) {
      if (j > i) return;
      const Real* projection = projections_ + w * layout_.columns;
      const double xi = column_at_target(i), xj = column_at_target(j);
      sums[layout_.d_gram(covariance_.wanted_parameter[w], i, j)] +=
          weight * (xi * xj * derivative(w)[k()] - xi * projection[j] - xj * projection[i]);
    }

    const Covariance& covariance_;
    VecchiaSumsLayout layout_;
    const Team& team_;
    TeamTile<Team, information, Real, Covariance> tile_;
    Real* projections_;
  };
};

}  // namespace neargp
