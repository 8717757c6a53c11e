#include "effects/effect_system.h"

#include <algorithm>
#include <vector>

#include "effects/dense_effect_system.h"
#include "effects/iterative_effect_system.h"
#include "effects/sparse_effect_system.h"

namespace neargp {

namespace {

// The share of all columns that share a row with a column of W, averaged over some evenly spread columns.
double fullness(const EffectRows& rows) {
  constexpr int looked_at = 64;
  const int q = rows.columns();
  const int step = std::max(1, q / looked_at), count = (q + step - 1) / step;
  std::vector<std::vector<bool>> met(count, std::vector<bool>(q));
  for (Index t = 0; t < rows.targets(); ++t) {
    const int* column = rows.column(t);
    for (int a = 0; a < rows.count(t); ++a) {
      if (column[a] % step) continue;
      for (int b = 0; b < rows.count(t); ++b) met[column[a] / step][column[b]] = true;
    }
  }
  double sum = 0.0;
  for (const std::vector<bool>& own : met) sum += double(std::count(own.begin(), own.end(), true));
  return sum / (double(count) * q);
}

constexpr double times_faster = 30.0;

// A sparse factor with its inverse takes about thirty times as long for a multiplication as the tiles of dense products
// do, mostly because of the inverse. Ordering a full matrix takes longer than factorising it.
std::unique_ptr<SparseEffectSystem> sparse_system(const EffectRows& rows, double most_work) {
  constexpr int fewest = 64;
  constexpr double full = 0.1;
  if (rows.columns() <= fewest || fullness(rows) >= full) return nullptr;
  auto sparse = std::make_unique<SparseEffectSystem>(rows, most_work / times_faster);
  return sparse->is_affordable() ? std::move(sparse) : nullptr;
}

}  // namespace

std::unique_ptr<EffectSystem> effect_system(EffectRows& rows, double most_work, double most_exact, bool roughly,
                                            const RunContext& context) {
  const double q = rows.columns(), dense_work = q * q * q / 3.0;
  double work = dense_work;
  std::unique_ptr<EffectSystem> exact;
  // Looking for a sparse factor takes longer than an evaluation of a rough system.
  const bool is_looked_for = !roughly || dense_work <= most_exact || dense_work > most_work;
  if (auto sparse = is_looked_for ? sparse_system(rows, std::min(most_work, dense_work)) : nullptr) {
    work = sparse->work() * times_faster;
    exact = std::move(sparse);
  } else if (dense_work <= most_work) {
    exact = std::make_unique<DenseEffectSystem>(rows);
  }
  if (!exact || work <= most_exact) return exact;
  rows.set_typical(context);
  const int probes = roughly ? IterativeEffectSystem::few_probes : IterativeEffectSystem::many_probes;
  return std::make_unique<IterativeEffectSystem>(rows, std::move(exact), probes, context);
}

}  // namespace neargp
