// The entries that a sparse symmetric matrix may have, as the union of cliques of nodes,
// and what is computed with arrays of values of those entries.
//
// Only the lower triangle is kept, by columns, in the order of elimination. That order is
// not the reverse of the Vecchia ordering itself but one that keeps dependent columns close
// together in memory. Two orders give the same incomplete factor if they order every pair of
// nodes of the pattern alike, for a column of the factor depends on no others.
#pragma once

#include <cstddef>
#include <cstdint>
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

class SparsePattern {
 public:
  // order[rank] = node: the Vecchia ordering; of two nodes in a clique the later one is
  // eliminated first. Tables are copied. Throws an Error if a node is out of range, stands
  // twice in a clique, or if a column gets more than 65000 entries.
  SparsePattern(Index nodes, const std::vector<int>& order, const std::vector<CliqueTable>& tables,
                const RunContext& context);

  Index nodes() const { return Index(node_.size()); }
  // Length of an array of values. It includes places that belong to no entry; nobody reads them.
  std::size_t entries() const { return start_.back(); }

  void add_diagonal(const double* by_node, double* values) const;
  void diagonal(const double* values, double* by_node) const;

  // values += sum_c scale[c] v_c v_c', v_c the row c of `vectors` (count x size), in the order
  // of the members of clique c of that table; elements of absent members are not read.
  void add_outer_products(int table, const double* vectors, const double* scale, double* values) const;

  // Row c of `products` = V[c, c] v_c; zero for absent members.
  void multiply_cliques(int table, const double* values, const double* vectors, double* products,
                        const RunContext& context) const;

  // y = V x, by node. The result does not depend on the number of threads.
  void multiply(const double* values, const double* x, double* y, const RunContext& context) const;

  // The structure, for factors. Columns and rows are numbered in the order of elimination.
  int node(Index column) const { return node_[column]; }
  int column_of(int node) const { return column_of_[node]; }
  // Place of the diagonal entry among the values; entries below it follow, by row.
  std::size_t start(Index column) const { return start_[column]; }
  // Number of entries below the diagonal.
  int count(Index column) const { return int(start_[column + 1] - start_[column]) - 2; }
  const int* rows(Index column) const { return row_.data() + start_[column] + 1; }

 private:
  std::vector<int> node_, column_of_;
  std::vector<std::size_t> start_;
  std::vector<int> row_;
};

}  // namespace neargp
