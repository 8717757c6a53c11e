// The metric in which neighbours are searched where covariances of space and time have no distance of their own.
#pragma once

#include <vector>

#include "covariance/covariance.h"

namespace neargp {

// Ranges of component `index` such that correlations in space, at one time, and in time, at one place, of the whole
// sum have fallen half way to their limits at a distance of 1: in these units the points with most information about
// one are much the same as those with the largest covariance, and a tree of places finds them. Ratios of the ranges in
// space stay those of the component.
std::vector<double> search_ranges(const Covariance& covariance, int index);

}  // namespace neargp
