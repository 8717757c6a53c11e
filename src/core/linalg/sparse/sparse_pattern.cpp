#include "linalg/sparse/sparse_pattern.h"

#include <algorithm>
#include <string>

#include "base/error.h"
#include "linalg/sparse/block_arithmetic.h"
#include "linalg/sparse/clique_graph.h"
#include "linalg/sparse/pattern_builder.h"
#include "parallel/parallel_for.h"

namespace neargp {

SparsePattern::SparsePattern(Index nodes, const std::vector<int>& order, const std::vector<CliqueTable>& tables,
                             const RunContext& context, double most_bytes, int unknowns)
    : unknowns_(unknowns) {
  if (unknowns < 1 || unknowns > most_unknowns)
    throw Error("A node may have between 1 and " + std::to_string(most_unknowns) + " unknowns.");
  CliqueGraph graph(nodes, order, tables, context);
  PatternBuilder(*this, graph, context).build(order, tables, most_bytes);
}

void SparsePattern::add_diagonal(const double* by_node, double* values) const {
  for (int r = 0; r < unknowns_; ++r, by_node += nodes())
    for (Index column = 0; column < nodes(); ++column)
      values[start_[column] * area() + own_entry(r)] += by_node[node_[column]];
}

void SparsePattern::diagonal(const double* values, double* by_node) const {
  for (int r = 0; r < unknowns_; ++r, by_node += nodes())
    for (Index column = 0; column < nodes(); ++column)
      by_node[node_[column]] = values[start_[column] * area() + own_entry(r)];
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

// The vectors of a clique's members in the order of elimination, `size` numbers for each.
static void take_members(const double* vector, const std::uint16_t* slot, int members, int size, double* v) {
  for (int m = 0; m < members; ++m)
    for (int r = 0; r < size; ++r) v[m * size + r] = vector[slot[m] * size + r];
}

// The vectors of all unknowns, one unknown after the other, as numbers of all unknowns of a member.
template <int unknowns>
static void take_unknowns(const double* vector, Index stride, const std::uint16_t* slot, int members, double* v) {
  for (int r = 0; r < unknowns; ++r, vector += stride)
    for (int m = 0; m < members; ++m) v[m * unknowns + r] = vector[slot[m]];
}

// One walk over the pairs serves all unknowns.
void SparsePattern::add_outer_products(int table, const double* vectors, const double* scale, double* values) const {
  const Cliques& cliques = tables_[table];
  with_block_size(unknowns_, [&](auto unknowns) {
    constexpr int size = unknowns();
    std::vector<double> v(std::size_t(cliques.size * size));
    with_pairs([&](const auto* pair_table) {
      for (Index c = 0; c < cliques.count(); ++c) {
        const Index row = cliques.row[c];
        take_unknowns<size>(vectors + row * cliques.size, cliques.count() * cliques.size, cliques.slots(c),
                            cliques.members(c), v.data());
        double factor[size];
        for (int r = 0; r < size; ++r) factor[r] = scale[r * cliques.count() + row];
        for_each_pair(cliques, c, pair_table, [&](int a, int b, std::size_t place) {
          for (int r = 0; r < size; ++r)
            values[place * (size * size) + r * (size + 1)] += factor[r] * v[a * size + r] * v[b * size + r];
        });
      }
    });
  });
}

void SparsePattern::add_joint_outer_products(int table, const double* vectors, const double* scale,
                                             double* values) const {
  const Cliques& cliques = tables_[table];
  with_block_size(unknowns_, [&](auto unknowns) {
    constexpr int size = unknowns();
    std::vector<double> v(std::size_t(cliques.size * size));
    with_pairs([&](const auto* pair_table) {
      for (Index c = 0; c < cliques.count(); ++c) {
        take_members(vectors + Index(cliques.row[c]) * cliques.size * size, cliques.slots(c), cliques.members(c), size,
                     v.data());
        const double factor = scale[cliques.row[c]];
        for_each_pair(cliques, c, pair_table, [&](int a, int b, std::size_t place) {
          double* block = values + place * std::size_t(size * size);
          for (int column = 0; column < size; ++column)
            for (int row = 0; row < size; ++row)
              block[column * size + row] += factor * v[a * size + column] * v[b * size + row];
        });
      }
    });
  });
}

// Calls action(c, v, sum) for the cliques c of a table in chunks, where v and sum have room for `size` numbers of each
// member. The action fills v, and then sum.
template <class Action>
void SparsePattern::for_each_clique(const Cliques& cliques, int size, const RunContext& context,
                                    const Action& action) const {
  constexpr Index cliques_per_chunk = 2048;
  parallel_for(context, (cliques.count() + cliques_per_chunk - 1) / cliques_per_chunk, [&](Index chunk) {
    std::vector<double> v(std::size_t(cliques.size * size)), sum(v.size());
    const Index last = std::min(cliques.count(), (chunk + 1) * cliques_per_chunk);
    for (Index c = chunk * cliques_per_chunk; c < last; ++c) {
      std::fill(sum.begin(), sum.end(), 0.0);
      action(c, v.data(), sum.data());
    }
  });
}

void SparsePattern::multiply_cliques(int table, const double* values, const double* vectors, double* products,
                                     const RunContext& context) const {
  const Cliques& cliques = tables_[table];
  const Index stride = cliques.count() * cliques.size;
  with_block_size(unknowns_, [&](auto unknowns) {
    constexpr int size = unknowns();
    for_each_clique(cliques, size, context, [&](Index c, double* v, double* sum) {
      const Index row = Index(cliques.row[c]) * cliques.size;
      const std::uint16_t* slot = cliques.slots(c);
      take_unknowns<size>(vectors + row, stride, slot, cliques.members(c), v);
      with_pairs([&](const auto* pair_table) {
        for_each_pair(cliques, c, pair_table, [&](int a, int b, std::size_t place) {
          for (int r = 0; r < size; ++r) {
            const double value = values[place * (size * size) + r * (size + 1)];
            sum[a * size + r] += value * v[b * size + r];
            if (a != b) sum[b * size + r] += value * v[a * size + r];
          }
        });
      });
      for (int r = 0; r < size; ++r) {
        double* own = products + r * stride + row;
        std::fill_n(own, cliques.size, 0.0);
        for (int m = 0; m < cliques.members(c); ++m) own[slot[m]] = sum[m * size + r];
      }
    });
  });
}

void SparsePattern::multiply_joint_cliques(int table, const double* values, const double* vectors, double* products,
                                           const RunContext& context) const {
  const Cliques& cliques = tables_[table];
  with_block_size(unknowns_, [&](auto unknowns) {
    constexpr int size = unknowns();
    for_each_clique(cliques, size, context, [&](Index c, double* v, double* sum) {
      const Index row = Index(cliques.row[c]) * cliques.size * size;
      const std::uint16_t* slot = cliques.slots(c);
      take_members(vectors + row, slot, cliques.members(c), size, v);
      with_pairs([&](const auto* pair_table) {
        for_each_pair(cliques, c, pair_table, [&](int a, int b, std::size_t place) {
          const double* block = values + place * std::size_t(size * size);
          for (int column = 0; column < size; ++column)
            for (int row = 0; row < size; ++row) {
              sum[b * size + row] += block[column * size + row] * v[a * size + column];
              if (a != b) sum[a * size + column] += block[column * size + row] * v[b * size + row];
            }
        });
      });
      std::fill_n(products + row, cliques.size * size, 0.0);
      for (int m = 0; m < cliques.members(c); ++m) std::copy_n(sum + m * size, size, products + row + slot[m] * size);
    });
  });
}

double SparsePattern::squared_form(const double* values, const double* x) const {
  return with_block_size(unknowns_, [&](auto size) {
    using Arithmetic = BlockArithmetic<size()>;
    std::vector<double> factor(static_cast<std::size_t>(nodes()) * area());
    const auto of_column = [&](Index column) { return factor.data() + std::size_t(column) * area(); };
    for (Index column = 0; column < nodes(); ++column)
      std::copy_n(x + std::size_t(node_[column]) * area(), area(), of_column(column));
    double total = 0.0;
    for (Index column = 0; column < nodes(); ++column) {
      const double* value = values + start_[column] * area();
      const int* row = rows(column);
      auto below = Arithmetic::zero();
      for (int entry = 0; entry < count(column); ++entry)
        below += Arithmetic::both_sides(value + std::size_t(entry + 1) * area(), of_column(row[entry]));
      total += Arithmetic::inner(of_column(column), Arithmetic::both_sides(value, of_column(column)) + 2.0 * below);
    }
    return total;
  });
}

}  // namespace neargp
