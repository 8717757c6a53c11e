#include "linalg/sparse/clique_graph.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <string>

#include "base/error.h"
#include "parallel/parallel_for.h"

namespace neargp {
namespace {

constexpr Index cliques_per_chunk = 4096;

std::vector<int> ranks(Index nodes, const std::vector<int>& order) {
  std::vector<int> rank(std::size_t(nodes), -1);
  bool valid = Index(order.size()) == nodes;
  for (std::size_t r = 0; valid && r < order.size(); ++r) {
    valid = order[r] >= 0 && order[r] < nodes && rank[order[r]] < 0;
    if (valid) rank[order[r]] = int(r);
  }
  if (!valid) throw Error("The ordering must contain each of the " + std::to_string(nodes) + " nodes exactly once.");
  return rank;
}

void check_tables(const std::vector<CliqueTable>& tables) {
  Index cliques = 0;
  for (const CliqueTable& table : tables) {
    cliques += table.count;
    if (table.size > 65000) throw Error("Cliques may have at most 65000 nodes.");
  }
  if (cliques >= std::numeric_limits<int>::max()) throw Error("There are too many cliques.");
}

int members_of(const CliqueTable& table, Index row, Index nodes) {
  const int* member = table.member + row * table.size;
  int count = 0;
  while (count < table.size && member[count] >= 0) ++count;
  for (int s = 0; s < table.size; ++s)
    if (member[s] >= nodes || (s >= count && member[s] >= 0))
      throw Error("Row " + std::to_string(row + 1) + " of a table of cliques must have nodes and then absent ones.");
  return count;
}

}  // namespace

CliqueGraph::CliqueGraph(Index nodes, const std::vector<int>& order, const std::vector<CliqueTable>& tables,
                         const RunContext& context) {
  const std::vector<int> rank = ranks(nodes, order);
  check_tables(tables);
  first.push_back(0);
  for (const CliqueTable& table : tables)
    for (Index row = 0; row < table.count; ++row) first.push_back(first.back() + members_of(table, row, nodes));
  sort_members(rank, tables, context);
  original.resize(first.size() - 1);
  std::iota(original.begin(), original.end(), 0);
  list_cliques(nodes);
}

void CliqueGraph::sort_members(const std::vector<int>& rank, const std::vector<CliqueTable>& tables,
                               const RunContext& context) {
  member.resize(first.back());
  slot.resize(first.back());
  Index before = 0;
  for (const CliqueTable& table : tables) {
    parallel_for(context, (table.count + cliques_per_chunk - 1) / cliques_per_chunk, [&](Index chunk) {
      const Index last = std::min(table.count, (chunk + 1) * cliques_per_chunk);
      for (Index row = chunk * cliques_per_chunk; row < last; ++row) {
        const int* unsorted = table.member + row * table.size;
        const std::size_t begin = first[before + row];
        const int count = int(first[before + row + 1] - begin);
        std::uint16_t* sorted = slot.data() + begin;
        for (int s = 0; s < count; ++s) sorted[s] = std::uint16_t(s);
        std::sort(sorted, sorted + count, [&](int a, int b) { return rank[unsorted[a]] > rank[unsorted[b]]; });
        for (int s = 0; s < count; ++s) {
          member[begin + s] = unsorted[sorted[s]];
          if (s > 0 && member[begin + s] == member[begin + s - 1])
            throw Error("Row " + std::to_string(row + 1) + " of a table of cliques has a node twice.");
        }
      }
    });
    before += table.count;
  }
}

void CliqueGraph::list_cliques(Index nodes) {
  start.assign(std::size_t(nodes) + 1, 0);
  for (const int node : member) ++start[node + 1];
  for (Index node = 0; node < nodes; ++node) start[node + 1] += start[node];
  clique.resize(member.size());
  position.resize(member.size());
  std::vector<std::size_t> end(start.begin(), start.end() - 1);
  for (std::size_t c = 0; c + 1 < first.size(); ++c)
    for (std::size_t m = first[c]; m < first[c + 1]; ++m) {
      const std::size_t place = end[member[m]]++;
      clique[place] = int(c);
      position[place] = std::uint16_t(m - first[c]);
    }
}

// Orders the nodes. Only the member of a clique just before a node must be eliminated before it, as that member itself
// comes after the others.
std::vector<int> CliqueGraph::elimination_order(const std::vector<int>& order) const {
  std::vector<int> eliminated, path;
  eliminated.reserve(order.size());
  std::vector<char> seen(order.size(), 0);
  std::vector<std::size_t> next(start.begin(), start.end() - 1);
  for (const int root : order) {
    if (seen[root]) continue;
    seen[root] = 1;
    path.push_back(root);
    while (!path.empty()) {
      const int node = path.back();
      if (next[node] == start[node + 1]) {
        eliminated.push_back(node);
        path.pop_back();
        continue;
      }
      const std::size_t incidence = next[node]++;
      if (position[incidence] == 0) continue;
      const int before = member[first[clique[incidence]] + position[incidence] - 1];
      if (seen[before]) continue;
      seen[before] = 1;
      path.push_back(before);
    }
  }
  return eliminated;
}

void CliqueGraph::renumber(const std::vector<int>& column_of_node) {
  const std::size_t n = column_of_node.size(), cliques = original.size();
  for (int& m : member) m = column_of_node[m];
  const auto column_of = [&](std::size_t c) { return first[c] < first[c + 1] ? std::size_t(member[first[c]]) : n; };
  std::vector<std::size_t> end(n + 2, 0);
  for (std::size_t c = 0; c < cliques; ++c) ++end[column_of(c) + 1];
  for (std::size_t column = 0; column <= n; ++column) end[column + 1] += end[column];
  for (std::size_t c = 0; c < cliques; ++c) original[end[column_of(c)]++] = int(c);

  std::vector<std::size_t> old_first;
  std::vector<int> old_member;
  std::vector<std::uint16_t> old_slot;
  old_first.swap(first);
  old_member.swap(member);
  old_slot.swap(slot);
  first.push_back(0);
  for (const int c : original) {
    member.insert(member.end(), old_member.begin() + old_first[c], old_member.begin() + old_first[c + 1]);
    slot.insert(slot.end(), old_slot.begin() + old_first[c], old_slot.begin() + old_first[c + 1]);
    first.push_back(member.size());
  }
  list_cliques(Index(n));
}

}  // namespace neargp
