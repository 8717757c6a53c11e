// Cliques of all tables in the order in which their members are eliminated, and the order of elimination.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/run_context.h"
#include "linalg/sparse/sparse_pattern.h"

namespace neargp {

struct CliqueGraph {
  // The members of clique c are first[c] .. first[c + 1] - 1, later ones of the Vecchia ordering first. `slot` is the
  // position in the caller's row.
  std::vector<std::size_t> first;
  std::vector<int> member;
  std::vector<std::uint16_t> slot;

  std::vector<int> original;  // number of the clique when the rows of all tables are counted one after the other

  // The cliques of node i are start[i] .. start[i + 1] - 1. `position` is the position of the node among the members.
  std::vector<std::size_t> start;
  std::vector<int> clique;
  std::vector<std::uint16_t> position;

  CliqueGraph(Index nodes, const std::vector<int>& order, const std::vector<CliqueTable>& tables,
              const RunContext& context);

  // Lists each node after all nodes that must be eliminated before it, and right after the last of them where possible.
  // This is the depth-first search from the first nodes of the Vecchia ordering. The columns that a column needs were
  // therefore mostly made a short time ago.
  std::vector<int> elimination_order(const std::vector<int>& order) const;

  // Replaces members by their columns, and sorts the cliques by the columns of their first members, empty ones last.
  // Cliques that are near in elimination are then near in memory.
  void renumber(const std::vector<int>& column_of_node);

 private:
  void sort_members(const std::vector<int>& rank, const std::vector<CliqueTable>& tables, const RunContext& context);
  void list_cliques(Index nodes);
};

}  // namespace neargp
