#include "optim/adam.h"

#include <doctest/doctest.h>

#include "optim/batches.h"

using neargp::RowAdam;

TEST_CASE("the first step of Adam is the learning rate in the direction of the gradient's sign") {
  RowAdam adam(1, 2);
  double x[2] = {0.0, 0.0};
  const double gradient[2] = {5.0, -0.01}, unit[2] = {1.0, 3.0};
  adam.step(0, x, gradient, 0.1, unit);
  CHECK(x[0] == doctest::Approx(0.1).epsilon(1e-5));
  CHECK(x[1] == doctest::Approx(-0.3).epsilon(1e-5));
}

TEST_CASE("Adam follows the published algorithm") {
  RowAdam adam(3, 1);
  double x = 1.0, expected = 1.0, first = 0.0, second = 0.0;
  for (int t = 1; t <= 500; ++t) {
    const double gradient = std::cos(0.1 * t) - x;
    first = 0.9 * first + 0.1 * (std::cos(0.1 * t) - expected);
    second = 0.999 * second + 0.001 * std::pow(std::cos(0.1 * t) - expected, 2);
    expected += 0.05 * (first / (1.0 - std::pow(0.9, t))) / (std::sqrt(second / (1.0 - std::pow(0.999, t))) + 1e-8);
    adam.step(1, &x, &gradient, 0.05);
    CHECK(x == doctest::Approx(expected).epsilon(1e-12));
  }
}

TEST_CASE("a column with a unit moves as if it were measured in it") {
  RowAdam plain(1, 1), measured(1, 1);
  const double unit = 1e9;
  double x = 0.3, y = 0.3 * unit;
  for (int t = 0; t < 50; ++t) {
    const double gradient = std::sin(double(t)) - x, in_unit = gradient / unit;
    plain.step(0, &x, &gradient, 0.1);
    measured.step(0, &y, &in_unit, 0.1, &unit);
    CHECK(y / unit == doctest::Approx(x).epsilon(1e-9));
  }
}

TEST_CASE("rows at rest keep their moments and their clock") {
  RowAdam alone(1, 1), among(2, 1);
  double x = 0.0, y = 0.0, other = 0.0;
  for (int t = 0; t < 50; ++t) {
    const double gradient = std::sin(double(t));
    alone.step(0, &x, &gradient, 0.1);
    for (int rest = 0; rest < t % 4; ++rest) among.step(1, &other, &gradient, 0.1);
    among.step(0, &y, &gradient, 0.1);
    CHECK(x == y);
  }
}

TEST_CASE("Adam goes on from its memory as if it had not stopped") {
  RowAdam whole(2, 1), before(2, 1), after(2, 1);
  double x = 0.2, y = 0.2;
  for (int t = 0; t < 40; ++t) {
    if (t == 15) after.restore(before.memory());
    const double gradient = std::sin(double(t)) - x;
    whole.step(1, &x, &gradient, 0.1);
    (t < 15 ? before : after).step(1, &y, &gradient, 0.1);
    CHECK(x == y);
  }
}

TEST_CASE("batches that skip rows are those that follow them") {
  for (const neargp::Index skipped : {0, 3, 10, 25, 30}) {
    neargp::Batches whole(10, 7, 1), rest(10, 7, 1);
    for (neargp::Index done = 0; done < skipped; ++done) whole.next(1);
    rest.skip(skipped);
    for (int batch = 0; batch < 5; ++batch) CHECK(whole.next(4) == rest.next(4));
  }
}
