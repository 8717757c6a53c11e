// The mini-batch objective of the mean-field posterior on a device, which is emulated: that it is the CPU's, and what
// travels.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "emulated_device.h"
#include "mean_field_fixtures.h"

using namespace neargp;
using namespace fixtures;

namespace {

using emulated::on_emulated;

Covariance exponential() { return {{component(Family::exponential, 0.8, {0.2}, {0, 0})}, 0.0, {1, 1, 1}}; }

// Different nodes and data at each step, in ascending order.
MeanFieldBatch batch_of(const MeanField& bound, bool at_nodes, int size, int step) {
  const auto some = [&](Index n, int seed) {
    std::vector<int> rows = shuffled(int(n), seed);
    rows.resize(size);
    std::sort(rows.begin(), rows.end());
    return rows;
  };
  if (at_nodes) return bound.at_nodes(some(bound.nodes(), step));
  return {some(bound.nodes(), step), some(bound.data(), 100 + step), 2.0, 3.0};
}

// Nodes of the batch move, as an optimiser moves them.
void step_from(MeanFieldPoint& point, const MeanFieldGradient& gradient) {
  const std::size_t dim = gradient.locations.size() / (point.moments.size() / 2);
  for (const int node : gradient.active) {
    point.moments[2 * node] += 0.01 * gradient.moments[2 * node];
    point.moments[2 * node + 1] *= 1.1;
    for (std::size_t d = 0; d < dim; ++d) point.coords[node * dim + d] += 0.01;
  }
  point.covariance.components[0].variance *= 1.05;
}

void check_same(const std::vector<double>& values, const std::vector<double>& expected) {
  REQUIRE(values.size() == expected.size());
  double scale = 0.0;
  for (const double x : expected) scale = std::max(scale, std::abs(x));
  for (std::size_t i = 0; i < values.size(); ++i) CHECK(std::abs(values[i] - expected[i]) <= 1e-10 * scale);
}

void check_steps(bool at_nodes, bool locations, int nodes, Index device_bytes) {
  CAPTURE(at_nodes);
  CAPTURE(locations);
  const LatentCase latent(nodes, nodes + 20, 8, at_nodes, exponential());
  const RunContext plain;
  const emulated::Fresh device;
  emulated::state().limits.multiprocessors = 1;
  emulated::state().limits.shared_per_multiprocessor = 16 << 10;
  emulated::state().total_bytes = device_bytes;
  {
    MeanField bound(*latent.model, latent.response, locations), reference(*latent.model, latent.response, locations);
    MeanFieldPoint point = latent.point(poisson_likelihood());
    for (int step = 0; step < 5; ++step) {
      const MeanFieldBatch batch = step == 3 ? bound.everything() : batch_of(bound, at_nodes, 20, step);
      const MeanFieldGradient& gradient = bound.evaluate(point, batch, on_emulated());
      const MeanFieldGradient& expected = reference.evaluate(point, batch, plain);
      CHECK(gradient.value == doctest::Approx(expected.value).epsilon(1e-11));
      check_same(gradient.covariance, expected.covariance);
      check_same(gradient.beta, expected.beta);
      check_same(gradient.moments, expected.moments);
      check_same(gradient.locations, expected.locations);
      step_from(point, expected);
      if (step == 1) {
        bound.renew_neighbors(point, on_emulated());
        reference.renew_neighbors(point, plain);
      }
    }
    CHECK(emulated::state().launches > 0);
  }
  CHECK(emulated::state().living == 0);
}

}  // namespace

TEST_CASE("mini-batches on a device have the bound and the gradient that they have on the CPU") {
  for (const bool locations : {false, true})
    for (const bool at_nodes : {false, true})
      if (!(locations && at_nodes)) check_steps(at_nodes, locations, 150, Index(1) << 32);
}

// The device uses the chain rule, and the CPU one factor for all nodes that a datum sees.
TEST_CASE("a device finds the CPU's divergences of neighborhoods") {
  for (const int k : {1, 5, 8}) {
    CAPTURE(k);
    const LatentCase latent(40, 61, k, false, exponential());
    const emulated::Fresh device;
    const MeanFieldPoint point = latent.point(poisson_likelihood());
    const auto neighborhoods = MeanFieldPrior::neighborhoods;
    MeanField bound(*latent.model, latent.response, true, neighborhoods, 3.0);
    MeanField reference(*latent.model, latent.response, true, neighborhoods, 3.0);
    const MeanFieldBatch batch = batch_of(bound, false, 29, k);
    const MeanFieldGradient& gradient = bound.evaluate(point, batch, on_emulated());
    const MeanFieldGradient& expected = reference.evaluate(point, batch, RunContext());
    CHECK(gradient.value == doctest::Approx(expected.value).epsilon(1e-12));
    check_same(gradient.covariance, expected.covariance);
    check_same(gradient.moments, expected.moments);
    check_same(gradient.locations, expected.locations);
    CHECK(emulated::state().launches > 0);
  }
}

TEST_CASE("mini-batches work where a device has no room for all targets") {
  // nodes take 3000 * 40 bytes, their conditioning sets 3000 * 32: more than half of what is left
  check_steps(false, true, 3000, 310000);
  check_steps(true, false, 3000, 310000);
}

TEST_CASE("a mini-batch sends its own nodes and parameters, however many nodes there are") {
  const emulated::Fresh device;
  struct Bytes {
    Index up, down;
  };
  const auto bytes_of_a_step = [&](int nodes) {
    const LatentCase latent(nodes, nodes, 6, true, exponential());
    MeanField bound(*latent.model, latent.response, false);
    const MeanFieldPoint point = latent.point(poisson_likelihood());
    bound.evaluate(point, batch_of(bound, true, 10, 1), on_emulated());
    const Index up = emulated::state().uploaded_bytes, down = emulated::state().downloaded_bytes;
    bound.evaluate(point, batch_of(bound, true, 10, 2), on_emulated());
    return Bytes{emulated::state().uploaded_bytes - up, emulated::state().downloaded_bytes - down};
  };
  const Bytes few = bytes_of_a_step(300), many = bytes_of_a_step(3000);
  // rows of the batch, at most 7 nodes for each with number and moments, three derivatives for each; and the covariance
  const Index most = 10 * 4 + 10 * 7 * (4 + 16) + 10 * 3 * 8 + 400;
  CHECK(few.up <= most);
  CHECK(many.up <= most);
  CHECK(many.down == few.down);
  // where a batch depends on most nodes, all moments take less than some of them with their numbers
  const Bytes dense = bytes_of_a_step(20);
  CHECK(dense.up <= 10 * 4 + 20 * 16 + 10 * 3 * 8 + 400);
}
