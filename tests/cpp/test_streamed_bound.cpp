#include <doctest/doctest.h>

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

// The bound with its gradient, of pieces that end at `ends`.
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
