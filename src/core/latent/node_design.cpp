#include "latent/node_design.h"

#include <algorithm>

#include "base/error.h"

namespace neargp {

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

bool is_next_to_nothing(const LatentModel& model, const std::vector<double>& precision) {
  const auto largest = std::max_element(precision.begin(), precision.end());
  return largest != precision.end() && model.variance() * *largest < 1e-8;
}

}  // namespace neargp
