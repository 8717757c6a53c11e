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
  prepare_cliques(tables);
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

// A loop whose length jumps at random costs more than its sums: contributors with as many fours of pairs stand together.
void PatternBuilder::list_contributors() {
  const Index n = pattern_.nodes();
  std::vector<std::size_t>& start = pattern_.contributor_start_;
  start.assign(std::size_t(n) + 1, 0);
  for (Index column = 0; column < n; ++column)
    for (int entry = 0; entry < pattern_.count(column); ++entry) ++start[pattern_.rows(column)[entry] + 1];
  for (Index row = 0; row < n; ++row) start[row + 1] += start[row];
  pattern_.contributor_column_.resize(start[n]);
  pattern_.contributor_entry_.resize(start[n]);
  std::vector<std::size_t> end(start.begin(), start.end() - 1);
  for (Index column = 0; column < n; ++column)
    for (int entry = 0; entry < pattern_.count(column); ++entry) {
      const std::size_t place = end[pattern_.rows(column)[entry]]++;
      pattern_.contributor_column_[place] = int(column);
      pattern_.contributor_entry_[place] = std::uint16_t(entry);
    }
  parallel_for(context_, chunks_of(n), [&](Index chunk) {
    struct Contributor {
      int fours, column;
      std::uint16_t entry;
    };
    std::vector<Contributor> sorted;
    for (Index row = chunk * columns_per_chunk; row < std::min(n, (chunk + 1) * columns_per_chunk); ++row) {
      sorted.clear();
      for (std::size_t i = start[row]; i < start[row + 1]; ++i) {
        const int column = pattern_.contributor_column_[i];
        const std::uint16_t entry = pattern_.contributor_entry_[i];
        sorted.push_back({(pattern_.count(column) - entry + 2) / 4, column, entry});
      }
      std::stable_sort(sorted.begin(), sorted.end(),
                       [](const Contributor& a, const Contributor& b) { return a.fours > b.fours; });
      for (std::size_t i = 0; i < sorted.size(); ++i) {
        pattern_.contributor_column_[start[row] + i] = sorted[i].column;
        pattern_.contributor_entry_[start[row] + i] = sorted[i].entry;
      }
    }
  });
}

void PatternBuilder::prepare_cliques(const std::vector<CliqueTable>& tables) {
  Index before = 0;
  for (const CliqueTable& table : tables) {
    SparsePattern::Cliques cliques;
    cliques.count = table.count;
    cliques.size = table.size;
    for (Index c = before; c <= before + table.count; ++c)
      cliques.first.push_back(graph_.first[c] - graph_.first[before]);
    for (Index c = before; c < before + table.count; ++c)
      cliques.column.push_back(graph_.first[c] < graph_.first[c + 1]
                                   ? pattern_.column_of_[graph_.member[graph_.first[c]]] : -1);
    cliques.slot.assign(graph_.slot.begin() + graph_.first[before],
                        graph_.slot.begin() + graph_.first[before + table.count]);
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
    for (Index column = chunk * columns_per_chunk; column < std::min(n, (chunk + 1) * columns_per_chunk); ++column) {
      const int* rows = pattern_.rows(column);
      const int count = pattern_.count(column);
      for (int entry = 0; entry < count; ++entry) place[rows[entry]] = std::uint16_t(entry + 1);
      locate_pairs(int(column), place, table.data());
      locate_cliques(int(column), place);
      for (int entry = 0; entry < count; ++entry) place[rows[entry]] = 0;
    }
  });
}

template <class Pair>
void PatternBuilder::locate_pairs(int column, const std::vector<std::uint16_t>& place, Pair* table) const {
  const int spare = pattern_.count(column) + 1;
  const SparsePattern::Contributors contributors = pattern_.contributors(column);
  for (int i = 0; i < contributors.count; ++i) {
    const int from = contributors.column[i];
    const int entry = contributors.entry[i];
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

void PatternBuilder::locate_cliques(int column, const std::vector<std::uint16_t>& place) {
  const int node = pattern_.node_[column];
  for (std::size_t i = graph_.start[node]; i < graph_.start[node + 1]; ++i) {
    if (graph_.position[i] > 0) continue;
    std::size_t clique = std::size_t(graph_.clique[i]), table = 0;
    while (clique >= std::size_t(pattern_.tables_[table].count)) clique -= std::size_t(pattern_.tables_[table++].count);
    SparsePattern::Cliques& cliques = pattern_.tables_[table];
    const int* member = graph_.member.data() + graph_.first[graph_.clique[i]];
    const std::size_t first = cliques.first[clique];
    cliques.place[first] = 0;
    for (std::size_t m = 1; m < cliques.first[clique + 1] - first; ++m)
      cliques.place[first + m] = place[pattern_.column_of_[member[m]]];
  }
}

}  // namespace neargp
