#include "latent/evidence_bound.h"

namespace neargp {

double evidence_bound(double expected_log_likelihood, const LatentModel& model, const PosteriorFactor& factor,
                      const std::vector<double>& precision, const std::vector<double>& mean) {
  double value = log_joint_density(expected_log_likelihood, model, mean);
  const std::vector<double>& variance = factor.variance_at_data();
  for (std::size_t i = 0; i < variance.size(); ++i) {
    const double given_nodes = model.interpolates() ? model.interpolation().variance()[i] : 0.0;
    value += 0.5 * precision[i] * (variance[i] - given_nodes);
  }
  return value + 0.5 * model.log_det_precision() - 0.5 * factor.log_det();
}

double log_joint_density(double log_likelihood, const LatentModel& model, const std::vector<double>& field) {
  return log_likelihood - 0.5 * model.precision_form(field);
}

double laplace_evidence(double log_joint_density, const LatentModel& model, const PosteriorFactor& factor) {
  return log_joint_density + (0.5 * model.log_det_precision() - 0.5 * factor.log_det());
}

}  // namespace neargp
