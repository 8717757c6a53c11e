#pragma once

#include <Rcpp.h>

#include <memory>
#include <vector>

#include "covariance/covariance.h"
#include "covariance/lag_correlation.h"
#include "covariance/parameters.h"
#include "covariance/prepared.h"
#include "geometry/points.h"

// Takes R's list(specification = pointer, values = numeric). The specification was parsed once, and the values are in
// the order of covariance.h. Those of a response's family may follow them. `nugget` is in place of the one among the
// values. See R/covariance-specification.R.
neargp::Covariance to_covariance(const Rcpp::List& specified, double nugget);
neargp::Component to_component(const Rcpp::List& component);

// transform, lower, upper, free
neargp::WorkingParameters to_working_parameters(const Rcpp::List& list);

// The metric of a component: coordinates divided by their ranges, and turned or warped if the component is anisotropic
// or warped.
class Metric {
 public:
  // The layout of points with so many columns: their coordinates, covariates of local fields, and sources of warped
  // coordinates.
  Metric(const Rcpp::List& component, int columns);
  int dim() const { return covariance_.components[0].dim(); }
  // Row-major.
  std::vector<double> scaled(neargp::Points points) const;

 private:
  neargp::PreparedCovariance covariance_;
  int columns_;
};

// Nearness of a search in space and time: R's list(covariance = specified, unit = numeric), the units those of
// the first coordinate and of time, or NULL for the distance.
class Lags {
 public:
  Lags(const Rcpp::Nullable<Rcpp::List>& lags, int dim);
  // Null for the distance.
  const neargp::LagOrder* order() const { return order_.get(); }

 private:
  std::unique_ptr<neargp::CovarianceLags> correlation_;
  std::unique_ptr<neargp::LagOrder> order_;
};
