#include <doctest/doctest.h>

#include <deque>

#include "inducing_fixtures.h"
#include "variational/streamed_bound.h"

using namespace neargp;
using namespace fixtures;

namespace {

RegressionData rows_between(const RegressionData& data, Index first, Index last) {
  return {{data.coords[first], last - first, data.coords.dim},
          data.columns,
          data.values + first * data.columns,
          data.noise_scale + first};
}

// The ELBO with its gradient, of pieces that end at `ends`.
CollapsedBound streamed(const RegressionData& data, Points inducing, const Covariance& covariance,
                        const BoundSettings& settings, const std::vector<Index>& ends, const RunContext& context,
                        bool keep) {
  StreamedBound bound({data.coords.n, data.columns, true, keep}, inducing, covariance, settings);
  REQUIRE(bound.regular());
  const auto pass = [&](const auto& add) {
    Index first = 0;
    for (const Index end : ends) {
      add(rows_between(data, first, end));
      first = end;
    }
  };
  pass([&](const RegressionData& piece) { bound.add_to_value(piece, context); });
  CollapsedBound result = bound.value();
  REQUIRE(result.failure == BoundFailure::none);
  pass([&](const RegressionData& piece) { bound.add_to_gradient(piece, context); });
  result.gradient = bound.gradient();
  return result;
}

}  // namespace

TEST_CASE("pieces of whole chunks have the bound of all rows to the last bit, for every number of threads") {
  const Data data(uniform_cloud(700, 2), 3);
  const Cloud inducing = uniform_cloud(9, 2, 8);
  const Model model = all_models()[0];
  for (const BoundKind kind : {BoundKind::tight, BoundKind::standard})
    for (const bool reml : {false, true}) {
      BoundSettings settings;
      settings.kind = kind;
      settings.reml = reml;
      settings.chunk_rows = 16;
      const RegressionData rows = regression(data);
      const CollapsedBound all = collapsed_bound(rows, inducing.view(), model.covariance, settings, true, RunContext{});
      for (const std::vector<Index>& ends : {std::vector<Index>{700}, {16, 700}, {48, 464, 688, 700}, {320, 640, 700}})
        for (const int threads : {1, 2, 4})
          for (const bool keep : {false, true}) {
            RunContext context;
            context.threads = threads;
            const CollapsedBound one = streamed(rows, inducing.view(), model.covariance, settings, ends, context, keep);
            CHECK(one.value == all.value);
            CHECK(one.beta == all.beta);
            CHECK(one.weights == all.weights);
            CHECK(one.gradient.parameters == all.gradient.parameters);
            CHECK(one.gradient.positions == all.gradient.positions);
          }
    }
}

TEST_CASE("a prior that is singular wants no rows") {
  const Cloud twice{{0.1, 0.2, 0.1, 0.2}, 2};
  BoundSettings settings;
  settings.jitter = 0.0;
  StreamedBound bound({10, 1, true, false}, twice.view(), all_models()[0].covariance, settings);
  CHECK_FALSE(bound.regular());
  CHECK(bound.value().failure == BoundFailure::prior);
}

TEST_CASE("parts of the rows have sums and adjoints that add up to the bound of all, and its gradient") {
  const Data data(uniform_cloud(150, 2), 3);
  const Cloud inducing = uniform_cloud(9, 2, 8);
  const Model model = all_models()[0];
  const RegressionData rows = regression(data);
  for (const BoundKind kind : {BoundKind::tight, BoundKind::standard})
    for (const bool reml : {false, true}) {
      BoundSettings settings;
      settings.kind = kind;
      settings.reml = reml;
      const CollapsedBound all = collapsed_bound(rows, inducing.view(), model.covariance, settings, true, RunContext{});
      const std::vector<Index> ends = {0, 40, 41, 150};
      StreamedBound whole({rows.coords.n, rows.columns, true}, inducing.view(), model.covariance, settings);
      std::deque<StreamedBound> parts;
      CollapsedBoundSums sums = whole.sums();
      for (std::size_t i = 1; i < ends.size(); ++i) {
        parts.emplace_back(StreamedRows{ends[i] - ends[i - 1], rows.columns, true}, inducing.view(), model.covariance,
                           settings);
        parts.back().add_to_value(rows_between(rows, ends[i - 1], ends[i]), RunContext{});
        sums.add(parts.back().sums());
      }
      whole.set_sums(sums);
      const CollapsedBound found = whole.value();
      CHECK(found.value == doctest::Approx(all.value).epsilon(1e-12));
      CHECK(found.unexplained == doctest::Approx(all.unexplained).epsilon(1e-10));
      BoundAdjoints adjoints = whole.adjoints();
      for (std::size_t i = 1; i < ends.size(); ++i) {
        parts[i - 1].begin_gradient(whole.moments());
        parts[i - 1].add_to_gradient(rows_between(rows, ends[i - 1], ends[i]), RunContext{});
        adjoints.add(parts[i - 1].adjoints());
      }
      whole.set_adjoints(adjoints);
      const InducingGradient gradient = whole.gradient();
      REQUIRE(gradient.parameters.size() == all.gradient.parameters.size());
      for (std::size_t j = 0; j < gradient.parameters.size(); ++j)
        CHECK(gradient.parameters[j] == doctest::Approx(all.gradient.parameters[j]).epsilon(1e-8));
      CHECK((gradient.positions - all.gradient.positions).norm() < 1e-8 * all.gradient.positions.norm());
    }
}
