// The entries that a sparse symmetric matrix may have, as the union of cliques of nodes, and what is computed with
// arrays of values of those entries.
//
// Only the lower triangle is kept, by columns, in the order of elimination. That order is not the reverse of the
// Vecchia ordering itself but one that keeps dependent columns close together in memory. Two orders give the same
// incomplete factor if they order every pair of nodes of the pattern alike, because a column of the factor depends on
// no other pairs.
//
// Column j consists of its diagonal entry, the `count` entries below it by row, and a few spare elements that belong to
// no entry. For two rows p < q of column j, the table of pairs contains the position of the entry in row q of column p.
// Where the pattern lacks that entry, it is the position of a spare element. A factorisation and its adjoint are
// nothing but loops over these pairs, and neither search nor branch.
//
// A node may have several unknowns. Each entry is then a square block of numbers by column, whose rows belong to the
// unknowns of the entry's row. Diagonal blocks are whole. Pairs are those of nodes, however many unknowns there are.
//
// The table of pairs grows with the square of the number of neighbours, and in many dimensions the union of the cliques
// does as well. Where it would take too much memory, the pattern is restricted to those pairs of each clique that
// include the member eliminated first. In the prior of a nearest-neighbour model these pairs are a node and its
// conditioning set, the pattern of the prior's own factor. The number of entries is then linear in the number of
// neighbours. Schäfer, Katzfuss and Owhadi (2021, SIAM J. Sci. Comput. 43, section 4.1) proposed a zero-fill factor of
// a posterior precision on this pattern. Sums over cliques leave out the pairs that it lacks, whose entries of any
// array count as zero.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "base/run_context.h"
#include "base/types.h"

namespace neargp {

// Rows of node numbers, row-major, -1 = absent (padding at the end): each row is a clique.
struct CliqueTable {
  Index count = 0;
  int size = 0;
  const int* member = nullptr;
};

// The table of pairs: in each column one row for each entry, with the pairs of that entry and those after it, filled up
// to a multiple of four. The start of a row therefore follows from the number of its pairs.
namespace pairs {

inline std::size_t row_length(int pairs) { return std::size_t((pairs + 3) / 4) * 4; }

// Length of the rows with 0, 1, .., `pairs` pairs together.
inline std::size_t total(int pairs) {
  const std::size_t fours = std::size_t(pairs / 4), rest = std::size_t(pairs % 4);
  return 8 * fours * (fours + 1) + 4 * rest * (fours + 1);
}

// The start of the row of entry number `entry` of `count` in its column's part of the table.
inline std::size_t row_start(int count, int entry) { return total(count - 1) - total(count - 1 - entry); }

}  // namespace pairs

class SparsePattern {
 public:
  // The number of spare elements of a column. Consecutive missing pairs use different ones, so that sums into them do
  // not wait for each other.
  static constexpr int spare = 4;

  // order[rank] = node is the Vecchia ordering. The later one of two nodes of a clique is eliminated first. Tables are
  // copied. Throws an Error if a node is out of range or stands twice in a clique, or if a column gets more than 65,000
  // entries. The pattern is restricted if the union of the cliques, with its table and four arrays of values, is
  // estimated to take more than `most_bytes`.
  SparsePattern(Index nodes, const std::vector<int>& order, const std::vector<CliqueTable>& tables,
                const RunContext& context, double most_bytes = std::numeric_limits<double>::infinity(),
                int unknowns = 1);

  bool is_restricted() const { return restricted_; }

  Index nodes() const { return Index(node_.size()); }
  int unknowns() const { return unknowns_; }
  // The number of entries, including spare ones, and the length of an array of their values.
  std::size_t entries() const { return start_.back(); }
  std::size_t length() const { return entries() * area(); }

  void add_diagonal(const double* by_node, double* values) const;
  void diagonal(const double* values, double* by_node) const;

  // values += sum_c scale[c] v_c v_c' for the rows v_c of `vectors` (count x size). The elements of v_c are in the
  // order of the members of clique c of that table, and those of absent members are not read. There are vectors and a
  // scale for each unknown, one unknown after the other. Entries of two unknowns get nothing.
  void add_outer_products(int table, const double* vectors, const double* scale, double* values) const;

  // The same for vectors of all unknowns. They contain a number for each unknown of a member, member after member.
  void add_joint_outer_products(int table, const double* vectors, const double* scale, double* values) const;

  // Row c of `products` = V[c, c] v_c, of each unknown or of all together; zero for absent members.
  void multiply_cliques(int table, const double* values, const double* vectors, double* products,
                        const RunContext& context) const;
  void multiply_joint_cliques(int table, const double* values, const double* vectors, double* products,
                              const RunContext& context) const;

  // The sum of x_i V_ij x_j V_ji over all nodes i and j, where x contains a number for each node, or a symmetric block
  // of numbers for each. Its trace for blocks.
  double squared_form(const double* values, const double* x) const;

  // The structure, for factors. Columns and rows are numbered in the order of elimination.
  int node(Index column) const { return node_[column]; }
  int column_of(Index node) const { return column_of_[node]; }
  // Number of the diagonal entry; the entries below it follow.
  std::size_t start(Index column) const { return start_[column]; }
  int count(Index column) const { return int(start_[column + 1] - start_[column]) - 1 - spare; }
  const int* rows(Index column) const { return row_.data() + start_[column] + 1; }

  // Calls action(table of pairs) with the type in which the table is kept. The part of a column begins at
  // pair_start(column).
  template <class Action>
  auto with_pairs(const Action& action) const {
    return pairs16_.empty() ? action(pairs8_.data()) : action(pairs16_.data());
  }
  std::size_t pair_start(Index column) const { return pair_start_[column]; }

 private:
  friend class PatternBuilder;

  // The cliques of a table in the order of the columns of their first members, as neighbouring ones use the same
  // values. Clique c is row[c] of the caller's table. Its members are first[c] .. first[c + 1] - 1, in the order of
  // elimination. `slot` is the position in the caller's row. `place` is the position in column[c], the column of the
  // first member.
  struct Cliques {
    int size = 0;
    std::vector<int> row, column;
    std::vector<std::size_t> first;
    std::vector<std::uint16_t> slot, place;

    Index count() const { return Index(row.size()); }
    int members(Index clique) const { return int(first[clique + 1] - first[clique]); }
    const std::uint16_t* slots(Index clique) const { return slot.data() + first[clique]; }
  };

  // Calls action(a, b, position among the values) for all pairs of members of a clique, a = b or a eliminated before b.
  template <class Pair, class Action>
  void for_each_pair(const Cliques& cliques, Index clique, const Pair* table, const Action& action) const;

  template <class Action>
  void for_each_clique(const Cliques& cliques, int size, const RunContext& context, const Action& action) const;

  std::size_t area() const { return std::size_t(unknowns_ * unknowns_); }
  std::size_t own_entry(int unknown) const { return std::size_t(unknown * (unknowns_ + 1)); }  // of its block

  int unknowns_ = 1;
  bool restricted_ = false;
  std::vector<int> node_, column_of_;
  std::vector<std::size_t> start_;
  std::vector<int> row_;
  std::vector<std::size_t> pair_start_;
  std::vector<std::uint8_t> pairs8_;
  std::vector<std::uint16_t> pairs16_;
  std::vector<Cliques> tables_;
};

}  // namespace neargp
