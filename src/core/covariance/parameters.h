// The parameters of a covariance as one list of numbers, for optimisers, in the order of covariance.h. On the scale of
// the core they are variances, ranges, u and v, shapes and their like, with the nugget last. On the working scale they
// are without bounds.
#pragma once

#include <vector>

#include "covariance/covariance.h"

namespace neargp {

std::vector<double> parameter_values(const Covariance& covariance);
void set_parameter_values(Covariance& covariance, const std::vector<double>& values);

// How a parameter appears on the working scale: as it is, as its logarithm, as the logit of its half, or as its logit.
// The logit of its half is for a power in (0, 2).
enum class WorkingScale { identity, log, logit_half, logit };

double from_working(WorkingScale scale, double working);
double to_working(WorkingScale scale, double value);

// Turns a derivative on the scale on which the core differentiates (covariance.h) into one on the working scale.
// `is_shape`: the core differentiates in the value itself, else in its logarithm where `scale` is log.
double working_slope(WorkingScale scale, bool is_shape, double value);

// Parameters that an optimiser moves: how they appear to it and between which bounds, on the working scale.
struct WorkingParameters {
  std::vector<WorkingScale> scale;
  std::vector<double> lower, upper;
  std::vector<char> free;

  std::vector<double> working(const std::vector<double>& values) const;
  // Brings free entries of `working`, an array of as many, between their bounds, and sets the values that they stand
  // for. Parameters that are fixed stay exactly as they are.
  void set_values(double* working, std::vector<double>& values) const;
};

// Marks the shapes among the parameters.
std::vector<bool> shape_parameters(const Covariance& covariance);

}  // namespace neargp
