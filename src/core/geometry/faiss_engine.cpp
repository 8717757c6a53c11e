#include "geometry/faiss_engine.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <vector>

#include "base/error.h"
#include "base/shared_object.h"
#include "geometry/faiss_search.h"
#include "geometry/kd_tree.h"
#include "geometry/neighbors.h"

namespace neargp {
namespace {

// Below these numbers the tree is faster, or too fast for the choice to matter (bench/neighbors-high-dimension.R). A
// trial costs about as much as a hundred queries. Its tree costs about as much as one query for a few hundred points.
constexpr int least_dimension = 8;
constexpr Index least_points = 20000, least_queries = 2000, most_points_per_query = 100;

// No BLAS exceeds this rate in single precision on one core, in operations a second.
constexpr double fastest_product = 1e11;

// The queries of a trial are the points of this many leaves, since the tree answers nearby queries together.
constexpr Index trial_leaves = 4;

struct Engine {
  std::string file;
  int gpu = no_gpu;
};

Engine& engine() {
  static Engine engine;
  return engine;
}

template <class Action>
double seconds(const Action& action) {
  using Clock = std::chrono::steady_clock;
  const auto began = Clock::now();
  action();
  return std::chrono::duration<double>(Clock::now() - began).count();
}

std::vector<double> trial_queries(const KdTree& tree, Points points) {
  std::vector<double> queries;
  for (Index t = 0; t < trial_leaves; ++t) {
    const Index leaf = tree.leaves() * (2 * t + 1) / (2 * trial_leaves);
    for (int s = 0; s < tree.leaf_count(leaf); ++s) {
      const double* x = points[tree.leaf_rows(leaf)[s]];
      queries.insert(queries.end(), x, x + points.dim);
    }
  }
  return queries;
}

// Both searches are tried, because their speed depends on two things. The data may or may not fill their dimensions,
// and FAISS's BLAS may be tens of times faster on one machine than on another. The result does not depend on the
// choice.
bool faiss_is_faster(const FaissModule& module, const NeighborRequest& request, const RunContext& context) {
  const Points points = request.reference;
  RunContext alone;
  alone.check_interrupt = context.check_interrupt;
  const KdTree tree(points, alone);
  const std::vector<double> coords = trial_queries(tree, points);
  NeighborRequest trial;
  trial.reference = points;
  trial.queries = {coords.data(), Index(coords.size()) / points.dim, points.dim};
  trial.k = request.k;
  std::vector<int> index(std::size_t(trial.queries.n * trial.k), -1);
  trial.index = index.data();
  const double by_tree = seconds([&] { nearest_to(tree, trial.queries, trial.k, alone); });
  if (by_tree < 2.0 * double(trial.queries.n) * double(points.n) * points.dim / fastest_product) return false;
  return seconds([&] { search_by_faiss(module, no_gpu, trial, alone); }) < by_tree;
}

void search(const NeighborRequest& request, const RunContext& context) {
  search_by_faiss(faiss_module(engine().file), engine().gpu, request, context);
}

bool pays(const NeighborRequest& request, const RunContext& context) {
  if (request.reference.dim < least_dimension || request.reference.n < least_points ||
      request.queries.n < std::max(least_queries, request.reference.n / most_points_per_query))
    return false;
  const FaissModule* module = nullptr;
  try {
    module = &faiss_module(engine().file);
  } catch (const Error&) {
    return false;
  }
  return faiss_is_faster(*module, request, context);
}

}  // namespace

const FaissModule& faiss_module(const std::string& file) {
  static std::map<std::string, const FaissModule*> modules;
  const FaissModule*& module = modules[file];
  if (module) return *module;
  const auto entry = reinterpret_cast<decltype(&neargp_faiss_module)>(open_symbol(file, "neargp_faiss_module"));
  const FaissModule* found = entry();
  if (found->abi_version != faiss_module_abi_version)
    throw Error("The module " + file + " was built with another version of neargp: install neargp from source again.");
  module = found;
  return *module;
}

const NeighborEngine& faiss_engine(const std::string& file, FaissUse use, int gpu) {
  static const NeighborEngine always = {"faiss", search, nullptr}, by_trial = {"faiss", search, pays};
  engine() = {file, gpu};
  return use == FaissUse::always ? always : by_trial;
}

}  // namespace neargp
