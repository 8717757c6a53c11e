#include "sparse/pattern_builder.h"

#include <algorithm>
#include <string>

#include "base/error.h"
#include "base/parallel_for.h"

namespace neargp {
namespace {

constexpr Index columns_per_chunk = 1024;
constexpr int most_rows = 65000;

Index chunks_of(Index columns) { return (columns + columns_per_chunk - 1) / columns_per_chunk; }

}  // namespace

void PatternBuilder::build(const std::vector<int>& elimination_order, const std::vector<CliqueTable>& tables) {
  pattern_.node_ = elimination_order;
  pattern_.column_of_.resize(elimination_order.size());
  for (std::size_t column = 0; column < elimination_order.size(); ++column)
    pattern_.column_of_[elimination_order[column]] = int(column);
  list_rows();
  list_contributors();
  sort_cliques(tables);
  int most = 0;
  for (Index column = 0; column < pattern_.nodes(); ++column) most = std::max(most, pattern_.count(column));
  if (most + SparsePattern::spare <= 255) {
    locate(pattern_.pairs8_);
  } else {
    locate(pattern_.pairs16_);
  }
}

// The rows of a column are the members after it in its cliques, each once.
void PatternBuilder::list_rows() {
  const Index n = pattern_.nodes();
  std::vector<std::vector<int>> rows_of_chunk(std::size_t(chunks_of(n)));
  pattern_.start_.assign(std::size_t(n) + 1, 0);
  parallel_for(context_, chunks_of(n), [&](Index chunk) {
    thread_local std::vector<int> last_column;
    last_column.assign(std::size_t(n), -1);
    std::vector<int>& rows = rows_of_chunk[chunk];
    const Index last = std::min(n, (chunk + 1) * columns_per_chunk);
    for (Index column = chunk * columns_per_chunk; column < last; ++column) {
      const std::size_t begin = rows.size();
      const int node = pattern_.node_[column];
      for (std::size_t i = graph_.start[node]; i < graph_.start[node + 1]; ++i) {
        const std::size_t end = graph_.first[graph_.clique[i] + 1];
        for (std::size_t m = graph_.first[graph_.clique[i]] + graph_.position[i] + 1; m < end; ++m) {
          const int row = pattern_.column_of_[graph_.member[m]];
          if (last_column[row] == int(column)) continue;
          last_column[row] = int(column);
          rows.push_back(row);
        }
      }
      std::sort(rows.begin() + begin, rows.end());
      pattern_.start_[column + 1] = rows.size() - begin;
    }
  });
  pattern_.pair_start_.assign(std::size_t(n) + 1, 0);
  for (Index column = 0; column < n; ++column) {
    const std::size_t count = pattern_.start_[column + 1];
    if (count > std::size_t(most_rows))
      throw Error("Node " + std::to_string(pattern_.node_[column] + 1) + " is in the cliques of " +
                  std::to_string(count) + " others, more than a sparse factor can take.");
    pattern_.pair_start_[column + 1] =
        pattern_.pair_start_[column] + (count > 0 ? pairs::total(int(count) - 1) : 0);
    pattern_.start_[column + 1] = pattern_.start_[column] + count + 1 + SparsePattern::spare;
  }
  pattern_.row_.resize(pattern_.entries());
  parallel_for(context_, chunks_of(n), [&](Index chunk) {
    const int* rows = rows_of_chunk[chunk].data();
    const Index last = std::min(n, (chunk + 1) * columns_per_chunk);
    for (Index column = chunk * columns_per_chunk; column < last; ++column) {
      const int count = pattern_.count(column);
      std::copy(rows, rows + count, pattern_.row_.data() + pattern_.start(column) + 1);
      rows += count;
    }
  });
}

void PatternBuilder::list_contributors() {
  const Index n = pattern_.nodes();
  contributor_start_.assign(std::size_t(n) + 1, 0);
  for (Index column = 0; column < n; ++column)
    for (int entry = 0; entry < pattern_.count(column); ++entry) ++contributor_start_[pattern_.rows(column)[entry] + 1];
  for (Index row = 0; row < n; ++row) contributor_start_[row + 1] += contributor_start_[row];
  contributor_column_.resize(contributor_start_[n]);
  contributor_entry_.resize(contributor_start_[n]);
  std::vector<std::size_t> end(contributor_start_.begin(), contributor_start_.end() - 1);
  for (Index column = 0; column < n; ++column)
    for (int entry = 0; entry < pattern_.count(column); ++entry) {
      const std::size_t place = end[pattern_.rows(column)[entry]]++;
      contributor_column_[place] = int(column);
      contributor_entry_[place] = std::uint16_t(entry);
    }
}

void PatternBuilder::sort_cliques(const std::vector<CliqueTable>& tables) {
  const Index n = pattern_.nodes();
  Index before = 0;
  for (const CliqueTable& table : tables) {
    const auto column_of = [&](Index row) {
      const std::size_t first = graph_.first[before + row];
      return first < graph_.first[before + row + 1] ? Index(pattern_.column_of_[graph_.member[first]]) : n;
    };
    std::vector<Index> end(std::size_t(n) + 2, 0);
    for (Index row = 0; row < table.count; ++row) ++end[column_of(row) + 1];
    for (Index column = 0; column <= n; ++column) end[column + 1] += end[column];
    SparsePattern::Cliques cliques;
    cliques.size = table.size;
    cliques.row.resize(std::size_t(table.count));
    for (Index row = 0; row < table.count; ++row) cliques.row[end[column_of(row)]++] = int(row);
    cliques.first.push_back(0);
    for (const int row : cliques.row) {
      const std::size_t first = graph_.first[before + row], last = graph_.first[before + row + 1];
      cliques.column.push_back(int(column_of(row)));
      cliques.slot.insert(cliques.slot.end(), graph_.slot.begin() + first, graph_.slot.begin() + last);
      cliques.first.push_back(cliques.slot.size());
    }
    cliques.place.resize(cliques.slot.size());
    pattern_.tables_.push_back(std::move(cliques));
    before += table.count;
  }
}

template <class Pair>
void PatternBuilder::locate(std::vector<Pair>& table) {
  const Index n = pattern_.nodes();
  table.resize(pattern_.pair_start_.back());
  parallel_for(context_, chunks_of(n), [&](Index chunk) {
    thread_local std::vector<std::uint16_t> place;
    place.assign(std::size_t(n), 0);
    const Index begin = chunk * columns_per_chunk, end = std::min(n, begin + columns_per_chunk);
    std::vector<Index> next;
    for (const SparsePattern::Cliques& cliques : pattern_.tables_)
      next.push_back(std::lower_bound(cliques.column.begin(), cliques.column.end(), begin) - cliques.column.begin());
    for (Index column = begin; column < end; ++column) {
      const int* rows = pattern_.rows(column);
      const int count = pattern_.count(column);
      for (int entry = 0; entry < count; ++entry) place[rows[entry]] = std::uint16_t(entry + 1);
      locate_pairs(column, place, table.data());
      Index before = 0;
      for (std::size_t t = 0; t < next.size(); ++t) {
        SparsePattern::Cliques& cliques = pattern_.tables_[t];
        for (; next[t] < cliques.count() && cliques.column[next[t]] == column; ++next[t])
          locate_members(cliques, next[t], before + cliques.row[next[t]], place);
        before += cliques.count();
      }
      for (int entry = 0; entry < count; ++entry) place[rows[entry]] = 0;
    }
  });
}

// Which rows of other columns are rows of this one too: its place there, or a spare one.
template <class Pair>
void PatternBuilder::locate_pairs(Index column, const std::vector<std::uint16_t>& place, Pair* table) const {
  const int spare = pattern_.count(column) + 1;
  for (std::size_t i = contributor_start_[column]; i < contributor_start_[column + 1]; ++i) {
    const int from = contributor_column_[i];
    const int entry = contributor_entry_[i];
    const int count = pattern_.count(from);
    const int pairs = count - 1 - entry;
    const int* rows = pattern_.rows(from) + entry + 1;
    Pair* row = table + pattern_.pair_start(from) + pairs::row_start(count, entry);
    for (int p = 0; p < pairs; ++p) {
      const int found = place[rows[p]];
      row[p] = Pair(found > 0 ? found : spare + p % SparsePattern::spare);
    }
    for (int p = pairs; p < int(pairs::row_length(pairs)); ++p) row[p] = Pair(spare + p % SparsePattern::spare);
  }
}

void PatternBuilder::locate_members(SparsePattern::Cliques& cliques, Index clique, Index clique_of_graph,
                                    const std::vector<std::uint16_t>& place) const {
  const int* member = graph_.member.data() + graph_.first[clique_of_graph];
  std::uint16_t* place_of_member = cliques.place.data() + cliques.first[clique];
  place_of_member[0] = 0;
  for (int m = 1; m < cliques.members(clique); ++m) place_of_member[m] = place[pattern_.column_of_[member[m]]];
}

}  // namespace neargp
