// The mean-field ELBO against dense matrices, its gradient against differences, and the effect of sub-sampling on both.
#include "extended.h"
#include "mean_field_fixtures.h"

#include <cmath>
#include <functional>
#include <numeric>

#include "latent/mean_field_terms.h"
#include "latent/swsgp_neighborhood.h"
#include "optim/batches.h"

using namespace neargp;
using namespace fixtures;

namespace {

Covariance matern() { return {{component(Family::matern, 1.3, {0.3}, {0, 0}, 1.5)}, 0.0, {}}; }

Covariance sum_of_two() {
  Covariance sum{
      {component(Family::exponential, 0.8, {0.2, 0.5}, {0, 1}), component(Family::matern, 0.5, {0.9}, {0, 0}, 2.5)},
      0.0,
      {}};
  sum.active.assign(sum.parameters(), 1);
  sum.active[sum.parameters() - 2] = 0;
  return sum;
}

// Every number that the gradient is about, in the order of `flat`.
std::vector<double*> numbers(MeanFieldPoint& point, bool locations) {
  std::vector<double*> all{&point.covariance.components[0].variance, &point.covariance.components[0].range[0]};
  if (point.covariance.components[0].range.size() > 1) all.push_back(&point.covariance.components[0].range[1]);
  for (double& x : point.likelihood.parameters) all.push_back(&x);
  for (double& x : point.beta) all.push_back(&x);
  for (double& x : point.moments) all.push_back(&x);
  if (locations)
    for (double& x : point.coords) all.push_back(&x);
  return all;
}

std::vector<double> flat(const MeanFieldGradient& gradient, const MeanFieldPoint& point) {
  const std::size_t ranges = point.covariance.components[0].range.size();
  std::vector<double> all(gradient.covariance.begin(), gradient.covariance.begin() + 1 + ranges);
  for (const auto* part : {&gradient.likelihood, &gradient.beta, &gradient.moments, &gradient.locations})
    all.insert(all.end(), part->begin(), part->end());
  return all;
}

// Is the derivative taken in the logarithm? Moments alternate m and s.
std::vector<bool> logarithmic(const MeanFieldPoint& point, bool locations) {
  std::vector<bool> all(1 + point.covariance.components[0].range.size() + point.likelihood.parameters.size(), true);
  all.insert(all.end(), point.beta.size(), false);
  for (std::size_t j = 0; j < point.moments.size(); ++j) all.push_back(j % 2 == 1);
  if (locations) all.insert(all.end(), point.coords.size(), false);
  return all;
}

void check_gradient(const LatentCase& latent, const Likelihood& likelihood, bool locations,
                    MeanFieldPrior prior = MeanFieldPrior::sequential) {
  const RunContext context;
  MeanField bound(*latent.model, latent.response, locations, prior);
  MeanFieldPoint point = latent.point(likelihood);
  const auto value = [&] {
    point.covariance.nugget = latent.model->with_jitter(point.covariance).nugget;
    return bound.evaluate(point, bound.everything(), context).value;
  };
  value();
  const std::vector<double> gradient = flat(bound.evaluate(point, bound.everything(), context), point);
  const std::vector<double*> all = numbers(point, locations);
  const std::vector<bool> logs = logarithmic(point, locations);
  REQUIRE(gradient.size() == all.size());
  for (std::size_t a = 0; a < all.size(); ++a) {
    CAPTURE(a);
    const double at = *all[a], h = 1e-5 * (logs[a] ? at : 1.0);
    *all[a] = at + h;
    const double up = value();
    *all[a] = at - h;
    const double down = value();
    *all[a] = at;
    CHECK(gradient[a] == doctest::Approx((up - down) / (2.0 * h) * (logs[a] ? at : 1.0)).epsilon(1e-5).scale(1.0));
  }
}

// Adds minus the divergences of the nodes that each datum sees, one node after the other given those before it: a
// factorisation for each.
void add_by_chain_rule(const LatentCase& latent, const MeanFieldPoint& point, const NeighborTable& neighbors,
                       double weight, MeanFieldGradient& sum) {
  const Points nodes{point.coords.data(), latent.model->nodes(), 2};
  const PreparedCovariance covariance = [&] {
    PreparedCovariance prepared = prepare(point.covariance, 2, true);
    keep_slopes(prepared);
    return prepared;
  }();
  const std::vector<double> noise(latent.model->nodes(), 1.0);
  std::vector<int> data(latent.model->data());
  std::iota(data.begin(), data.end(), 0);
  std::vector<double> in_covariance(covariance.parameters, 0.0);
  for (int rank = 0; rank < neighbors.k; ++rank) {
    const NeighborsOfRank targets(neighbors, data, rank, nodes);
    ProjectedBatch batch;
    batch.choose(targets.targets(), targets.rows, nodes.n, 2, true);
    PriorTerms terms{batch, targets.nodes, point.moments, weight, std::vector<double>(data.size())};
    const TargetSums found =
        batch.run({point.coords, point.moments, noise, 2}, covariance, PriorTerms::differentiate, &terms, RunContext());
    for (std::size_t a = 0; a < in_covariance.size(); ++a) in_covariance[a] += found.sums[a];
    for (Index t = 0; t < batch.size(); ++t) {
      const int node = targets.nodes[t];
      sum.value += weight * terms.value[t];
      sum.moments[2 * node] -= batch.d_mean[t];
      sum.moments[2 * node + 1] += batch.d_projected[t] * point.moments[2 * node + 1] + 0.5 * weight;
      for (int d = 0; d < 2; ++d) sum.locations[2 * node + d] += batch.location_contribution(t, batch.k(), 2)[d];
      int row = 0;
      batch.for_each_contribution(t, point.moments, [&](int member, double in_mean, double in_log_variance) {
        sum.moments[2 * member] += in_mean;
        sum.moments[2 * member + 1] += in_log_variance;
        for (int d = 0; d < 2; ++d) sum.locations[2 * member + d] += batch.location_contribution(t, row, 2)[d];
        ++row;
      });
    }
  }
  tie_jitter(covariance, point.covariance, in_covariance);
  for (std::size_t a = 0; a < in_covariance.size(); ++a) sum.covariance[a] += in_covariance[a];
}

void check_same(const std::vector<double>& values, const std::vector<double>& expected) {
  REQUIRE(values.size() == expected.size());
  double scale = 0.0;
  for (const double x : expected) scale = std::max(scale, std::abs(x));
  for (std::size_t i = 0; i < values.size(); ++i) CHECK(std::abs(values[i] - expected[i]) <= 1e-12 * scale);
}

}  // namespace

TEST_CASE("with full conditioning sets the mean-field bound is the dense one") {
  const RunContext context;
  for (const bool at_nodes : {true, false})
    for (const bool counts : {true, false}) {
      CAPTURE(at_nodes);
      CAPTURE(counts);
      const LatentCase latent(23, 31, 100, at_nodes, matern(), counts);
      const MeanFieldPoint point = latent.point(counts ? poisson_likelihood() : gaussian_likelihood());
      with_each_instruction_set([&] {
        MeanField bound(*latent.model, latent.response, false);
        CHECK(bound.evaluate(point, bound.everything(), context).value ==
              doctest::Approx(dense_mean_field(latent, at_nodes, point)).epsilon(1e-10));
      });
    }
}

TEST_CASE("the gradient of the mean-field bound is that of differences" * extended) {
  for (const bool counts : {true, false}) {
    const Likelihood likelihood = counts ? poisson_likelihood() : gaussian_likelihood();
    check_gradient(LatentCase(19, 27, 6, true, matern(), counts), likelihood, false);
    check_gradient(LatentCase(19, 27, 6, false, matern(), counts), likelihood, false);
    check_gradient(LatentCase(19, 27, 6, false, matern(), counts), likelihood, true);
  }
  check_gradient(LatentCase(19, 27, 6, false, sum_of_two()), poisson_likelihood(), true);
}

TEST_CASE("the objective of neighborhoods is the dense one, from the joint distributions of the nodes that data see") {
  const RunContext context;
  for (const int k : {1, 2, 6, 23})
    for (const bool counts : {true, false}) {
      CAPTURE(k);
      CAPTURE(counts);
      const LatentCase latent(23, 31, k, false, matern(), counts);
      const MeanFieldPoint point = latent.point(counts ? poisson_likelihood() : gaussian_likelihood());
      with_each_instruction_set([&] {
        MeanField objective(*latent.model, latent.response, false, MeanFieldPrior::neighborhoods);
        CHECK(objective.evaluate(point, objective.everything(), context).value ==
              doctest::Approx(dense_neighborhoods(latent, objective.data_neighbors(), point)).epsilon(1e-10));
      });
    }
}

TEST_CASE("where data see all nodes, the objective of neighborhoods is the dense bound of SVGP") {
  const RunContext context;
  const LatentCase latent(23, 31, 23, false, matern());
  const MeanFieldPoint point = latent.point(poisson_likelihood());
  MeanField objective(*latent.model, latent.response, false, MeanFieldPrior::neighborhoods);
  CHECK(objective.evaluate(point, objective.everything(), context).value ==
        doctest::Approx(dense_mean_field(latent, false, point)).epsilon(1e-10));
}

TEST_CASE("the gradient of the objective of neighborhoods is that of differences" * extended) {
  const auto neighborhoods = MeanFieldPrior::neighborhoods;
  for (const bool counts : {true, false}) {
    const Likelihood likelihood = counts ? poisson_likelihood() : gaussian_likelihood();
    check_gradient(LatentCase(19, 27, 6, false, matern(), counts), likelihood, false, neighborhoods);
    check_gradient(LatentCase(19, 27, 6, false, matern(), counts), likelihood, true, neighborhoods);
  }
  check_gradient(LatentCase(19, 27, 1, false, matern()), poisson_likelihood(), true, neighborhoods);
  check_gradient(LatentCase(19, 27, 6, false, sum_of_two()), poisson_likelihood(), true, neighborhoods);
}

TEST_CASE("the divergence by one factor is that by the chain rule, value and gradient, in blocks of rows of any size") {
  const double kl_weight = 3.0;
  for (const int k : {1, 2, 3, 4, 5, 7, 8, 13, 24}) {
    CAPTURE(k);
    const LatentCase latent(40, 61, k, false, k % 2 ? matern() : sum_of_two());
    const MeanFieldPoint point = latent.point(poisson_likelihood());
    with_each_instruction_set([&] {
      const auto neighborhoods = MeanFieldPrior::neighborhoods;
      MeanField objective(*latent.model, latent.response, true, neighborhoods, kl_weight);
      MeanField data_alone(*latent.model, latent.response, true, neighborhoods, 0.0);
      const MeanFieldBatch batch = objective.everything();
      MeanFieldGradient expected = data_alone.evaluate(point, batch, RunContext());
      add_by_chain_rule(latent, point, objective.data_neighbors(), kl_weight / double(latent.model->data()), expected);
      const MeanFieldGradient& gradient = objective.evaluate(point, batch, RunContext());
      CHECK(gradient.value == doctest::Approx(expected.value).epsilon(1e-12));
      check_same(gradient.covariance, expected.covariance);
      check_same(gradient.moments, expected.moments);
      check_same(gradient.locations, expected.locations);
    });
  }
}

TEST_CASE("nodes at the data have no neighborhoods") {
  const LatentCase latent(19, 27, 6, true, matern());
  CHECK_THROWS(MeanField(*latent.model, latent.response, false, MeanFieldPrior::neighborhoods));
}

TEST_CASE("sub-sampled bounds and gradients average to the full ones over any partition") {
  const RunContext context;
  const auto check = [&](const LatentCase& latent, const std::vector<std::vector<int>>& node_parts,
                         const std::vector<std::vector<int>>& data_parts,
                         MeanFieldPrior prior = MeanFieldPrior::sequential) {
    MeanField bound(*latent.model, latent.response, false, prior);
    const MeanFieldPoint point = latent.point(poisson_likelihood());
    const MeanFieldGradient full = bound.evaluate(point, bound.everything(), context);
    const std::vector<double> expected = flat(full, point);
    double value = 0.0;
    std::vector<double> gradient(expected.size(), 0.0);
    // Uniform sampling gives each part a weight, its share of the rows.
    const auto add = [&](const MeanFieldBatch& batch, double share) {
      const MeanFieldGradient& part = bound.evaluate(point, batch, context);
      value += share * part.value;
      const std::vector<double> entries = flat(part, point);
      for (std::size_t a = 0; a < entries.size(); ++a) gradient[a] += share * entries[a];
    };
    const double m = double(bound.nodes()), n = double(bound.data());
    if (data_parts.empty()) {
      for (const auto& nodes : node_parts) add(bound.at_nodes(nodes), double(nodes.size()) / m);
    } else {
      for (const auto& nodes : node_parts)
        for (const auto& data : data_parts)
          add(bound.batch_of(nodes, data), double(nodes.size()) / m * double(data.size()) / n);
    }
    CHECK(value == doctest::Approx(full.value).epsilon(1e-12));
    for (std::size_t a = 0; a < expected.size(); ++a)
      CHECK(gradient[a] == doctest::Approx(expected[a]).epsilon(1e-10).scale(1e-3));
  };
  const auto parts = [](int n, std::vector<int> sizes) {
    const std::vector<int> order = shuffled(n, 77);
    std::vector<std::vector<int>> result;
    auto at = order.begin();
    for (const int size : sizes) {
      result.emplace_back(at, at + size);
      at += size;
    }
    CHECK(at == order.end());
    return result;
  };
  check(LatentCase(20, 31, 5, true, matern()), parts(20, {5, 5, 5, 5}), {});
  check(LatentCase(20, 31, 5, true, matern()), parts(20, {1, 7, 12}), {});
  check(LatentCase(20, 31, 5, false, matern()), parts(20, {4, 16}), parts(31, {10, 1, 20}));
  check(LatentCase(20, 31, 5, false, matern()), parts(20, {4, 16}), parts(31, {10, 1, 20}),
        MeanFieldPrior::neighborhoods);
}

TEST_CASE("the mean-field bound does not depend on the number of threads") {
  const LatentCase latent(700, 900, 6, false, matern());
  for (const auto prior : {MeanFieldPrior::sequential, MeanFieldPrior::neighborhoods}) {
    MeanField bound(*latent.model, latent.response, true, prior);
    const MeanFieldPoint point = latent.point(poisson_likelihood());
    const MeanFieldGradient one = bound.evaluate(point, bound.everything(), with_threads(1));
    const MeanFieldGradient four = bound.evaluate(point, bound.everything(), with_threads(4));
    CHECK(one.value == four.value);
    CHECK(flat(one, point) == flat(four, point));
  }
}

TEST_CASE("batches cover all rows once in each pass, and all are of one size") {
  Batches batches(10, 5, 0);
  std::vector<int> seen(10, 0);
  for (int b = 0; b < 10; ++b) {
    const std::vector<int> batch = batches.next(4);
    CHECK(batch.size() == 4);
    for (const int row : batch) ++seen[row];
    if (b == 4)
      for (const int count : seen) CHECK(count == 2);
  }
  for (const int count : seen) CHECK(count == 4);
  Batches again(10, 5, 0), other(10, 5, 1);
  const std::vector<int> first = again.next(10);
  CHECK(first == Batches(10, 5, 0).next(10));
  CHECK(first != other.next(10));
}
