// The objective on inducing points for a response of any family whose rows are in parts. Each part computes its share,
// and the search combines the shares of all parts.
#include <memory>

#include "base/error.h"
#include "bind_blas.h"
#include "bind_bound.h"
#include "bind_convert.h"
#include "bind_covariance.h"
#include "bind_eigen.h"
#include "bind_latent.h"
#include "bind_numbers.h"

namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

template <class Moments, class Visitor>
void visit_moments(Moments& moments, Visitor&& visit) {
  visit(moments.gram);
  visit(moments.cross);
  visit(moments.columns);
}

template <class Gradient, class Visitor>
void visit_gradient(Gradient& gradient, Visitor&& visit) {
  visit(gradient.parameters.data(), neargp::Index(gradient.parameters.size()));
  visit(gradient.positions);
}

// All data to which the rows of a part refer.
struct RowsOfPart {
  PointStore coords, inducing;
  neargp::LatentResponse response;
  neargp::Likelihood likelihood;
  neargp::PreparedCovariance covariance;
  neargp::InducingPoints points;
  neargp::InducingFactor factor;
  neargp::RunContext context;
  neargp::FamilyRowsHere rows;

  RowsOfPart(const Rcpp::NumericMatrix& coords_, const Rcpp::List& response_, const Rcpp::NumericMatrix& inducing_,
             const neargp::Covariance& covariance_, const neargp::Likelihood& likelihood_, double jitter,
             const neargp::RunContext& context_)
      : coords(coords_), inducing(inducing_), response(to_response(response_)), likelihood(likelihood_),
        covariance(neargp::prepare(covariance_, coords.view().dim, true)), points(covariance, inducing.view()),
        factor(points, jitter, true), context(context_),
        rows(response, coords.view(), factor, likelihood, 0, neargp::FamilyBoundSettings().chunk_rows, context) {
    neargp::check_parameters(likelihood);
  }
};

using PartPointer = Rcpp::XPtr<RowsOfPart>;

// Rows whose results come from functions of R, which ask the owners of the rows. Parts in this process choose what
// computes their products, so that the choice is made again after each call.
class RowsOfParts : public neargp::FamilyRows {
 public:
  RowsOfParts(const Rcpp::List& parts, const neargp::InducingPoints& points, int coefficients,
              const Rcpp::List& context)
      : moments_(Rcpp::as<Rcpp::Function>(parts["moments"])), expect_(Rcpp::as<Rcpp::Function>(parts["expect"])),
        gradient_(Rcpp::as<Rcpp::Function>(parts["gradient"])), points_(points), coefficients_(coefficients),
        context_(context), unexplained_(to_eigen_vector(Rcpp::as<Rcpp::Function>(parts["unexplained"])())) {
    use_products_of(context_);
  }

  const VectorXd& unexplained() const override { return unexplained_; }

  neargp::RegressionMoments moments(const VectorXd& precision, const VectorXd& natural) const override {
    const Eigen::Index m = points_.size(), p = coefficients_;
    neargp::RegressionMoments sums{MatrixXd(m, m), MatrixXd(m, p + 1), MatrixXd(p, p + 1)};
    NumberReader reader(moments_(to_r(precision), to_r(natural)));
    use_products_of(context_);
    visit_moments(sums, [&](auto&&... values) { reader.read(values...); });
    return sums;
  }

  neargp::FamilyExpectations expect(const neargp::InducingPosterior& field, double v) const override {
    const Rcpp::List found = expect_(field_to_r(field), v);
    use_products_of(context_);
    const Rcpp::NumericVector sums = found["sums"];
    const MatrixXd rows = to_eigen(found["rows"]);
    return {sums[0], {sums.begin() + 1, sums.end()}, rows.col(0), rows.col(1), rows.col(2), rows.col(3)};
  }

  neargp::InducingGradient gradient(const neargp::InducingPosterior& field, double v, const VectorXd& slope,
                                    const VectorXd& curvature) const override {
    neargp::InducingGradient gradient = points_.zero_gradient();
    NumberReader reader(gradient_(field_to_r(field), v, to_r(slope), to_r(curvature)));
    use_products_of(context_);
    visit_gradient(gradient, [&](auto&&... values) { reader.read(values...); });
    return gradient;
  }

 private:
  static Rcpp::List field_to_r(const neargp::InducingPosterior& field) {
    return Rcpp::List::create(Rcpp::_["mean"] = to_r(field.mean), Rcpp::_["beta"] = to_r(field.beta),
                              Rcpp::_["factor"] = to_r(field.factor));
  }

  Rcpp::Function moments_, expect_, gradient_;
  const neargp::InducingPoints& points_;
  int coefficients_;
  const Rcpp::List& context_;
  VectorXd unexplained_;
};

neargp::InducingPosterior to_field(const Rcpp::List& list) {
  neargp::InducingPosterior field;
  field.mean = to_eigen_vector(list["mean"]);
  field.beta = to_eigen_vector(list["beta"]);
  field.factor = to_eigen(list["factor"]);
  return field;
}

}  // namespace

// ---- a part ---------------------------------------------------------------------------------------------------------

// [[Rcpp::export]]
SEXP core_family_part(const Rcpp::NumericMatrix& coords, const Rcpp::List& response,
                      const Rcpp::NumericMatrix& inducing, const Rcpp::List& covariance, const std::string& family,
                      const Rcpp::NumericVector& parameters, double jitter, const Rcpp::List& context) {
  return PartPointer(new RowsOfPart(coords, response, inducing, to_covariance(covariance, 0.0),
                                    to_likelihood(family, parameters), jitter, run_context(context)),
                     true);
}

// [[Rcpp::export]]
Rcpp::NumericVector core_family_part_unexplained(SEXP part) { return to_r(PartPointer(part)->rows.unexplained()); }

// [[Rcpp::export]]
Rcpp::NumericVector core_family_part_moments(SEXP part, const Rcpp::NumericVector& precision,
                                             const Rcpp::NumericVector& natural, const Rcpp::List& context) {
  use_products_of(context);
  Numbers numbers;
  const neargp::RegressionMoments sums =
      PartPointer(part)->rows.moments(to_eigen_vector(precision), to_eigen_vector(natural));
  visit_moments(sums, [&](const auto&... values) { numbers.write(values...); });
  return numbers.all();
}

// sums: E log p and its derivatives; rows: linear predictor, variance, slope and curvature.
// [[Rcpp::export]]
Rcpp::List core_family_part_expect(SEXP part, const Rcpp::List& field, double share, const Rcpp::List& context) {
  use_products_of(context);
  const neargp::FamilyExpectations at = PartPointer(part)->rows.expect(to_field(field), share);
  Rcpp::NumericVector sums(1 + at.d_likelihood.size());
  sums[0] = at.sum;
  std::copy(at.d_likelihood.begin(), at.d_likelihood.end(), sums.begin() + 1);
  MatrixXd rows(at.slope.size(), 4);
  rows << at.linear_predictor, at.variance, at.slope, at.curvature;
  return Rcpp::List::create(Rcpp::_["sums"] = sums, Rcpp::_["rows"] = to_r(rows));
}

// [[Rcpp::export]]
Rcpp::NumericVector core_family_part_gradient(SEXP part, const Rcpp::List& field, double share,
                                              const Rcpp::NumericVector& slope, const Rcpp::NumericVector& curvature,
                                              const Rcpp::List& context) {
  use_products_of(context);
  Numbers numbers;
  const neargp::InducingGradient gradient =
      PartPointer(part)->rows.gradient(to_field(field), share, to_eigen_vector(slope), to_eigen_vector(curvature));
  visit_gradient(gradient, [&](const auto&... values) { numbers.write(values...); });
  return numbers.all();
}

// ---- all of them ----------------------------------------------------------------------------------------------------

// The result of core_family_bound(). parts: functions that return for all parts what the functions above return for
// each.
// [[Rcpp::export]]
Rcpp::List core_family_bound_of_parts(const Rcpp::List& parts, const Rcpp::NumericVector& offset, int coefficients,
                                      const Rcpp::NumericMatrix& inducing, const Rcpp::List& covariance,
                                      const Rcpp::List& start, int places, const std::string& bound, double jitter,
                                      double tolerance, bool derivatives, const Rcpp::List& context) {
  const neargp::FamilyPosterior begin = to_family_posterior(start);
  if (begin.precision.size() != offset.size() || begin.natural.size() != offset.size())
    throw neargp::Error("There must be one offset and one pseudo-observation for each row.");
  const PointStore positions(inducing);
  const neargp::Covariance prior = to_covariance(covariance, 0.0);
  const neargp::PreparedCovariance prepared = neargp::prepare(prior, positions.view().dim, true);
  const neargp::InducingPoints points(prepared, positions.view());
  const auto make_rows = [&](const neargp::InducingFactor&) {
    return std::make_unique<RowsOfParts>(parts, points, coefficients, context);
  };
  return family_bound_to_r(neargp::family_bound(make_rows, offset.begin(), points, prior, begin,
                                                family_bound_settings(bound, 1.0, jitter, tolerance, places, 0),
                                                derivatives, run_context(context)),
                           derivatives);
}
