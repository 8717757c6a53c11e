// Leave-one-out moments of labels and of pseudo-observations on a device, which is emulated: that they are the CPU's,
// and what travels.
#include <doctest/doctest.h>

#include <cmath>

#include "core_fixtures.h"
#include "emulated_device.h"
#include "loo/label_regression.h"
#include "loo/pseudo_observations.h"

using namespace neargp;
using namespace fixtures;
using emulated::on_emulated;

namespace {

constexpr int n = 400, k = 10;

Covariance exponential() { return {{component(Family::exponential, 0.8, {0.2}, {0, 0})}, 0.1, {1, 1, 1}}; }

void check_same(const std::vector<double>& values, const std::vector<double>& expected) {
  REQUIRE(values.size() == expected.size());
  for (std::size_t i = 0; i < values.size(); ++i) CHECK(values[i] == doctest::Approx(expected[i]).epsilon(1e-10));
}

// Bytes that go to the device while action() runs.
template <class Action>
Index sent_by(const Action& action) {
  const Index before = emulated::state().uploaded_bytes;
  action();
  return emulated::state().uploaded_bytes - before;
}

struct Labels {
  Data data{uniform_cloud(n, 2, 7), 1};
  NeighborTable neighbors = neighbors_others(data, k);
  std::vector<double> counts = std::vector<double>(3 * n, 0.0);

  Labels() {
    for (int i = 0; i < n; ++i) counts[3 * i + (i * 7) % 3] = 1.0 + i % 2;
  }
  LabelRegression model(bool per_class) const {
    return {{data.cloud.view(), 3, counts.data()}, per_class, data.cloud.view(), neighbors};
  }
};

}  // namespace

TEST_CASE("labels on a device: data go there once for the same targets, afterwards derivatives of moments do") {
  for (const bool per_class : {false, true}) {
    CAPTURE(per_class);
    const emulated::Fresh device;
    const Labels labels;
    const RunContext plain;
    {
      const LabelRegression model = labels.model(per_class), reference = labels.model(per_class);
      LabelMoments moments, bar;
      const Index first = sent_by([&] { moments = model.moments(20, n, exponential(), on_emulated()); });
      const LabelMoments expected = reference.moments(20, n, exponential(), plain);
      check_same(moments.mean, expected.mean);
      check_same(moments.variance, expected.variance);
      CHECK(first > Index((n - 20) * k * sizeof(int)));

      bar = moments;
      const Index in_bar = Index((bar.mean.size() + bar.variance.size()) * sizeof(double));
      const Index again = sent_by([&] {
        model.moments(20, n, exponential(), on_emulated());
        check_same(model.adjoint(20, n, exponential(), bar, on_emulated()),
                   reference.adjoint(20, n, exponential(), bar, plain));
      });
      CHECK(again - in_bar < 20 * 500);  // a covariance for each block
      check_same(model.moments(0, 30, exponential(), on_emulated()).mean,
                 reference.moments(0, 30, exponential(), plain).mean);
      check_same(model.moments(0, 30, exponential(), plain).mean, reference.moments(0, 30, exponential(), plain).mean);
    }
    CHECK(emulated::state().living == 0);
  }
}

TEST_CASE(
    "pseudo-observations on a device: data go there once for the same targets, afterwards derivatives of moments do") {
  const emulated::Fresh device;
  const Data data(uniform_cloud(n, 2, 7), 3);
  const RunContext plain;
  const PseudoObservations model(data.view(), data.cloud.view(), neighbors_others(data, k));
  const PseudoObservations reference(data.view(), data.cloud.view(), neighbors_others(data, k));
  const PseudoObservationMoments moments = model.moments(0, n, exponential(), on_emulated());
  const PseudoObservationMoments expected = reference.moments(0, n, exponential(), plain);
  check_same(moments.weighted, expected.weighted);
  check_same(moments.variance, expected.variance);
  const Index sent = sent_by([&] {
    model.moments(0, n, exponential(), on_emulated());
    check_same(model.adjoint(0, n, exponential(), expected, on_emulated()),
               reference.adjoint(0, n, exponential(), expected, plain));
  });
  CHECK(sent < Index((3 + 1) * n * sizeof(double)) + 2 * 500);
}
