#include "latent/latent_solve.h"

namespace neargp {

namespace {

using Vector = std::vector<double>;

class Preconditioner {
 public:
  Preconditioner(const LatentModel& model, const Vector& precision)
      : model_(model), scale_(data_diagonal(model, precision)) {
    for (std::size_t j = 0; j < scale_.size(); ++j) scale_[j] = 1.0 / (scale_[j] + model.prior_scale()[j]);
  }

  // (I - B)' is undone from the last node of the ordering to the first, I - B from the first to the last.
  Vector solve(Vector x) const {
    const std::vector<int>& order = model_.order();
    const NodeConditionals& prior = model_.prior();
    const int k = prior.k();
    for (auto node = order.rbegin(); node != order.rend(); ++node) {
      const int* member = prior.neighbors()[*node];
      const double* b = prior.weights(*node);
      for (int m = 0; m < k && member[m] >= 0; ++m) x[member[m]] += b[m] * x[*node];
    }
    for (const int node : order) {
      const int* member = prior.neighbors()[node];
      const double* b = prior.weights(node);
      double sum = scale_[node] * x[node];
      for (int m = 0; m < k && member[m] >= 0; ++m) sum += b[m] * x[member[m]];
      x[node] = sum;
    }
    return x;
  }

 private:
  const LatentModel& model_;
  Vector scale_;
};

// trend_information() with Q in place of the prior's precision.
Eigen::MatrixXd residual_information(const LatentModel& model, const std::vector<double>& precision,
                                     const Eigen::MatrixXd& unseen, const Eigen::MatrixXd& response) {
  const Eigen::Map<const Eigen::VectorXd> W(precision.data(), Index(precision.size()));
  Eigen::MatrixXd information = unseen.transpose() * W.asDiagonal() * unseen;
  const int width = model.prior().k() + 1;
  for (Index j = 0; j < model.nodes(); ++j) {
    const int* member = model.prior_members().data() + j * width;
    const double* a = model.prior_vectors().data() + j * width;
    Eigen::RowVectorXd product = Eigen::RowVectorXd::Zero(response.cols());
    for (int m = 0; m < width && member[m] >= 0; ++m) product += a[m] * response.row(member[m]);
    information += model.prior_scale()[j] * product.transpose() * product;
  }
  return information;
}

}  // namespace

std::vector<double> posterior_precision_times(const LatentModel& model, const std::vector<double>& precision,
                                              const std::vector<double>& x) {
  Vector product(x.size()), at_nodes(x.size()), at_data(precision.size());
  model.residual_precision_times(x.data(), product.data());
  model.field_at_data(x.data(), at_data.data());
  for (std::size_t i = 0; i < at_data.size(); ++i) at_data[i] *= precision[i];
  model.sum_at_nodes(at_data.data(), at_nodes.data());
  for (std::size_t j = 0; j < x.size(); ++j) product[j] += at_nodes[j];
  return product;
}

std::vector<double> prior_diagonal(const LatentModel& model) {
  const int width = model.prior().k() + 1;
  Vector diagonal(model.nodes(), 0.0);
  for (Index j = 0; j < model.nodes(); ++j) {
    const int* member = model.prior_members().data() + j * width;
    const double* a = model.prior_vectors().data() + j * width;
    for (int m = 0; m < width && member[m] >= 0; ++m) diagonal[member[m]] += a[m] * a[m] * model.prior_scale()[j];
  }
  return diagonal;
}

std::vector<double> data_diagonal(const LatentModel& model, const std::vector<double>& precision) {
  Vector diagonal(model.nodes(), 0.0);
  if (!model.interpolates()) {
    model.sum_at_nodes(precision.data(), diagonal.data());
    return diagonal;
  }
  const DataWeights data = model.interpolation();
  for (Index i = 0; i < data.targets(); ++i) {
    const int* member = data.neighbors()[i];
    const double* c = data.weights(i);
    for (int m = 0; m < data.k() && member[m] >= 0; ++m) diagonal[member[m]] += precision[i] * c[m] * c[m];
  }
  return diagonal;
}

Eigen::MatrixXd trend_information(const LatentModel& model, const std::vector<double>& precision,
                                  const Eigen::MatrixXd& unseen, const Eigen::MatrixXd& response) {
  if (model.low_rank()) {
    const LowRankPrior::Split parts = model.low_rank()->split(response);
    return residual_information(model, precision, unseen, parts.residual) + parts.whitened.transpose() * parts.whitened;
  }
  return residual_information(model, precision, unseen, response);
}

LinearSolution solve_latent(const LatentModel& model, const std::vector<double>& precision,
                            const std::vector<double>& h, double tolerance, int max_iterations,
                            const RunContext& context) {
  const Preconditioner preconditioner(model, precision);
  return conjugate_gradient([&](const Vector& x) { return posterior_precision_times(model, precision, x); },
                            [&](const Vector& x) { return preconditioner.solve(x); }, h, tolerance, max_iterations,
                            context);
}

}  // namespace neargp
