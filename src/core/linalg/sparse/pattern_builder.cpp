#include "linalg/sparse/pattern_builder.h"

#include <algorithm>
#include <string>

#include "base/error.h"
#include "linalg/sparse/column_set.h"
#include "linalg/sparse/pair_loops.h"
#include "parallel/parallel_for.h"

namespace neargp {
namespace {

constexpr Index columns_per_chunk = 2048;
constexpr int most_rows = 65000;

Index chunks_of(Index columns) { return (columns + columns_per_chunk - 1) / columns_per_chunk; }

}  // namespace

void PatternBuilder::build(const std::vector<int>& order, const std::vector<CliqueTable>& tables, double most_bytes) {
  pattern_.node_ = graph_.elimination_order(order);
  pattern_.column_of_.resize(pattern_.node_.size());
  for (std::size_t column = 0; column < pattern_.node_.size(); ++column)
    pattern_.column_of_[pattern_.node_[column]] = int(column);
  graph_.renumber(pattern_.column_of_);
  pattern_.restricted_ = estimated_bytes() > most_bytes;
  list_rows();
  list_contributors();
  list_cliques(tables);
  int most = 0;
  for (Index column = 0; column < pattern_.nodes(); ++column) most = std::max(most, pattern_.count(column));
  if (most + SparsePattern::spare <= 255) {
    locate(pattern_.pairs8_);
  } else {
    locate(pattern_.pairs16_);
  }
}

// Estimates the size of the pattern of all pairs from some hundred columns.
double PatternBuilder::estimated_bytes() const {
  constexpr Index columns = 500;
  const double bytes_of_entry = 4 * sizeof(double) * double(pattern_.area()) + 2 * sizeof(int) + sizeof(std::uint16_t);
  const Index n = pattern_.nodes(), step = std::max<Index>(1, n / columns);
  std::vector<int> count(static_cast<std::size_t>(n));
  double entries = 0.0, places = 0.0;
  int most = 0;
  for (Index column = 0; column < n; column += step) {
    find_rows(column, column + 1, count.data());
    entries += double(step) * (count[column] + 1);
    places += double(step) * double(count[column] > 0 ? pairs::total(count[column] - 1) : 0);
    most = std::max(most, count[column]);
  }
  return bytes_of_entry * entries + places * double(most + SparsePattern::spare <= 255 ? 1 : 2);
}

void PatternBuilder::list_rows() {
  const Index n = pattern_.nodes();
  std::vector<std::vector<int>> rows_of_chunk(std::size_t(chunks_of(n)));
  std::vector<int> count(static_cast<std::size_t>(n));
  parallel_for(context_, chunks_of(n), [&](Index chunk) {
    const Index begin = chunk * columns_per_chunk;
    rows_of_chunk[chunk] = find_rows(begin, std::min(n, begin + columns_per_chunk), count.data());
  });
  reserve_columns(count);
  parallel_for(context_, chunks_of(n), [&](Index chunk) {
    const int* rows = rows_of_chunk[chunk].data();
    const Index last = std::min(n, (chunk + 1) * columns_per_chunk);
    for (Index column = chunk * columns_per_chunk; column < last; rows += count[column++])
      std::copy_n(rows, count[column], pattern_.row_.data() + pattern_.start(column) + 1);
  });
}

// The rows of a column are the members after it in its cliques, each once and in order. A restricted pattern uses only
// the cliques with the column as their first member.
std::vector<int> PatternBuilder::find_rows(Index begin, Index end, int* count) const {
  ColumnSet found;
  found.fit(pattern_.nodes());
  std::vector<int> rows;
  for (Index column = begin; column < end; ++column) {
    for (std::size_t i = graph_.start[column]; i < graph_.start[column + 1]; ++i) {
      if (pattern_.restricted_ && graph_.position[i] > 0) continue;
      const std::size_t last = graph_.first[graph_.clique[i] + 1];
      for (std::size_t m = graph_.first[graph_.clique[i]] + graph_.position[i] + 1; m < last; ++m)
        found.insert(graph_.member[m]);
    }
    const std::size_t before = rows.size();
    for (int row; (row = found.take_first()) >= 0;) rows.push_back(row);
    count[column] = int(rows.size() - before);
  }
  return rows;
}

void PatternBuilder::reserve_columns(const std::vector<int>& count) {
  pattern_.start_.assign(1, 0);
  pattern_.pair_start_.assign(1, 0);
  for (std::size_t column = 0; column < count.size(); ++column) {
    if (count[column] > most_rows)
      throw Error("Node " + std::to_string(pattern_.node_[column] + 1) + " is in the cliques of " +
                  std::to_string(count[column]) + " others, more than a sparse factor can take.");
    pattern_.start_.push_back(pattern_.start_.back() + std::size_t(count[column] + 1 + SparsePattern::spare));
    pattern_.pair_start_.push_back(pattern_.pair_start_.back() +
                                   (count[column] > 0 ? pairs::total(count[column] - 1) : 0));
  }
  pattern_.row_.resize(pattern_.entries());
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

void PatternBuilder::list_cliques(const std::vector<CliqueTable>& tables) {
  std::vector<Index> before = {0};
  for (const CliqueTable& table : tables) {
    SparsePattern::Cliques cliques;
    cliques.size = table.size;
    cliques.first.push_back(0);
    pattern_.tables_.push_back(std::move(cliques));
    before.push_back(before.back() + table.count);
  }
  for (std::size_t c = 0; c < graph_.original.size(); ++c) {
    const Index original = graph_.original[c];
    const auto table = std::upper_bound(before.begin(), before.end(), original) - before.begin() - 1;
    SparsePattern::Cliques& cliques = pattern_.tables_[table];
    const std::size_t first = graph_.first[c], last = graph_.first[c + 1];
    clique_.push_back({int(table), int(cliques.count())});
    cliques.row.push_back(int(original - before[table]));
    cliques.column.push_back(first < last ? graph_.member[first] : -1);
    cliques.slot.insert(cliques.slot.end(), graph_.slot.begin() + first, graph_.slot.begin() + last);
    cliques.first.push_back(cliques.slot.size());
  }
  for (SparsePattern::Cliques& cliques : pattern_.tables_) cliques.place.resize(cliques.slot.size());
}

template <class Pair>
void PatternBuilder::locate(std::vector<Pair>& table) {
  const Index n = pattern_.nodes();
  table.resize(pattern_.pair_start_.back());
  parallel_for(context_, chunks_of(n), [&](Index chunk) {
    std::vector<Pair> place(static_cast<std::size_t>(n), 0);
    const Index begin = chunk * columns_per_chunk, end = std::min(n, begin + columns_per_chunk);
    for (Index column = begin; column < end; ++column) {
      const int* rows = pattern_.rows(column);
      const int count = pattern_.count(column);
      for (int entry = 0; entry < count; ++entry) place[rows[entry]] = Pair(entry + 1);
      locate_pairs(column, place, table.data());
      locate_members(column, place);
      for (int entry = 0; entry < count; ++entry) place[rows[entry]] = 0;
    }
  });
}

// Finds the rows of other columns that are also rows of this one. The table gets their position in this column, and for
// missing rows the position of a spare element.
template <class Pair>
void PatternBuilder::locate_pairs(Index column, const std::vector<Pair>& place, Pair* table) const {
  constexpr std::size_t ahead = 4;
  const int spare = pattern_.count(column) + 1;
  const std::size_t end = contributor_start_[column + 1];
  const auto row_of = [&](std::size_t i) {
    const int from = contributor_column_[i];
    return table + pattern_.pair_start(from) + pairs::row_start(pattern_.count(from), contributor_entry_[i]);
  };
  for (std::size_t i = contributor_start_[column]; i < end; ++i) {
    if (i + ahead < end) pairs::prefetch(row_of(i + ahead), row_of(i + ahead) + 1);
    const int from = contributor_column_[i];
    const int entry = contributor_entry_[i];
    const int pairs = pattern_.count(from) - 1 - entry;
    const int* rows = pattern_.rows(from) + entry + 1;
    Pair* row = row_of(i);
    for (int p = 0; p < pairs; ++p) {
      const int found = place[rows[p]];
      row[p] = Pair(found > 0 ? found : spare + p % SparsePattern::spare);
    }
    for (int p = pairs; p < int(pairs::row_length(pairs)); ++p) row[p] = Pair(spare + p % SparsePattern::spare);
  }
}

template <class Pair>
void PatternBuilder::locate_members(Index column, const std::vector<Pair>& place) {
  for (std::size_t i = graph_.start[column]; i < graph_.start[column + 1]; ++i) {
    if (graph_.position[i] > 0) continue;
    const int c = graph_.clique[i];
    SparsePattern::Cliques& cliques = pattern_.tables_[clique_[c].table];
    std::uint16_t* place_of_member = cliques.place.data() + cliques.first[clique_[c].number];
    place_of_member[0] = 0;
    const int* member = graph_.member.data() + graph_.first[c];
    for (int m = 1; m < cliques.members(clique_[c].number); ++m) place_of_member[m] = place[member[m]];
  }
}

}  // namespace neargp
