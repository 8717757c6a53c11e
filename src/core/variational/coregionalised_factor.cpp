#include "variational/coregionalised_factor.h"

#include "base/error.h"

namespace neargp {

using Eigen::MatrixXd;

namespace {

// The correlation of a structure as the covariance of one output. Its unit variance is no parameter.
PreparedCovariance correlation_of(const PreparedCovariance& covariance, std::size_t c) {
  PreparedCovariance result;
  result.dim = covariance.dim;
  result.parameters = covariance.parameters;
  result.variance = 1.0;
  result.components = {covariance.components[c]};
  result.components[0].variance = 1.0;
  result.components[0].variance_parameter = -1;
  return result;
}

}  // namespace

CoregionalisedFactor::Structure::Structure(PreparedCovariance own, Points positions, double jitter, bool derivatives)
    : correlation(std::move(own)), points(correlation, positions), factor(points, jitter, derivatives) {}

CoregionalisedFactor::CoregionalisedFactor(const PreparedCovariance& covariance, Points positions, double jitter,
                                           bool derivatives)
    : covariance_(covariance) {
  const int outputs = covariance.outputs();
  if (outputs < 1) throw Error("A model of coregionalisation is of several outputs.");
  for (std::size_t c = 0; c < covariance.components.size(); ++c) {
    structures_.push_back(
        std::make_unique<const Structure>(correlation_of(covariance, c), positions, jitter, derivatives));
    const PreparedComponent& component = covariance.components[c];
    for (int f = 0; f < component.rank; ++f) {
      LatentField field{int(c), Eigen::VectorXd(outputs), component.variance_parameter + f, component.rank};
      for (int p = 0; p < outputs; ++p) field.loadings[p] = component.loadings[std::size_t(p * component.rank + f)];
      fields_.push_back(std::move(field));
    }
  }
}

bool CoregionalisedFactor::regular() const {
  for (const auto& structure : structures_)
    if (!structure->factor.regular()) return false;
  return true;
}

double CoregionalisedFactor::coregionalisation(int structure, int p, int q) const {
  double sum = 0.0;
  for (const LatentField& field : fields_)
    if (field.structure == structure) sum += field.loadings[p] * field.loadings[q];
  return sum;
}

MatrixXd CoregionalisedFactor::onto_fields(const MatrixXd& x, int output) const {
  const Index m = points();
  MatrixXd result(features(), x.cols());
  for (std::size_t q = 0; q < fields_.size(); ++q)
    result.middleRows(Index(q) * m, m) = fields_[q].loadings[output] * x.middleRows(fields_[q].structure * m, m);
  return result;
}

MatrixXd CoregionalisedFactor::from_fields(const MatrixXd& x, int output) const {
  const Index m = points();
  MatrixXd result = MatrixXd::Zero(place_features(), x.cols());
  for (std::size_t q = 0; q < fields_.size(); ++q)
    result.middleRows(fields_[q].structure * m, m) += fields_[q].loadings[output] * x.middleRows(Index(q) * m, m);
  return result;
}

}  // namespace neargp
