#include "loo/student_t_variables.h"

#include <Eigen/Cholesky>

#include "base/error.h"
#include "covariance/covariance_matrix.h"
#include "likelihoods/marginal.h"
#include "parallel/parallel_for.h"

namespace neargp {

namespace {

// The data of one conditioning set.
struct Neighbors {
  std::vector<int> place;  // in the row of the table
  std::vector<double> coords;
  Eigen::VectorXd z, noise_scale;

  Neighbors(const LocalData& data, const int* row, int k) : z(k), noise_scale(k) {
    const int dim = data.coords.dim;
    for (int m = 0; m < k; ++m) {
      if (row[m] < 0) continue;
      z(place.size()) = data.values[row[m]];
      noise_scale(place.size()) = data.noise_scale[row[m]];
      place.push_back(m);
      coords.insert(coords.end(), data.coords[row[m]], data.coords[row[m]] + dim);
    }
    z.conservativeResize(place.size());
    noise_scale.conservativeResize(place.size());
  }
};

Eigen::ArrayXd omega_of_set(const Neighbors& set, const Eigen::MatrixXd& field, double nugget,
                            const StudentNoise& noise) {
  const Index n = set.z.size();
  const Likelihood student{ResponseFamily::student_t, {noise.scale, noise.df}};
  const Eigen::ArrayXd weights = set.noise_scale.array().inverse(), center = Eigen::ArrayXd::Zero(n);
  Eigen::ArrayXd omega = Eigen::ArrayXd::Ones(n);
  for (int sweep = 0; sweep < noise.sweeps; ++sweep) {
    const Eigen::ArrayXd of_datum = nugget * set.noise_scale.array() / omega;
    Eigen::MatrixXd total = field;
    total.diagonal().array() += of_datum;
    const Eigen::LLT<Eigen::MatrixXd> factor(total);
    if (factor.info() != Eigen::Success) return Eigen::ArrayXd::Ones(n);
    const Eigen::ArrayXd precision = factor.solve(Eigen::MatrixXd::Identity(n, n)).diagonal().array();
    const Eigen::ArrayXd residual = factor.solve(set.z).array() / precision;
    const Eigen::ArrayXd variance = (1.0 / precision - of_datum).max(0.0);
    const std::vector<double> matched = matched_omega(
        student, {{n, residual.data(), nullptr, weights.data()}, center.data(), variance.data(), nullptr});
    omega = Eigen::Map<const Eigen::ArrayXd>(matched.data(), n);
  }
  return omega;
}

}  // namespace

std::vector<double> gamma_variables(const LocalData& data, const NeighborTable& neighbors, const Covariance& covariance,
                                    const StudentNoise& noise, const RunContext& context) {
  if (data.columns != 1) throw Error("Gamma variables are found from residuals alone, one column.");
  check_coordinates(data.coords);
  check_rows(neighbors.index, -1, data.coords.n);
  const int dim = data.coords.dim;
  const PreparedCovariance ready = prepare(covariance, dim, false);
  std::vector<double> result(neighbors.index.size(), 1.0);
  constexpr Index chunk_size = 64;
  parallel_for(context, (neighbors.n + chunk_size - 1) / chunk_size, [&](Index chunk) {
    for (Index t = chunk * chunk_size; t < std::min((chunk + 1) * chunk_size, neighbors.n); ++t) {
      const Neighbors set(data, neighbors[t], neighbors.k);
      const Points points{set.coords.data(), Index(set.place.size()), dim};
      const Eigen::ArrayXd omega =
          omega_of_set(set, covariance_matrix(ready, points, points), covariance.nugget, noise);
      for (std::size_t m = 0; m < set.place.size(); ++m) result[t * neighbors.k + set.place[m]] = omega(m);
    }
  });
  return result;
}

}  // namespace neargp
