// The metric in which neighbours are searched where covariances of space and time are not functions of one distance.
#pragma once

#include <vector>

#include "covariance/covariance.h"

namespace neargp {

// Ranges of component `index` for the search. At a distance of 1 the correlation of the whole sum has fallen half way
// to its limit. That holds in space, at one time, and in time, at one location. In these units the nearest points,
// which a tree finds, are much the same as those with the largest covariance, and as those with most information.
// Ratios of the ranges in space stay those of the component.
std::vector<double> search_ranges(const Covariance& covariance, int index);

}  // namespace neargp
