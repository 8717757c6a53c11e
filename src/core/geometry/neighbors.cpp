#include "geometry/neighbors.h"

#include <algorithm>
#include <string>

#include "base/error.h"
#include "geometry/block_search.h"
#include "geometry/engine_search.h"
#include "geometry/kd_tree.h"
#include "geometry/lag_search.h"
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
    default: return search_dimension<0>(tree, query_tree, eligible, k, append_queries, context);
  }
}

int lowest_rank_below(const KdTree& tree, KdTree::Node node, EarlierRow& earlier) {
  int lowest;
  if (node.is_leaf()) {
    const int* rank = earlier.rank.data() + node.first_leaf * KdTree::leaf_size;
    lowest = *std::min_element(rank, rank + KdTree::leaf_size);
  } else {
    lowest = std::min(lowest_rank_below(tree, node.left(), earlier), lowest_rank_below(tree, node.right(), earlier));
  }
  earlier.lowest_rank[node.id] = lowest;
  return lowest;
}

EarlierRow make_earlier_row(const KdTree& tree, const std::vector<int>& rank_of_row) {
  EarlierRow earlier;
  earlier.rank.assign(tree.leaves() * KdTree::leaf_size, std::numeric_limits<int>::max());
  for (Index slot = 0; slot < tree.size(); ++slot) earlier.rank[slot] = rank_of_row[tree.leaf_rows(0)[slot]];
  earlier.lowest_rank.resize(tree.nodes());
  lowest_rank_below(tree, tree.root(), earlier);
  return earlier;
}

RunContext part_of(const RunContext& context, double begin, double end) {
  RunContext part = context;
  if (context.progress)
    part.progress = [&context, begin, end](double fraction) { context.progress(begin + fraction * (end - begin)); };
  return part;
}

// Neighbours of the points with rank first_rank, first_rank + 1, ..., among the points before them. The ranks are
// cut at n, n/2, n/4, ..., and each stretch searches a tree of the points up to its end. At least half of the points
// in that tree precede the query. A search therefore meets few points that are not eligible, even in a maxmin or random
// ordering, where the first points are strewn thinly over the whole domain.
template <class ResultOfRow>
void search_before(Points points, const std::vector<int>& order, Index first_rank, int k,
                   const ResultOfRow& result_of_row, const RunContext& context, const LagOrder* lags) {
  std::vector<int> rank_of_row(order.size());
  for (std::size_t rank = 0; rank < order.size(); ++rank) rank_of_row[order[rank]] = int(rank);
  const Index smallest_stretch = std::max<Index>(1024, 4 * Index{k});
  Index end = points.n;
  while (end > first_rank) {
    const Index begin = end < 2 * smallest_stretch ? first_rank : std::max(first_rank, end / 2);
    const RunContext part = part_of(context, 1.0 - double(end) / points.n, 1.0 - double(begin) / points.n);
    const KdTree tree(points, std::vector<int>(order.begin(), order.begin() + end), part);
    const EarlierRow earlier = make_earlier_row(tree, rank_of_row);
    const auto append_queries = [&](Index leaf, std::vector<Query>& queries) {
      for (int s = 0; s < tree.leaf_count(leaf); ++s) {
        const int row = tree.leaf_rows(leaf)[s];
        if (rank_of_row[row] >= begin) queries.push_back({points[row], rank_of_row[row], result_of_row(row)});
      }
      std::sort(queries.begin(), queries.end(), [](const Query& a, const Query& b) { return a.limit < b.limit; });
    };
    search_tree(tree, tree, earlier, k, append_queries, part, lags);
    end = begin;
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
  NeighborTable table(points.n, k);
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
  NeighborTable table(queries.n, k);
  if (reference.n == 0 || queries.n == 0) return table;
  int end = 1 + *std::max_element(query_rank.begin(), query_rank.end());
  while (end > 0) {
    const int begin = end < 2048 ? 0 : end / 2;
    std::vector<int> sources, stretch;
    for (Index i = 0; i < reference.n; ++i)
      if (reference_rank[i] < end) sources.push_back(int(i));
    for (Index i = 0; i < queries.n; ++i)
      if (query_rank[i] >= begin && query_rank[i] < end) stretch.push_back(int(i));
    end = begin;
    if (sources.empty() || stretch.empty()) continue;
    const KdTree tree(reference, sources, context);
    const KdTree query_tree(queries, stretch, context);
    const EarlierRow earlier = make_earlier_row(tree, reference_rank);
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
  NeighborTable table(points.n, k);
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
  NeighborTable table(queries.n, k);
  if (nearest_by_engine(reference, queries, table, context)) return table;
  return nearest_to(KdTree(reference, context), queries, k, context);
}

NeighborTable nearest_to(const KdTree& tree, Points queries, int k, const RunContext& context, const LagOrder* lags) {
  check_k(k);
  check_same_dimension(tree.dim(), queries.dim);
  NeighborTable table(queries.n, k);
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
  NeighborTable table(queries.n, k);
  if (!lags && before_by_engine(both, order, reference.n, reference.n, table, context)) return table;
  search_before(
      both, order, reference.n, k, [&](int row) { return table[row - reference.n]; }, context, lags);
  return table;
}

}  // namespace neargp
