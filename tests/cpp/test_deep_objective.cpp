// The objective of deep Gaussian processes against differences, and what must not change it.
#include "deep/deep_objective.h"

#include "deep_fixtures.h"
#include "inducing_fixtures.h"

using namespace neargp;
using namespace fixtures;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

// The largest difference between the gradient and central differences, relative to the largest entry.
double gradient_error(const DeepState& state, const DeepRows& rows, const DeepObjectiveSettings& settings) {
  DeepState at = state;
  const VectorXd working = to_working(at);
  DeepValue found = deep_objective(state, rows, settings, with_threads(1));
  const VectorXd gradient = as_working(found.gradient);
  VectorXd differences(working.size());
  for (Index i = 0; i < working.size(); ++i)
    differences[i] = derivative(1e-3, [&](double by) {
      VectorXd moved = working;
      moved[i] += by;
      from_working(moved, at);
      at.log_weights.array() -= std::log(at.log_weights.array().exp().sum());
      return deep_objective(at, rows, settings, with_threads(1)).value;
    });
  return (gradient - differences).cwiseAbs().maxCoeff() / differences.cwiseAbs().maxCoeff();
}

}  // namespace

TEST_CASE("the gradient of a deep objective is that of differences, with draws of each row") {
  const DeepCase at(3, SiteRule::random, 20);
  const std::vector<int> of_data{4, 9, 2, 77, 1, 0, 5, 8, 30, 31, 3, 6, 7, 10, 11, 12, 13, 14, 15, 16};
  DeepObjectiveSettings settings;
  settings.step = 3;
  settings.beta = 0.4;
  const DeepRows rows{at.x.view(), at.response, of_data.data()};
  CHECK(gradient_error(at.state, rows, settings) < 1e-7);
  settings.score = DeepScore::expected;
  CHECK(gradient_error(at.state, rows, settings) < 1e-7);
  settings.score = DeepScore::robust;
  settings.gamma = 1.1;
  CHECK(gradient_error(at.state, rows, settings) < 1e-7);
}

TEST_CASE("the gradient in a trend is that of differences, of one output and of several with weights") {
  for (const int outputs : {1, 2}) {
    DeepCase at(2, SiteRule::free, 12, outputs);
    at.response.columns = 2;
    at.state.trend = MatrixXd::Constant(2, outputs, 0.4);
    for (int i = 0; i < 24; ++i) at.response.design.push_back(std::cos(1.0 + i));
    for (int i = 0; i < 12; ++i) at.response.weights.push_back(0.5 + 0.1 * i);
    if (outputs == 1) at.response.offset.assign(12, 0.3);
    for (const DeepScore score : {DeepScore::mixture, DeepScore::expected}) {
      DeepObjectiveSettings settings;
      settings.score = score;
      CHECK(gradient_error(at.state, {at.x.view(), at.response, nullptr}, settings) < 1e-7);
    }
  }
}

TEST_CASE("draws are those of the row, wherever it is in a batch") {
  const DeepCase at(2, SiteRule::random, 2);
  const DeepCase swapped = at.with_rows_reversed();
  const std::vector<int> rows{5, 6}, reversed{6, 5};
  DeepObjectiveSettings settings;
  settings.step = 1;
  const auto value = [&](const DeepCase& one, const std::vector<int>& of_data) {
    return deep_objective(one.state, {one.x.view(), one.response, of_data.data()}, settings, with_threads(1)).value;
  };
  CHECK(value(at, rows) == doctest::Approx(value(swapped, reversed)).epsilon(1e-13));
  CHECK(std::abs(value(at, rows) - value(swapped, rows)) > 1e-6);
  const double first_step = value(at, rows);
  settings.step = 2;
  CHECK(std::abs(value(at, rows) - first_step) > 1e-6);
}

TEST_CASE("a deep objective does not depend on threads") {
  const DeepCase at(2, SiteRule::free, 700);
  const DeepRows rows{at.x.view(), at.response};
  DeepValue one = deep_objective(at.state, rows, {}, with_threads(1));
  for (const int threads : {2, 4}) {
    DeepValue several = deep_objective(at.state, rows, {}, with_threads(threads));
    CHECK(one.value == several.value);
    CHECK(as_working(one.gradient) == as_working(several.gradient));
    CHECK(deep_components(at.state, at.x.view(), with_threads(1)).mean ==
          deep_components(at.state, at.x.view(), with_threads(threads)).mean);
  }
}

TEST_CASE("memory of earlier steps changes no digit of a deep objective") {
  const DeepCase first(3, SiteRule::free, 300);
  DeepState moved = first.state;
  from_working(1.1 * to_working(moved), moved);
  DeepWorkspace workspace;
  for (const DeepState* state : {&first.state, static_cast<const DeepState*>(&moved), &first.state}) {
    DeepValue again = deep_objective(*state, {first.x.view(), first.response}, {}, with_threads(2), workspace);
    DeepValue fresh = deep_objective(*state, {first.x.view(), first.response}, {}, with_threads(1));
    CHECK(again.value == fresh.value);
    CHECK(as_working(again.gradient) == as_working(fresh.gradient));
  }
}

TEST_CASE("the mean over equal batches is the objective of all rows") {
  const DeepCase at(2, SiteRule::free, 60);
  DeepObjectiveSettings settings;
  settings.rows = 60;
  const double all = deep_objective(at.state, {at.x.view(), at.response}, settings, with_threads(1)).value;
  double sum = 0.0;
  for (int batch = 0; batch < 3; ++batch) {
    const Points part{at.x.view()[batch * 20], 20, at.x.dim};
    const DeepResponse response = rows_of(at.response, batch * 20, 20);
    sum += deep_objective(at.state, {part, response}, settings, with_threads(1)).value / 3.0;
  }
  CHECK(sum == doctest::Approx(all).epsilon(1e-13));
}
