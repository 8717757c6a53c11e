// Noise that differs between rows by a model of its own: its derivatives follow those of the covariance.
#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>

#include "core_fixtures.h"
#include "response/exact_gp.h"
#include "response/joint_likelihood.h"

using namespace neargp;
using namespace fixtures;

namespace {

constexpr int noise_parameters = 2;

// Data with other noise than that with which their problem is made, and its derivatives.
struct NoisyData {
  Data data;
  std::vector<double> scale, derivatives;

  explicit NoisyData(const Model& model, int n = 19) : data(uniform_cloud(n, model.dim), 3) {
    for (int i = 0; i < n; ++i) {
      scale.push_back(0.5 + 0.3 * (i % 5));
      derivatives.push_back(0.2 * (i % 3));
      derivatives.push_back(0.4 - 0.1 * (i % 7));
    }
  }
  LocalData view() const {
    LocalData view = data.view();
    view.noise_scale = scale.data();
    view.noise_parameters = noise_parameters;
    view.noise_derivatives = derivatives.data();
    return view;
  }
  LocalProblem problem(const NeighborTable& table, const std::vector<int>& targets = {}) const {
    LocalProblem problem(data.view(), table, targets, with_threads(1));
    problem.set_noise(scale.data(), noise_parameters, derivatives.data());
    return problem;
  }
};

void check_all(LocalProblem problem, const NoisyData& noisy, const reference::Sums& expected,
               const Covariance& covariance) {
  const std::vector<double> beta = noisy.data.beta();
  with_each_instruction_set([&] {
    const LikelihoodSums sums = vecchia_sums(problem, covariance, true, with_threads(1));
    check_values(sums, expected);
    check_derivatives(sums, expected);
    check_gradient(conditional_gradient(problem, covariance, beta, with_threads(1)), expected, beta,
                   double(problem.targets()));
  });
}

}  // namespace

TEST_CASE("every covariance: likelihood, gradient and information with noise of its own") {
  for (const Model& model : all_models()) {
    CAPTURE(model.name);
    const NoisyData noisy(model);
    NeighborTable table = neighbors_before(noisy.data, 5);
    check_all(noisy.problem(table), noisy, reference::vecchia_sums(noisy.view(), table, {}, model.covariance),
              model.covariance);
  }
}

TEST_CASE("some targets, in the order of memory") {
  const Model model = structures()[4];
  const NoisyData noisy(model);
  const std::vector<int> targets = {17, 3, 4, 0};
  const NeighborTable others = neighbors_others(noisy.data, 6);
  NeighborTable part(4, 6);
  for (Index t = 0; t < 4; ++t) std::copy_n(others[targets[std::size_t(t)]], 6, part[t]);
  check_all(noisy.problem(part, targets), noisy, reference::vecchia_sums(noisy.view(), part, targets, model.covariance),
            model.covariance);
}

TEST_CASE("joint densities of neighbourhoods, and the dense model") {
  for (const Model& model : structures()) {
    CAPTURE(model.name);
    const NoisyData noisy(model);
    const std::vector<double> beta = noisy.data.beta();
    const NeighborTable table = neighbors_others(noisy.data, 5);
    LocalProblem problem = noisy.problem(table);
    check_gradient(joint_gradient(problem, model.covariance, beta, with_threads(1)),
                   reference::joint_sums(noisy.view(), table, model.covariance), beta, double(problem.targets()));

    std::vector<int> all(19);
    std::iota(all.begin(), all.end(), 0);
    const reference::Sums expected = reference::JointDensity(noisy.view(), model.covariance).of(all);
    const LikelihoodSums sums = exact_sums(noisy.view(), model.covariance, true, RunContext{});
    check_values(sums, expected);
    check_derivatives(sums, expected);
    check_gradient(exact_gradient(noisy.view(), model.covariance, beta, RunContext{}), expected, beta, 19.0);
  }
}

TEST_CASE("the noise of a problem can be set again and again") {
  const Model model = structures()[2];
  const NoisyData noisy(model);
  const NeighborTable table = neighbors_before(noisy.data, 5);
  LocalProblem problem = noisy.problem(table);
  const std::vector<double> doubled = [&] {
    std::vector<double> scale = noisy.scale;
    for (double& s : scale) s *= 2.0;
    return scale;
  }();
  problem.set_noise(doubled.data(), noise_parameters, noisy.derivatives.data());
  CHECK(vecchia_sums(problem, model.covariance, false, with_threads(1)).log_det >
        vecchia_sums(noisy.problem(table), model.covariance, false, with_threads(1)).log_det);
  problem.set_noise(noisy.scale.data(), noise_parameters, noisy.derivatives.data());
  check_all(std::move(problem), noisy, reference::vecchia_sums(noisy.view(), table, {}, model.covariance),
            model.covariance);
}
