// The precision of effects without a factor, against the dense matrix: the approximate inverse by what defines it, and
// what is a mean over random signs by its standard error.
#include <doctest/doctest.h>

#include <Eigen/Dense>
#include <cmath>
#include <limits>

#include "core_fixtures.h"
#include "effects/dense_effect_system.h"
#include "effects/effects_likelihood.h"
#include "effects/iterative_effect_system.h"

using namespace neargp;
using namespace fixtures;

namespace {

const RunContext context;

constexpr int many_probes = IterativeEffectSystem::many_probes;
constexpr double unlimited = std::numeric_limits<double>::infinity();

// Rows with scattered levels of two factors, the second of which comes with a slope, and a column shared by all rows.
struct Scattered {
  static constexpr int rows = 600, k = 5, first = 80, second = 40, slots = 4, columns = first + 2 * second + 1;
  Data data{uniform_cloud(rows, 2, 7), 3};
  NeighborTable neighbors = neighbors_before(data, k);
  LocalProblem problem{data.view(), neighbors, {}, context};
  std::vector<int> column;
  std::vector<double> value;

  Scattered() {
    for (int i = 0; i < rows; ++i) {
      const int level = (i * 7) % 13 + (i * i) % second % 27;
      column.insert(column.end(), {(i * 31) % first, first + 2 * level, first + 2 * level + 1, columns - 1});
      value.insert(value.end(), {1.0, 1.0, 0.5 + std::sin(double(i)), std::cos(3.0 * i)});
    }
  }
  EffectColumns view() const { return {columns, slots, column.data()}; }
  EffectRows whitened() const {
    EffectRows result(problem, view(), context);
    std::vector<double> weights(rows * k), variance(rows);
    for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = 0.15 + 0.1 * std::sin(double(i));
    for (std::size_t i = 0; i < variance.size(); ++i) variance[i] = 0.5 + 0.3 * std::cos(double(i));
    result.set_values(value.data());
    result.whiten(weights, variance, context);
    return result;
  }
};

Eigen::MatrixXd dense(const EffectRows& rows) {
  Eigen::MatrixXd W = Eigen::MatrixXd::Zero(rows.targets(), rows.columns());
  for (Index t = 0; t < rows.targets(); ++t)
    for (int a = 0; a < rows.count(t); ++a) W(t, rows.column(t)[a]) = rows.entries(t)[a];
  return W;
}

Eigen::MatrixXd precision(const EffectRows& rows) {
  const Eigen::MatrixXd W = dense(rows);
  return Eigen::MatrixXd::Identity(W.cols(), W.cols()) + W.transpose() * W;
}

double log_determinant(const Eigen::MatrixXd& C) { return C.ldlt().vectorD().array().log().sum(); }

Eigen::MatrixXd factor_of(const ApproximateInverse& inverse, int q) {
  std::vector<double> unit(std::size_t(q) * 4), product(unit.size());
  Eigen::MatrixXd F(q, q);
  for (int j = 0; j < q; ++j) {
    std::fill(unit.begin(), unit.end(), 0.0);
    unit[std::size_t(j) * 4] = 1.0;
    inverse.multiply(unit.data(), 4, product.data(), context);
    for (int i = 0; i < q; ++i) F(i, j) = product[std::size_t(i) * 4];
  }
  return F;
}

double trace_with(EffectSystem& system, const EffectRows& rows) {
  std::vector<double> h(rows.most());
  double sum = 0.0;
  for (Index t = 0; t < rows.targets(); ++t) {
    system.multiply_inverse(t, h.data());
    for (int a = 0; a < rows.count(t); ++a) sum += rows.entries(t)[a] * h[a];
  }
  return sum;
}

}  // namespace

TEST_CASE("products with the Gram matrix are those of the dense one") {
  const Scattered effects;
  const EffectRows rows = effects.whitened();
  const GramColumns gram(rows);
  const Eigen::MatrixXd C = precision(rows);
  for (const int width : {4, 16}) {
    using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    RowMajor x(C.rows(), width), y(C.rows(), width);
    for (Index i = 0; i < x.size(); ++i) x.data()[i] = std::sin(1.0 + double(i));
    gram.multiply(x.data(), width, y.data(), context);
    CHECK((y - C * x).cwiseAbs().maxCoeff() < 1e-10 * C.norm());
  }
}

TEST_CASE("F C F' has a diagonal of ones, and zeros where F has entries") {
  const Scattered effects;
  const EffectRows rows = effects.whitened();
  const GramColumns gram(rows);
  ApproximateInverse inverse(gram, 4, context);
  REQUIRE(inverse.factorize(context));
  const int q = rows.columns();
  const Eigen::MatrixXd F = factor_of(inverse, q), C = precision(rows), A = F * C * F.transpose();
  CHECK((A.diagonal().array() - 1.0).abs().maxCoeff() < 1e-10);
  CHECK(((F.array() != 0.0).rowwise().count().array() <= 5).all());
  const Eigen::MatrixXd off = (F * C).cwiseProduct((F.array() != 0.0).cast<double>().matrix());
  for (int j = 0; j < q; ++j) {
    Eigen::VectorXd row = off.row(j);
    row[j] = 0.0;
    CHECK(row.cwiseAbs().maxCoeff() < 1e-8);
  }
  const Eigen::MatrixXd P = F.transpose() * F;
  CHECK(inverse.log_det() == doctest::Approx(-log_determinant(P)).epsilon(1e-10));
  CHECK(inverse.log_det() > log_determinant(C));
  std::vector<double> h(rows.most());
  const Eigen::MatrixXd product = P * dense(rows).transpose();
  double worst = 0.0;
  for (Index t = 0; t < rows.targets(); ++t) {
    inverse.multiply_row(t, h.data());
    for (int a = 0; a < rows.count(t); ++a) {
      worst = std::max(worst, std::abs(h[a] - product(rows.column(t)[a], t)));
      worst = std::max(worst, std::abs(inverse.entry(rows.column(t)[a], rows.column(t)[0]) -
                                       P(rows.column(t)[a], rows.column(t)[0])));
    }
  }
  CHECK(worst < 1e-10);
}

TEST_CASE("means over random signs are within their standard errors, and solutions are exact") {
  const Scattered effects;
  const EffectRows rows = effects.whitened();
  IterativeEffectSystem system(rows, std::make_unique<DenseEffectSystem>(rows), many_probes, context);
  REQUIRE(system.factorize(context));
  const Eigen::MatrixXd C = precision(rows), W = dense(rows);
  const double exact = log_determinant(C), error = system.log_det_error();
  CHECK(error > 0.0);
  CHECK(std::abs(system.log_det() - exact) < 4.0 * error);
  Eigen::MatrixXd x = W.transpose().leftCols(6);
  const Eigen::MatrixXd solution = C.ldlt().solve(x);
  system.solve(x);
  CHECK((x - solution).cwiseAbs().maxCoeff() < 1e-8 * solution.cwiseAbs().maxCoeff());
  const int columns[] = {2, 17, 33};
  const double entries[] = {1.0, -2.0, 0.5};
  Eigen::VectorXd v = Eigen::VectorXd::Zero(C.rows());
  for (int i = 0; i < 3; ++i) v[columns[i]] = entries[i];
  CHECK(system.inverse_form(columns, entries, 3) == doctest::Approx(v.dot(C.ldlt().solve(v))).epsilon(1e-8));
  // tr P W'W = q - tr P
  system.invert(context);
  const double trace = C.rows() - C.inverse().trace();
  CHECK(trace_with(system, rows) == doctest::Approx(trace).epsilon(0.01));
  double diagonal = 0.0;
  for (int j = 0; j < C.rows(); ++j) diagonal += system.inverse(j, j);
  CHECK(C.rows() - diagonal == doctest::Approx(trace).epsilon(0.01));
  system.refine_log_det(context);
  CHECK(system.log_det_error() < 0.6 * error);
  CHECK(std::abs(system.log_det() - exact) < 4.0 * system.log_det_error());
}

TEST_CASE("with few signs means are within their standard errors, too") {
  const Scattered effects;
  const EffectRows rows = effects.whitened();
  IterativeEffectSystem system(rows, std::make_unique<DenseEffectSystem>(rows), IterativeEffectSystem::few_probes,
                               context);
  REQUIRE(system.factorize(context));
  const Eigen::MatrixXd C = precision(rows);
  CHECK(std::abs(system.log_det() - log_determinant(C)) < 6.0 * system.log_det_error());
  system.invert(context);
  CHECK(trace_with(system, rows) == doctest::Approx(C.rows() - C.inverse().trace()).epsilon(0.02));
}

TEST_CASE("what is solved from a solution nearby is solved to digits of the difference") {
  const Scattered effects;
  const EffectRows rows = effects.whitened();
  IterativeEffectSystem system(rows, std::make_unique<DenseEffectSystem>(rows), many_probes, context);
  REQUIRE(system.factorize(context));
  const Eigen::MatrixXd C = precision(rows), right = dense(rows).transpose().leftCols(6),
                        solution = C.ldlt().solve(right);
  Eigen::MatrixXd near = solution, x = right;
  for (Index i = 0; i < near.size(); ++i) near.data()[i] *= 1.0 + 1e-4 * std::sin(double(i));
  system.solve_near(x, near);
  CHECK((x - solution).norm() < 0.01 * (near - solution).norm());
}

// The gradient is smooth in the parameters, so that two differences give the same slope. The steps are so short that
// the error of a separate solution would be seen. After hold() the gradient is precise enough for them.
TEST_CASE("gradients near held parameters make differences of small steps") {
  const Scattered effects;
  Covariance covariance;
  covariance.components = {component(Family::exponential, 0.8, {0.3}, {0, 0})};
  covariance.nugget = 0.2;
  Eigen::MatrixXd contrast = Eigen::MatrixXd::Zero(effects.problem.columns(), 1);
  contrast(0, 0) = 1.0;
  EffectsLikelihood likelihood(effects.problem, effects.view(), unlimited, 0.0, false, context);
  const auto gradient_at = [&](double nugget) {
    Covariance own = covariance;
    own.nugget = nugget;
    likelihood.evaluate(own, effects.value.data(), context);
    return likelihood.derivatives(contrast, context).gradient;
  };
  gradient_at(0.2);
  likelihood.hold(context);
  const auto slope = [&](double step) {
    const std::vector<double> above = gradient_at(0.2 + step), below = gradient_at(0.2 - step);
    std::vector<double> result;
    for (std::size_t a = 0; a < above.size(); ++a) result.push_back((above[a] - below[a]) / (2.0 * step));
    return result;
  };
  const std::vector<double> coarse = slope(1e-4), fine = slope(1e-6);
  likelihood.let_go();
  for (std::size_t a = 0; a < fine.size(); ++a) CHECK(fine[a] == doctest::Approx(coarse[a]).epsilon(1e-3));
}

// Levels of which only some four share rows: F has all ties, and A is I.
TEST_CASE("nothing is left to chance where few columns share rows") {
  constexpr int cliques = 30, slots = 3;
  const Data data(uniform_cloud(300, 1, 7), 3);
  const NeighborTable none(300, 1);
  const LocalProblem problem(data.view(), none, {}, context);
  std::vector<int> column;
  std::vector<double> value;
  for (int t = 0; t < 300; ++t)
    for (int s = 0; s < slots; ++s) {
      column.push_back(4 * (t % cliques) + (t / cliques + s) % 4);
      value.push_back(std::sin(1.0 + 3.0 * t + s));
    }
  EffectRows rows(problem, {4 * cliques, slots, column.data()}, context);
  rows.set_values(value.data());
  rows.whiten(std::vector<double>(300), std::vector<double>(300, 0.4), context);
  IterativeEffectSystem system(rows, nullptr, many_probes, context);
  REQUIRE(system.factorize(context));
  system.invert(context);
  const Eigen::MatrixXd C = precision(rows);
  CHECK(system.log_det() == doctest::Approx(log_determinant(C)).epsilon(1e-11));
  CHECK(system.log_det_error() < 1e-10);
  CHECK(trace_with(system, rows) == doctest::Approx(C.rows() - C.inverse().trace()).epsilon(1e-10));
}

TEST_CASE("an exact factor takes over where conjugate gradients do not converge") {
  // the column of all rows is the sum of those of either factor's intercepts
  Scattered effects;
  for (std::size_t i = 3; i < effects.value.size(); i += Scattered::slots) effects.value[i] = 1.0;
  for (double& value : effects.value) value *= 1e7;
  const EffectRows rows = effects.whitened();
  IterativeEffectSystem system(rows, std::make_unique<DenseEffectSystem>(rows), many_probes, context);
  REQUIRE(system.factorize(context));
  DenseEffectSystem exact(rows);
  REQUIRE(exact.factorize(context));
  CHECK(system.log_det() == exact.log_det());
  CHECK(system.log_det_error() == 0.0);
}

// Random signs are solved to fewer digits than right-hand sides, in fewer steps.
TEST_CASE("an exact factor takes over where conjugate gradients converge for random signs alone") {
  const Scattered effects;
  const EffectRows rows = effects.whitened();
  const Eigen::MatrixXd C = precision(rows), right = dense(rows).transpose().leftCols(6);
  const Eigen::MatrixXd solution = C.ldlt().solve(right);
  constexpr int most_steps = 20;
  IterativeEffectSystem system(rows, std::make_unique<DenseEffectSystem>(rows), many_probes, context, most_steps);
  REQUIRE(system.factorize(context));
  CHECK(system.log_det_error() > 0.0);
  Eigen::MatrixXd x = right;
  REQUIRE(system.solve(x));
  CHECK((x - solution).norm() < 1e-9 * solution.norm());
  CHECK(system.log_det_error() == 0.0);
  CHECK(system.log_det() == doctest::Approx(log_determinant(C)).epsilon(1e-10));
  IterativeEffectSystem without(rows, nullptr, many_probes, context, most_steps);
  REQUIRE(without.factorize(context));
  CHECK_FALSE(without.solve(x));
}

TEST_CASE("likelihoods without a factor are near those with one, and the same for any number of threads") {
  const Scattered effects;
  Covariance covariance;
  covariance.components = {component(Family::exponential, 0.8, {0.3}, {0, 0})};
  covariance.nugget = 0.2;
  Eigen::MatrixXd contrast(effects.problem.columns(), 1);
  for (int c = 0; c < contrast.rows(); ++c) contrast(c, 0) = c == 0 ? 1.0 : -0.3;
  const auto evaluated = [&](double most_exact, int threads) {
    RunContext own;
    own.threads = threads;
    EffectsLikelihood likelihood(effects.problem, effects.view(), unlimited, most_exact, false, own);
    const EffectSums sums = likelihood.evaluate(covariance, effects.value.data(), own);
    REQUIRE(likelihood.system().iterates() == (most_exact < 1.0));
    std::vector<double> result = likelihood.derivatives(contrast, own).gradient;
    result.insert(
        result.end(),
        {sums.log_det,
         (contrast.transpose() * Eigen::Map<const Eigen::MatrixXd>(sums.gram.data(), contrast.rows(), contrast.rows()) *
          contrast)(0, 0)});
    return result;
  };
  const std::vector<double> exact = evaluated(unlimited, 1), found = evaluated(0.0, 1);
  CHECK(found.back() == doctest::Approx(exact.back()).epsilon(1e-9));
  // the standard deviation of half a derivative is some sqrt(n / 2) = 17
  for (std::size_t a = 0; a + 2 < exact.size(); ++a) CHECK(std::abs(found[a] - exact[a]) < 2.0);
  CHECK(found == evaluated(0.0, 2));
}
