#include "geometry/neighbors.h"

#include <algorithm>
#include <string>

#include "base/error.h"
#include "base/memory.h"
#include "geometry/block_search.h"
#include "geometry/curve.h"
#include "geometry/engine_search.h"
#include "geometry/flat_search.h"
#include "geometry/kd_tree.h"
#include "geometry/lag_search.h"
#include "geometry/leaf_boxes.h"
#include "geometry/stretches.h"
#include "parallel/parallel_for.h"

namespace neargp {
namespace {

// 64 leaves of 16 queries are a few milliseconds of work in few dimensions. In many dimensions a query visits most of
// the tree, and an interrupt must not wait for a thousand queries.
Index blocks_of_chunk(const KdTree& tree) {
  if (tree.dim() <= 4) return 64;
  const Index distances = KdTree::leaf_size * tree.size() * tree.dim();
  return std::clamp<Index>(Index(100000000) / std::max<Index>(distances, 1), 1, 64);
}

// Answers the queries of every leaf of `query_tree` by a search that make_search() returns. `append_queries(leaf,
// queries)` lists the queries of a leaf.
template <class MakeSearch, class AppendQueries>
void search_blocks(const KdTree& tree, const KdTree& query_tree, const MakeSearch& make_search,
                   const AppendQueries& append_queries, const RunContext& context) {
  const Index leaves = query_tree.leaves(), blocks_per_chunk = blocks_of_chunk(tree);
  const Index chunks = (leaves + blocks_per_chunk - 1) / blocks_per_chunk;
  parallel_for(context, chunks, [&](Index chunk) {
    auto search = make_search();
    std::vector<Query> queries;
    std::vector<KdTree::Node> path = {query_tree.root()};
    const Index first = chunk * blocks_per_chunk, last = std::min(leaves, first + blocks_per_chunk);
    while (!path.empty()) {
      const KdTree::Node node = path.back();
      path.pop_back();
      if (node.last_leaf <= first || node.first_leaf >= last) continue;
      if (!node.is_leaf()) {
        path.push_back(node.right());
        path.push_back(node.left());
        continue;
      }
      queries.clear();
      append_queries(node.first_leaf, queries);
      if (!queries.empty()) search.run(queries, query_tree.low(node.id), query_tree.high(node.id));
    }
  });
}

template <int Dim, class Eligible, class AppendQueries>
void search_dimension(const KdTree& tree, const KdTree& query_tree, const Eligible& eligible, int k,
                      const AppendQueries& append_queries, const RunContext& context) {
  search_blocks(
      tree, query_tree, [&] { return BlockSearch<Dim, Eligible>(tree, eligible, k); }, append_queries, context);
}

template <class Eligible, class AppendQueries>
void search_tree(const KdTree& tree, const KdTree& query_tree, const Eligible& eligible, int k,
                 const AppendQueries& append_queries, const RunContext& context, const LagOrder* lags) {
  if (tree.size() == 0 || query_tree.size() == 0 || k == 0) return;
  if (lags)
    return search_blocks(
        tree, query_tree, [&] { return LagSearch<Eligible>(tree, eligible, k, *lags); }, append_queries, context);
  switch (tree.dim()) {
    case 1: return search_dimension<1>(tree, query_tree, eligible, k, append_queries, context);
    case 2: return search_dimension<2>(tree, query_tree, eligible, k, append_queries, context);
    case 3: return search_dimension<3>(tree, query_tree, eligible, k, append_queries, context);
    case 4: return search_dimension<4>(tree, query_tree, eligible, k, append_queries, context);
    default: break;
  }
  const LeafBoxes leaves(tree);
  search_blocks(
      tree, query_tree, [&] { return FlatSearch<Eligible>(tree, leaves, eligible, k); }, append_queries, context);
}

// `lowest_in_leaf`: of each leaf.
int lowest_rank_below(KdTree::Node node, const UnsetVector<int>& lowest_in_leaf, EarlierRow& earlier) {
  const int lowest = node.is_leaf() ? lowest_in_leaf[node.first_leaf]
                                    : std::min(lowest_rank_below(node.left(), lowest_in_leaf, earlier),
                                               lowest_rank_below(node.right(), lowest_in_leaf, earlier));
  earlier.lowest_rank[node.id] = lowest;
  return lowest;
}

template <class Ranks>
EarlierRow make_earlier_row(const KdTree& tree, const Ranks& rank_of_row, const RunContext& context) {
  constexpr int size = KdTree::leaf_size;
  EarlierRow earlier;
  earlier.rank.resize(tree.leaves() * size);
  UnsetVector<int> lowest_in_leaf(tree.leaves());
  parallel_ranges(context, tree.leaves(), light_range / size, [&](Index first, Index last, Index) {
    for (Index leaf = first; leaf < last; ++leaf) {
      int* rank = earlier.rank.data() + leaf * size;
      const int count = tree.leaf_count(leaf);
      for (int s = 0; s < count; ++s) rank[s] = rank_of_row[tree.leaf_rows(leaf)[s]];
      std::fill(rank + count, rank + size, std::numeric_limits<int>::max());
      lowest_in_leaf[leaf] = *std::min_element(rank, rank + size);
    }
  });
  earlier.lowest_rank.resize(tree.nodes());
  lowest_rank_below(tree.root(), lowest_in_leaf, earlier);
  return earlier;
}

RunContext part_of(const RunContext& context, double begin, double end) {
  RunContext part = context;
  if (context.progress)
    part.progress = [&context, begin, end](double fraction) { context.progress(begin + fraction * (end - begin)); };
  return part;
}

// The rows along Hilbert's curve, or none where this does not pay. Trees over parts of this list are built without
// medians of many rows, which one thread would have to find. Their boxes are larger, so searches take 1.1 to 1.3 times
// the CPU time (bench/ordering.sh): few threads are faster with medians.
UnsetVector<int> rows_along_curve(Points points, const LagOrder* lags, const RunContext& context) {
  if (lags || context.threads < 8 || points.n < 10000) return {};
  return rows_along_hilbert(points, context);
}

// Neighbours of the points with rank first_rank, first_rank + 1, ..., among the points before them, in stretches of
// rank (geometry/stretches.h).
template <class ResultOfRow>
void search_before(Points points, const std::vector<int>& order, Index first_rank, int k,
                   const ResultOfRow& result_of_row, const RunContext& context, const LagOrder* lags) {
  RunContext silent = context;
  silent.progress = nullptr;
  UnsetVector<int> rank_of_row(order.size()), rows(order.size());
  parallel_ranges(silent, points.n, light_range, [&](Index first, Index last, Index) {
    for (Index rank = first; rank < last; ++rank) {
      check_finite(points, Index{order[rank]});
      rows[rank] = order[rank];
      rank_of_row[order[rank]] = int(rank);
    }
  });
  UnsetVector<int> along_curve = rows_along_curve(points, lags, silent);
  const KdTree::Cuts cuts = along_curve.empty() ? KdTree::Cuts::medians : KdTree::Cuts::along_list;
  if (!along_curve.empty()) rows.swap(along_curve);
  Index end = points.n;
  while (end > first_rank) {
    const Index begin = begin_of_stretch(end, first_rank, k);
    const RunContext part = part_of(context, 1.0 - double(end) / points.n, 1.0 - double(begin) / points.n);
    const KdTree tree(points, rows, part, cuts);
    const EarlierRow earlier = make_earlier_row(tree, rank_of_row, silent);
    const auto append_queries = [&](Index leaf, std::vector<Query>& queries) {
      for (int s = 0; s < tree.leaf_count(leaf); ++s) {
        const int row = tree.leaf_rows(leaf)[s];
        if (rank_of_row[row] >= begin) queries.push_back({points[row], rank_of_row[row], result_of_row(row)});
      }
      std::sort(queries.begin(), queries.end(), [](const Query& a, const Query& b) { return a.limit < b.limit; });
    };
    search_tree(tree, tree, earlier, k, append_queries, part, lags);
    end = begin;
    if (end > first_rank) rows = items_before(rows, rank_of_row, end, silent);
  }
}

void check_k(int k) {
  if (k < 0) throw Error("The number of neighbours must not be negative.");
}

void check_same_dimension(int reference, int queries) {
  if (reference != queries)
    throw Error("The points have " + std::to_string(reference) + " coordinates and the queries " +
                std::to_string(queries) + ".");
}

}  // namespace

NeighborTable::NeighborTable(Index n_, int k_, const RunContext& context) : n(n_), k(k_) {
  check_memory("The table of neighbours", double(n), k, sizeof(int));
  index.resize(std::size_t(n) * k);
  parallel_ranges(context, Index(index.size()), Index{1} << 18,
                  [&](Index first, Index last, Index) { std::fill(index.begin() + first, index.begin() + last, -1); });
}

void check_permutation(const std::vector<int>& order, Index n) {
  std::vector<bool> seen(std::size_t(n), false);
  bool valid = Index(order.size()) == n;
  for (std::size_t rank = 0; valid && rank < order.size(); ++rank) {
    valid = order[rank] >= 0 && order[rank] < n && !seen[order[rank]];
    if (valid) seen[order[rank]] = true;
  }
  if (!valid) throw Error("The ordering must contain each of the " + std::to_string(n) + " rows exactly once.");
}

NeighborTable nearest_before(Points points, const std::vector<int>& order, int k, const RunContext& context,
                             const LagOrder* lags) {
  check_k(k);
  check_permutation(order, points.n);
  NeighborTable table(points.n, k, context);
  if (!lags && before_by_engine(points, order, 0, 0, table, context)) return table;
  search_before(
      points, order, 0, k, [&](int row) { return table[row]; }, context, lags);
  return table;
}

// Searches as search_before() does: queries in stretches of rank, each with a tree of the reference rows up to its end.
// If the ranks of both are spread alike, at least half of the rows in a tree come before each query.
NeighborTable nearest_earlier(Points reference, const std::vector<int>& reference_rank, Points queries,
                              const std::vector<int>& query_rank, int k, const RunContext& context) {
  check_k(k);
  check_same_dimension(reference.dim, queries.dim);
  if (Index(reference_rank.size()) != reference.n || Index(query_rank.size()) != queries.n)
    throw Error("Each point must have a rank.");
  NeighborTable table(queries.n, k, context);
  if (reference.n == 0 || queries.n == 0) return table;
  int end = 1 + *std::max_element(query_rank.begin(), query_rank.end());
  while (end > 0) {
    const int begin = end < 2048 ? 0 : end / 2;
    UnsetVector<int> sources, stretch;
    for (Index i = 0; i < reference.n; ++i)
      if (reference_rank[i] < end) sources.push_back(int(i));
    for (Index i = 0; i < queries.n; ++i)
      if (query_rank[i] >= begin && query_rank[i] < end) stretch.push_back(int(i));
    end = begin;
    if (sources.empty() || stretch.empty()) continue;
    const KdTree tree(reference, sources, context);
    const KdTree query_tree(queries, stretch, context);
    const EarlierRow earlier = make_earlier_row(tree, reference_rank, context);
    const auto append_queries = [&](Index leaf, std::vector<Query>& block) {
      for (int s = 0; s < query_tree.leaf_count(leaf); ++s) {
        const int row = query_tree.leaf_rows(leaf)[s];
        block.push_back({queries[row], query_rank[row], table[row]});
      }
      std::sort(block.begin(), block.end(), [](const Query& a, const Query& b) { return a.limit < b.limit; });
    };
    search_tree(tree, query_tree, earlier, k, append_queries, context, nullptr);
  }
  return table;
}

NeighborTable nearest_others(Points points, int k, const RunContext& context, const LagOrder* lags) {
  check_k(k);
  NeighborTable table(points.n, k, context);
  if (!lags && others_by_engine(points, table, context)) return table;
  const KdTree tree(points, context);
  const auto append_queries = [&](Index leaf, std::vector<Query>& queries) {
    for (int s = 0; s < tree.leaf_count(leaf); ++s) {
      const int row = tree.leaf_rows(leaf)[s];
      queries.push_back({points[row], row, table[row]});
    }
  };
  search_tree(tree, tree, OtherRow{&tree}, k, append_queries, context, lags);
  return table;
}

void check_search(Points reference, Points queries, int k) {
  check_k(k);
  check_same_dimension(reference.dim, queries.dim);
}

NeighborTable nearest_to(Points reference, Points queries, int k, const RunContext& context) {
  check_search(reference, queries, k);
  NeighborTable table(queries.n, k, context);
  if (nearest_by_engine(reference, queries, table, context)) return table;
  return nearest_to(KdTree(reference, context), queries, k, context);
}

NeighborTable nearest_to(const KdTree& tree, Points queries, int k, const RunContext& context, const LagOrder* lags) {
  check_k(k);
  check_same_dimension(tree.dim(), queries.dim);
  NeighborTable table(queries.n, k, context);
  const KdTree query_tree(queries, context);
  const auto append_queries = [&](Index leaf, std::vector<Query>& block) {
    for (int s = 0; s < query_tree.leaf_count(leaf); ++s) {
      const int row = query_tree.leaf_rows(leaf)[s];
      block.push_back({queries[row], 0, table[row]});
    }
  };
  search_tree(tree, query_tree, AnyRow{}, k, append_queries, context, lags);
  return table;
}

NeighborTable nearest_joint(Points reference, Points queries, const std::vector<int>& order_queries, int k,
                            const RunContext& context, const LagOrder* lags) {
  check_k(k);
  check_same_dimension(reference.dim, queries.dim);
  check_permutation(order_queries, queries.n);
  std::vector<double> coords(reference.data, reference.data + reference.n * reference.dim);
  coords.insert(coords.end(), queries.data, queries.data + queries.n * queries.dim);
  std::vector<int> order(std::size_t(reference.n));
  for (Index i = 0; i < reference.n; ++i) order[i] = int(i);
  for (const int row : order_queries) order.push_back(int(reference.n) + row);
  const Points both = {coords.data(), reference.n + queries.n, reference.dim};
  NeighborTable table(queries.n, k, context);
  if (!lags && before_by_engine(both, order, reference.n, reference.n, table, context)) return table;
  search_before(
      both, order, reference.n, k, [&](int row) { return table[row - reference.n]; }, context, lags);
  return table;
}

}  // namespace neargp
