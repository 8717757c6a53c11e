#include "variational/coregionalised_bound.h"

#include <optional>

#include "base/error.h"
#include "base/memory.h"
#include "linalg/products.h"
#include "variational/collapsed_bound_sums.h"
#include "variational/coregionalised_block.h"
#include "variational/field_rotation.h"
#include "variational/sum_rows.h"

namespace neargp {

namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

// The sums of a group that the gradient needs; a column or block of columns for each of its outputs.
struct GroupAdjoints {
  InducingGradient gradient;
  std::vector<MatrixXd> traced;  // by structure: sum of tau_xp B_c[p, p] Phi_c Phi_c', lower triangle
  MatrixXd fitted;               // sum of Phi alpha_xp
  MatrixXd slopes;               // by structure: sum of tau_xp times the share of variance that is unexplained
  VectorXd nuggets;              // sum of W_xp (e_xp - A'm)^2 + tau_xp d_xp - 1

  void add(const GroupAdjoints& other) {
    gradient.add(other.gradient);
    for (std::size_t c = 0; c < traced.size(); ++c) traced[c] += other.traced[c];
    fitted += other.fitted;
    slopes += other.slopes;
    nuggets += other.nuggets;
  }
};

class CoregionalisedEvaluation {
 public:
  // `groups`: all rows of the data. `independent`: whether B is block-diagonal, with one block for each field.
  CoregionalisedEvaluation(const OutputRegression& data, const std::vector<OutputGroup>& groups,
                           const CoregionalisedFactor& factor, bool independent, const BoundSettings& settings,
                           const RunContext& context)
      : groups_(groups), factor_(factor), settings_(settings), context_(context), rows_(data.n), columns_(data.columns),
        blocks_(independent ? Index(factor.fields().size()) : 1), nuggets_(factor.covariance().output_nuggets) {}

  CollapsedBound value() {
    CollapsedBoundSums total = zero_sums(factor_.features(), columns_);
    for (const OutputGroup& group : groups_) {
      CollapsedBoundSums sums = sums_of(group);
      for (std::size_t j = 0; j < group.outputs.size(); ++j)
        total.cross += factor_.onto_fields(sums.cross.middleCols(Index(j) * columns_, columns_), group.outputs[j]);
      total.columns += sums.columns;
      total.traces += sums.traces;
      total.log_precision += sums.log_precision;
      total.unexplained += sums.unexplained;
      sums.gram = sums.gram.selfadjointView<Eigen::Lower>();
      const MatrixXd coupling = coupling_of(group);
      for_blocks([&](Index q, Index r) {
        if (q >= r) of_fields(total.gram, q, r) += coupling(q, r) * of_structures(sums.gram, q, r);
      });
      grams_.push_back(std::move(sums.gram));
    }
    return solve_bound(total, rows_, settings_, contrasts_, blocks_);
  }

  void add_gradient(CollapsedBound& bound) const {
    const MatrixXd covariance = posterior_covariance(bound, blocks_);
    const MatrixXd means = bound.weights * contrasts_;
    InducingGradient gradient = factor_.zero_gradient();
    std::vector<MatrixXd> prior = prior_adjoints(means, covariance);
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      const OutputGroup& group = groups_[g];
      const GroupAdjoints adjoints = sum_adjoints(group, means, group_covariance(group, covariance));
      gradient.add(adjoints.gradient);
      for (int c = 0; c < factor_.structures(); ++c) prior[std::size_t(c)] += adjoints.traced[std::size_t(c)];
      for (std::size_t j = 0; j < group.outputs.size(); ++j) add_row_slopes(group, Index(j), adjoints, means, gradient);
      add_spread_slopes(group, grams_[g], covariance, gradient);
    }
    for (int c = 0; c < factor_.structures(); ++c) factor_.structure(c).adjoint(prior[std::size_t(c)], gradient);
    bound.gradient = std::move(gradient);
  }

 private:
  // Calls body(q, r) for the pairs of fields whose block of B is not zero.
  template <class Body>
  void for_blocks(const Body& body) const {
    const Index count = Index(factor_.fields().size());
    for (Index q = 0; q < count; ++q)
      for (Index r = 0; r < count; ++r)
        if (blocks_ == 1 || q == r) body(q, r);
  }

  // The block of two fields in a matrix of all fields, and the block of their structures in a matrix of all structures.
  template <class Matrix>
  Eigen::Block<Matrix> of_fields(Matrix& matrix, Index q, Index r) const {
    const Index m = factor_.points();
    return matrix.block(q * m, r * m, m, m);
  }
  template <class Matrix>
  Eigen::Block<Matrix> of_structures(Matrix& matrix, Index q, Index r) const {
    return of_fields(matrix, structure_of(q), structure_of(r));
  }
  Index structure_of(Index q) const { return factor_.fields()[std::size_t(q)].structure; }

  // The sum over the outputs of a group of a_p a_p' / nugget_p.
  MatrixXd coupling_of(const OutputGroup& group) const {
    const Index count = Index(factor_.fields().size());
    MatrixXd sum = MatrixXd::Zero(count, count);
    for (const int p : group.outputs) {
      VectorXd loadings(count);
      for (Index q = 0; q < count; ++q) loadings[q] = factor_.fields()[std::size_t(q)].loadings[p];
      sum += loadings * loadings.transpose() / nuggets_[std::size_t(p)];
    }
    return sum;
  }

  template <class Sum, class Body>
  Sum over_places(const OutputGroup& group, const Sum& zero, const Body& body) const {
    const Index features = factor_.place_features();
    return sum_rows(group.size(), settings_.chunk_rows, features * features, context_, zero, body);
  }

  // W of an output at some locations of a group.
  VectorXd precision(const OutputGroup& group, std::size_t j, Index first, Index last) const {
    return group.weights.segment(first, last - first) / nuggets_[std::size_t(group.outputs[j])];
  }

  // Sums over the locations of a group. `gram` is the sum of Phi Phi' / noise scale. `cross` contains Phi W_p R_p of
  // the group's outputs side by side.
  CollapsedBoundSums sums_of(const OutputGroup& group) const {
    const Index features = factor_.place_features(), count = Index(group.outputs.size());
    const CollapsedBoundSums zero{MatrixXd::Zero(features, features), MatrixXd::Zero(features, count * columns_),
                                  MatrixXd::Zero(columns_, columns_)};
    return over_places(group, zero, [&](Index first, Index last, CollapsedBoundSums& sum) {
      const CoregionalisedBlock block(factor_, group.places(first, last), false);
      rank_update(block.features() * group.weights.segment(first, last - first).cwiseSqrt().asDiagonal(), sum.gram);
      for (std::size_t j = 0; j < group.outputs.size(); ++j) {
        const int p = group.outputs[j];
        const VectorXd weight = precision(group, j, first, last), unexplained = block.unexplained(p, p);
        const auto values = group.values[j].middleRows(first, last - first);
        const MatrixXd weighted = weight.asDiagonal() * values;
        sum.cross.middleCols(Index(j) * columns_, columns_) += block.features() * weighted;
        sum.columns += values.transpose() * weighted;
        sum.traces += trace_terms(settings_.kind, weight, unexplained);
        sum.log_precision += weight.array().log().sum();
        sum.unexplained += unexplained.sum() / factor_.covariance().output_variance(p);
      }
    });
  }

  // S_g
  MatrixXd group_covariance(const OutputGroup& group, const MatrixXd& covariance) const {
    const MatrixXd coupling = coupling_of(group);
    MatrixXd sum = MatrixXd::Zero(factor_.place_features(), factor_.place_features());
    for_blocks([&](Index q, Index r) { of_structures(sum, q, r) += coupling(q, r) * of_fields(covariance, q, r); });
    return sum;
  }

  // The part of dF/dA A' that needs no rows, m m' + S - I, in the blocks of the fields, summed for each structure.
  std::vector<MatrixXd> prior_adjoints(const MatrixXd& means, const MatrixXd& covariance) const {
    const Index m = factor_.points();
    std::vector<MatrixXd> sums(std::size_t(factor_.structures()), MatrixXd::Zero(m, m));
    for (std::size_t q = 0; q < factor_.fields().size(); ++q) {
      MatrixXd& sum = sums[std::size_t(factor_.fields()[q].structure)];
      const MatrixXd own = means.middleRows(Index(q) * m, m);
      sum += covariance.block(Index(q) * m, Index(q) * m, m, m) + own * own.transpose();
      sum.diagonal().array() -= 1.0;
    }
    return sums;
  }

  GroupAdjoints sum_adjoints(const OutputGroup& group, const MatrixXd& means, const MatrixXd& covariance) const {
    const Index features = factor_.place_features(), m = factor_.points(), k = means.cols();
    const Index count = Index(group.outputs.size());
    std::vector<MatrixXd> own_means;
    for (const int p : group.outputs) own_means.push_back(factor_.from_fields(means, p));
    const GroupAdjoints zero{
        factor_.zero_gradient(), std::vector<MatrixXd>(std::size_t(factor_.structures()), MatrixXd::Zero(m, m)),
        MatrixXd::Zero(features, count * k), MatrixXd::Zero(factor_.structures(), count), VectorXd::Zero(count)};
    return over_places(group, zero, [&](Index first, Index last, GroupAdjoints& sum) {
      const CoregionalisedBlock block(factor_, group.places(first, last), true);
      const MatrixXd& phi = block.features();
      MatrixXd bar(features, last - first);
      multiply(covariance, phi, bar);
      bar = (bar * (-group.weights.segment(first, last - first)).asDiagonal()).eval();
      MatrixXd taus = MatrixXd::Zero(last - first, factor_.structures());
      for (std::size_t j = 0; j < group.outputs.size(); ++j) {
        const int p = group.outputs[j];
        const VectorXd weight = precision(group, j, first, last), unexplained = block.unexplained(p, p);
        const VectorXd tau = trace_slopes(settings_.kind, weight, unexplained);
        const MatrixXd residuals =
            group.values[j].middleRows(first, last - first) * contrasts_ - phi.transpose() * own_means[j];
        const MatrixXd alpha = weight.asDiagonal() * residuals;
        bar.noalias() += own_means[j] * alpha.transpose();
        sum.fitted.middleCols(Index(j) * k, k) += phi * alpha;
        sum.nuggets[Index(j)] +=
            weight.dot(residuals.rowwise().squaredNorm()) + tau.dot(unexplained) - double(last - first);
        for (int c = 0; c < factor_.structures(); ++c) {
          taus.col(c) += factor_.coregionalisation(c, p, p) * tau;
          sum.slopes(c, Index(j)) += tau.dot(block.unexplained_share(c));
        }
      }
      for (int c = 0; c < factor_.structures(); ++c) {
        const auto own = phi.middleRows(c * m, m);
        bar.middleRows(c * m, m) += own * taus.col(c).asDiagonal();
        rank_update(own * taus.col(c).cwiseSqrt().asDiagonal(), sum.traced[std::size_t(c)]);
      }
      block.adjoint(bar, sum.gradient);
    });
  }

  // The derivative in a_pq consists of two parts. One is the trace of block q, c(q) of the matrix
  //
  //   m (Phi alpha)' - S E_p Gamma_p + E_p sum tau_xp Phi Phi'.
  //
  // The other comes from the variance of the field: -a_pq sum tau_xp. This function adds all terms but the second one,
  // which add_spread_slopes() adds.
  void add_row_slopes(const OutputGroup& group, Index j, const GroupAdjoints& adjoints, const MatrixXd& means,
                      InducingGradient& gradient) const {
    const int p = group.outputs[std::size_t(j)];
    const Index m = factor_.points(), k = means.cols();
    for (std::size_t q = 0; q < factor_.fields().size(); ++q) {
      const LatentField& field = factor_.fields()[q];
      const auto fitted = adjoints.fitted.block(field.structure * m, j * k, m, k);
      gradient.parameters[std::size_t(field.parameter + p * field.stride)] +=
          means.middleRows(Index(q) * m, m).cwiseProduct(fitted).sum() -
          field.loadings[p] * adjoints.slopes(field.structure, j);
    }
    gradient.parameters[std::size_t(factor_.covariance().nugget_parameter() + p)] += 0.5 * adjoints.nuggets[j];
  }

  // The second term, see add_row_slopes(). Entry (q, r) of `traces` is computed from the blocks S_qr and Gamma. It is
  // the part of fields q and r in the sum over rows of W_xp A_xp'S A_xp, without loadings and nugget.
  void add_spread_slopes(const OutputGroup& group, const MatrixXd& gram, const MatrixXd& covariance,
                         InducingGradient& gradient) const {
    const Index count = Index(factor_.fields().size());
    MatrixXd traces = MatrixXd::Zero(count, count);
    for_blocks([&](Index q, Index r) {
      traces(q, r) = of_fields(covariance, q, r).cwiseProduct(of_structures(gram, q, r)).sum();
    });
    for (const int p : group.outputs) {
      double spread = 0.0;
      for (Index q = 0; q < count; ++q) {
        const LatentField& field = factor_.fields()[std::size_t(q)];
        double own = 0.0;
        for (Index r = 0; r < count; ++r) own += factor_.fields()[std::size_t(r)].loadings[p] * traces(q, r);
        own /= nuggets_[std::size_t(p)];
        gradient.parameters[std::size_t(field.parameter + p * field.stride)] -= own;
        spread += field.loadings[p] * own;
      }
      gradient.parameters[std::size_t(factor_.covariance().nugget_parameter() + p)] += 0.5 * spread;
    }
  }

  const std::vector<OutputGroup>& groups_;
  const CoregionalisedFactor& factor_;
  const BoundSettings& settings_;
  const RunContext& context_;
  Index rows_;
  int columns_;
  Index blocks_;
  std::vector<double> nuggets_;
  std::vector<MatrixXd> grams_;  // by group
  MatrixXd contrasts_;
};

CollapsedBound evaluate(const OutputRegression& data, const std::vector<OutputGroup>& groups, Points inducing,
                        const Covariance& covariance, bool independent, const BoundSettings& settings, bool derivatives,
                        const RunContext& context) {
  const PreparedCovariance prepared = prepare(covariance, data.places.dim, derivatives);
  const CoregionalisedFactor factor(prepared, inducing, settings.jitter, derivatives);
  if (!factor.regular()) return failed_bound(BoundFailure::prior);
  const double features = double(factor.features());
  check_memory("The posterior of the latent fields at the inducing points", features, features);
  CoregionalisedEvaluation evaluation(data, groups, factor, independent, settings, context);
  CollapsedBound bound = evaluation.value();
  if (derivatives && bound.failure == BoundFailure::none) evaluation.add_gradient(bound);
  return bound;
}

}  // namespace

CollapsedBound coregionalised_bound(const OutputRegression& data, Points inducing, const Covariance& covariance,
                                    const BoundSettings& settings, bool derivatives, const RunContext& context) {
  for (const double nugget : covariance.output_nuggets)
    if (!(nugget > 0.0)) throw Error("A bound on inducing points needs noise: nuggets above zero.");
  const std::vector<OutputGroup> groups = output_groups(data, covariance.outputs());
  const bool independent = derivatives && covariance.components.size() == 1 && groups.size() == 1 &&
                           int(groups[0].outputs.size()) == covariance.outputs();
  std::optional<FieldRotation> rotation;
  if (independent) rotation.emplace(covariance);
  CollapsedBound bound = evaluate(data, groups, inducing, rotation ? rotation->rotated() : covariance, independent,
                                  settings, derivatives, context);
  if (!derivatives || bound.failure != BoundFailure::none) return bound;
  if (rotation) rotation->turn_back(bound);
  bound.gradient.parameters = active_part(std::move(bound.gradient.parameters), covariance);
  return bound;
}

}  // namespace neargp
