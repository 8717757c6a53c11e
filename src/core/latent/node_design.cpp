#include "latent/node_design.h"

#include <Eigen/Cholesky>
#include <algorithm>

#include "base/error.h"

namespace neargp {

namespace {

// x_m of a column, locations x responses, without those of responses that the column does not belong to. Where a
// response is not observed, its average over all rows.
std::vector<std::vector<double>> averages_by_response(const LatentModel& model, const LatentResponse& response,
                                                      int column) {
  const std::vector<int>& owner = model.loadings()->response_of_row();
  const NeighborTable& places = model.loadings()->places();
  std::vector<std::vector<double>> averages;
  for (int m = 0; m < model.loadings()->loadings().rows(); ++m) {
    std::vector<double> sum(model.places(), 0.0), count(model.places(), 0.0);
    double total = 0.0, rows = 0.0;
    bool belongs = false;
    for (Index i = 0; i < response.n(); ++i) {
      if (owner[i] != m) continue;
      const double x = response.design[i * response.coefficients + column];
      belongs = belongs || x != 0.0;
      total += x;
      ++rows;
      for (int l = 0; l < places.k && places[i][l] >= 0; ++l) {
        sum[places[i][l]] += x;
        ++count[places[i][l]];
      }
    }
    if (!belongs) continue;
    for (std::size_t j = 0; j < sum.size(); ++j) sum[j] = count[j] > 0.0 ? sum[j] / count[j] : total / rows;
    averages.push_back(std::move(sum));
  }
  return averages;
}

}  // namespace

std::vector<double> node_design(const LatentModel& model, const LatentResponse& response) {
  if (model.data() != response.n()) throw Error("The model and the response must have the same number of data.");
  const Index m = model.nodes(), n = response.n();
  const int p = response.coefficients;
  std::vector<double> count(m, 0.0), overall(p, 0.0), result(std::size_t(m) * p, 0.0);
  for (Index i = 0; i < n; ++i) {
    const int node = model.interpolates() ? model.interpolation().neighbors()[i][0] : model.node_of_datum()[i];
    if (node < 0) throw Error("A datum has no node near it.");
    count[node] += 1.0;
    for (int c = 0; c < p; ++c) {
      result[c * m + node] += response.design[i * p + c];
      overall[c] += response.design[i * p + c] / double(n);
    }
  }
  for (int c = 0; c < p; ++c)
    for (Index j = 0; j < m; ++j) {
      double& average = result[c * m + j];
      average = count[j] > 0.0 ? average / count[j] : overall[c];
    }
  return result;
}

std::vector<double> node_design_of_fields(const LatentModel& model, const LatentResponse& response,
                                          const std::vector<double>& precision, int centred) {
  const Index m = model.nodes(), n = response.n(), places = model.places();
  const int p = response.coefficients, fields = model.fields();
  std::vector<double> result(std::size_t(m) * p, 0.0), product(m), at_data(n);
  const Eigen::VectorXd W = Eigen::Map<const Eigen::VectorXd>(precision.data(), n).cwiseMax(0.0);
  for (int c = 0; c < centred; ++c) {
    const std::vector<std::vector<double>> averages = averages_by_response(model, response, c);
    const Index count = Index(averages.size()) * fields;
    Eigen::MatrixXd basis = Eigen::MatrixXd::Zero(m, count), seen(n, count), information(count, count);
    for (Index b = 0; b < count; ++b) {
      const std::vector<double>& average = averages[b / fields];
      std::copy(average.begin(), average.end(), basis.col(b).data() + (b % fields) * places);
      model.field_at_data(basis.col(b).data(), at_data.data());
      seen.col(b) = Eigen::Map<const Eigen::VectorXd>(at_data.data(), n);
    }
    for (Index b = 0; b < count; ++b) {
      model.precision_times(basis.col(b).data(), product.data());
      information.col(b) = basis.transpose() * Eigen::Map<const Eigen::VectorXd>(product.data(), m);
    }
    information += seen.transpose() * W.asDiagonal() * seen;
    const Eigen::Map<const Eigen::VectorXd, 0, Eigen::InnerStride<>> column(response.design.data() + c, n,
                                                                            Eigen::InnerStride<>(p));
    const Eigen::VectorXd multiples = information.ldlt().solve(seen.transpose() * W.cwiseProduct(column));
    if (multiples.allFinite()) Eigen::Map<Eigen::VectorXd>(result.data() + std::size_t(c) * m, m) = basis * multiples;
  }
  return result;
}

bool is_next_to_nothing(const LatentModel& model, const std::vector<double>& precision) {
  const auto largest = std::max_element(precision.begin(), precision.end());
  return largest != precision.end() && model.variance() * *largest < 1e-8;
}

}  // namespace neargp
