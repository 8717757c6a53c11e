// Builds a SparsePattern from cliques: columns, contributors, the table of pairs, and the positions of the cliques'
// members.
#pragma once

#include <vector>

#include "linalg/sparse/clique_graph.h"
#include "linalg/sparse/sparse_pattern.h"

namespace neargp {

class PatternBuilder {
 public:
  PatternBuilder(SparsePattern& pattern, CliqueGraph& graph, const RunContext& context)
      : pattern_(pattern), graph_(graph), context_(context) {}

  void build(const std::vector<int>& order, const std::vector<CliqueTable>& tables, double most_bytes);

 private:
  double estimated_bytes() const;
  void list_rows();
  std::vector<int> find_rows(Index begin, Index end, int* count) const;
  void reserve_columns(const std::vector<int>& count);
  void list_contributors();
  void list_cliques(const std::vector<CliqueTable>& tables);
  template <class Pair>
  void locate(std::vector<Pair>& table);
  template <class Pair>
  void locate_pairs(Index column, const std::vector<Pair>& place, Pair* table) const;
  template <class Pair>
  void locate_members(Index column, const std::vector<Pair>& place);

  SparsePattern& pattern_;
  CliqueGraph& graph_;
  const RunContext& context_;

  // Entries left of the diagonal of each row: entry number contributor_entry_[i] of contributor_column_[i].
  std::vector<std::size_t> contributor_start_;
  std::vector<int> contributor_column_;
  std::vector<std::uint16_t> contributor_entry_;

  // The position of each clique of the graph among those of its table.
  struct Clique {
    int table, number;
  };
  std::vector<Clique> clique_;
};

}  // namespace neargp
