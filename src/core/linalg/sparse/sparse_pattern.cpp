#include "linalg/sparse/sparse_pattern.h"

#include <algorithm>

#include "linalg/sparse/clique_graph.h"
#include "linalg/sparse/pattern_builder.h"
#include "parallel/parallel_for.h"

namespace neargp {

SparsePattern::SparsePattern(Index nodes, const std::vector<int>& order, const std::vector<CliqueTable>& tables,
                             const RunContext& context, double most_bytes) {
  CliqueGraph graph(nodes, order, tables, context);
  PatternBuilder(*this, graph, context).build(order, tables, most_bytes);
}

void SparsePattern::add_diagonal(const double* by_node, double* values) const {
  for (Index column = 0; column < nodes(); ++column) values[start_[column]] += by_node[node_[column]];
}

void SparsePattern::diagonal(const double* values, double* by_node) const {
  for (Index column = 0; column < nodes(); ++column) by_node[node_[column]] = values[start_[column]];
}

// All members are rows of the first member's column. The pairs of that column therefore contain the positions of all
// pairs of the clique.
template <class Pair, class Action>
void SparsePattern::for_each_pair(const Cliques& cliques, Index clique, const Pair* table, const Action& action) const {
  const std::uint16_t* place = cliques.place.data() + cliques.first[clique];
  const int members = cliques.members(clique);
  if (members == 0) return;
  const Index column = cliques.column[clique];
  for (int b = 0; b < members; ++b) action(0, b, start_[column] + place[b]);
  const Pair* const pairs_of_column = table + pair_start_[column];
  for (int a = 1; a < members; ++a) {
    const int entry = place[a] - 1;
    const std::size_t begin = start_[rows(column)[entry]];
    const Pair* const pairs_of_entry = pairs_of_column + pairs::row_start(count(column), entry);
    action(a, a, begin);
    for (int b = a + 1; b < members; ++b) action(a, b, begin + pairs_of_entry[place[b] - place[a] - 1]);
  }
}

void SparsePattern::add_outer_products(int table, const double* vectors, const double* scale, double* values) const {
  const Cliques& cliques = tables_[table];
  std::vector<double> v(std::size_t(cliques.size));
  with_pairs([&](const auto* pair_table) {
    for (Index c = 0; c < cliques.count(); ++c) {
      const double* vector = vectors + Index(cliques.row[c]) * cliques.size;
      const std::uint16_t* slot = cliques.slot.data() + cliques.first[c];
      for (int m = 0; m < cliques.members(c); ++m) v[m] = vector[slot[m]];
      const double factor = scale[cliques.row[c]];
      for_each_pair(cliques, c, pair_table,
                    [&](int a, int b, std::size_t place) { values[place] += factor * v[a] * v[b]; });
    }
  });
}

void SparsePattern::multiply_cliques(int table, const double* values, const double* vectors, double* products,
                                     const RunContext& context) const {
  constexpr Index cliques_per_chunk = 2048;
  const Cliques& cliques = tables_[table];
  parallel_for(context, (cliques.count() + cliques_per_chunk - 1) / cliques_per_chunk, [&](Index chunk) {
    std::vector<double> v(std::size_t(cliques.size)), sum(v.size());
    const Index last = std::min(cliques.count(), (chunk + 1) * cliques_per_chunk);
    for (Index c = chunk * cliques_per_chunk; c < last; ++c) {
      const Index row = Index(cliques.row[c]) * cliques.size;
      const std::uint16_t* slot = cliques.slot.data() + cliques.first[c];
      for (int m = 0; m < cliques.members(c); ++m) v[m] = vectors[row + slot[m]];
      std::fill(sum.begin(), sum.end(), 0.0);
      with_pairs([&](const auto* pair_table) {
        for_each_pair(cliques, c, pair_table, [&](int a, int b, std::size_t place) {
          sum[a] += values[place] * v[b];
          if (a != b) sum[b] += values[place] * v[a];
        });
      });
      std::fill_n(products + row, cliques.size, 0.0);
      for (int m = 0; m < cliques.members(c); ++m) products[row + slot[m]] = sum[m];
    }
  });
}

double SparsePattern::squared_form(const double* values, const double* x) const {
  std::vector<double> factor(static_cast<std::size_t>(nodes()));
  for (Index column = 0; column < nodes(); ++column) factor[column] = x[node_[column]];
  double total = 0.0;
  for (Index column = 0; column < nodes(); ++column) {
    const double* value = values + start_[column];
    const int* row = rows(column);
    double below = 0.0;
    for (int entry = 0; entry < count(column); ++entry)
      below += value[entry + 1] * value[entry + 1] * factor[row[entry]];
    total += factor[column] * (value[0] * value[0] * factor[column] + 2.0 * below);
  }
  return total;
}

}  // namespace neargp
