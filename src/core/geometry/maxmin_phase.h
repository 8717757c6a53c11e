// Many steps of farthest-point sampling at a time. A row p is *better* than a row q if its distance d(p) to the chosen
// rows is larger, or equal with a smaller row number. Farthest-point sampling always chooses the best row.
//
// Take a champion p, the best row of its cell. Assume that the box of each other cell with a better champion q is at
// least d(q) away from p. Then p can be chosen now: to choose p leaves d(q) unchanged for each better row q, and to
// choose q leaves d(p) unchanged, since d(q) >= d(p). Rows that are worse are chosen after p in any case.
// Farthest-point sampling therefore chooses p with exactly its present distance. Champions of one round do not affect
// each other for the same reason.
//
// Farthest-point sampling chooses rows by descending distance, then ascending number. Assume that two rows are chosen
// at equal distances, and that the one chosen first was farther away before. It was better then, and was chosen then.
// Sorting the rows of a phase restores their order.
//
// Distances are rounded monotonically, so a box is never farther than a row inside it, and all of this is exact.
#pragma once

#include <vector>

#include "base/unset_vector.h"
#include "geometry/maxmin.h"
#include "geometry/maxmin_cells.h"
#include "geometry/near_boxes.h"
#include "parallel/parallel_for.h"
#include "parallel/poll.h"

namespace neargp {

template <int Dim>
class MaxminPhase {
 public:
  MaxminPhase(MaxminRows<Dim>& rows, const RunContext& context) : rows_(rows), context_(context) {}

  // Chooses all rows whose squared distance is at least scale.tau2. Returns false if this takes more than most_rounds:
  // some of these rows are then left.
  bool run(const MaxminScale& scale, int most_rounds) {
    scale_ = scale;
    cells_.fill(rows_, scale, context_);
    blocks_per_chunk_ = std::clamp<Index>(cells_.blocks() / 128, 1, 64);
    chunks_.clear();
    chunks_.resize((cells_.blocks() + blocks_per_chunk_ - 1) / blocks_per_chunk_);
    renew(lists_, cells_.blocks());
    for_chunks([this](Chunk& chunk, Index first, Index last) { list_cells_in_reach(chunk, first, last); });
    const bool complete = choose_in_rounds(most_rounds);
    for_chunks([this](Chunk& chunk, Index first, Index last) { sort_choices(chunk, first, last); });
    for_chunks([this](Chunk& chunk, Index first, Index last) { lower_all_cells(chunk, first, last); });
    return complete;
  }

  // The rows that run() chose, in no particular order.
  RankedRows choices() const {
    std::vector<Index> first = {0};
    for (const Chunk& chunk : chunks_) first.push_back(first.back() + Index(chunk.choices.size()));
    RankedRows result(first.back());
    parallel_for(context_, Index(chunks_.size()), [&](Index c) {
      for (std::size_t i = 0; i < chunks_[c].choices.size(); ++i) result[first[c] + i] = chunks_[c].choices[i].ranked;
    });
    return result;
  }

 private:
  using Cell = MaxminCell<Dim>;

  struct Choice {
    int block;
    RankedRow ranked;
    double x[Dim];
    bool operator<(const Choice& other) const { return block < other.block; }
  };

  // Some blocks, whose cells one thread works on at a time.
  struct Chunk {
    std::vector<int> around;  // for each block, the blocks in reach
    std::vector<int> near;    // for each cell, the cells in reach
    std::vector<int> active;  // cells with a champion to be chosen
    std::vector<Choice> choices;
  };

  // Parts of the lists of a block's chunk: the blocks in reach, and the choices of its rows.
  struct BlockLists {
    int first_around, last_around;
    int first_choice, last_choice;
  };

  // Cells of some blocks whose champions are to be chosen.
  struct Candidates {
    std::vector<int> cell;
    std::vector<double> distance2;  // of the champion
    NearBoxes<Dim> boxes;
  };

  template <class Body>
  void for_chunks(const Body& body) {
    parallel_ranges(context_, cells_.blocks(), blocks_per_chunk_,
                    [&](Index first, Index last, Index chunk) { body(chunks_[chunk], first, last); });
  }

  void list_cells_in_reach(Chunk& chunk, Index first, Index last) {
    Candidates candidates;
    for (Index block = first; block < last; ++block) {
      BlockLists& lists = lists_[block];
      lists.first_around = int(chunk.around.size());
      cells_.append_blocks_around(block, chunk.around);
      lists.last_around = int(chunk.around.size());
      const std::size_t passive = chunk.active.size();
      for (Index c = cells_.first_cell(block); c < cells_.first_cell(block + 1); ++c) {
        cells_[c].block = int(block);
        if (!cells_[c].done) chunk.active.push_back(int(c));
      }
      if (chunk.active.size() == passive) continue;
      collect_candidates(chunk.around.data() + lists.first_around, chunk.around.data() + lists.last_around, candidates);
      for (std::size_t a = passive; a < chunk.active.size(); ++a) list_near(chunk.active[a], candidates, chunk.near);
    }
  }

  void collect_candidates(const int* block, const int* last_block, Candidates& candidates) const {
    candidates.cell.clear();
    for (; block < last_block; ++block)
      for (Index c = cells_.first_cell(*block); c < cells_.first_cell(*block + 1); ++c)
        if (!cells_[c].done) candidates.cell.push_back(int(c));
    candidates.boxes.start(candidates.cell.size());
    candidates.distance2.clear();
    for (std::size_t i = 0; i < candidates.cell.size(); ++i) {
      const Cell& cell = cells_[candidates.cell[i]];
      candidates.boxes.set(i, cell.low, cell.high);
      candidates.distance2.push_back(cell.distance2);
    }
    candidates.boxes.finish();
    candidates.cell.resize(candidates.boxes.size_of_runs(), -1);
    candidates.distance2.resize(candidates.boxes.size_of_runs(), 0.0);
  }

  // Two cells are in reach of each other if their boxes are nearer than the larger of their champions' distances.
  void list_near(int number, Candidates& candidates, std::vector<int>& near) {
    Cell& cell = cells_[number];
    cell.first_near = cell.next_near = int(near.size());
    candidates.boxes.for_runs_near(
        cell.low, cell.high, scale_.reach2(), [&](std::size_t first, const double* distance2) {
          int found[BoxRuns::length], count = 0;
          for (std::size_t s = 0; s < BoxRuns::length; ++s) {
            found[count] = candidates.cell[first + s];
            count += int(distance2[s] < std::max(cell.distance2, candidates.distance2[first + s])) &
                     int(found[count] != number);
          }
          near.insert(near.end(), found, found + count);
        });
    cell.last_near = int(near.size());
  }

  bool choose_in_rounds(int most_rounds) {
    Poll poll(context_);
    std::vector<int> working;
    for (std::size_t chunk = 0; chunk < chunks_.size(); ++chunk)
      if (!chunks_[chunk].active.empty()) working.push_back(int(chunk));
    for (int round = 1; !working.empty(); ++round) {
      if (round > most_rounds) return false;
      poll(0.0);
      parallel_for(context_, Index(working.size()), [&](Index w) { choose(chunks_[working[w]], round); });
      parallel_for(context_, Index(working.size()), [&](Index w) { lower(chunks_[working[w]], round); });
      working.erase(std::remove_if(working.begin(), working.end(), [&](int c) { return chunks_[c].active.empty(); }),
                    working.end());
    }
    return true;
  }

  // Reads the champions of other chunks, and writes only what lower() reads.
  void choose(Chunk& chunk, int round) {
    for (const int number : chunk.active) {
      Cell& cell = cells_[number];
      double x[Dim];
      rows_.locate(cell.slot, x);
      if (!is_next(cell, x, chunk)) continue;
      cell.round = round;
      std::copy_n(x, Dim, cell.chosen);
      rows_.distance2[cell.slot] = MaxminRows<Dim>::chosen;
      Choice choice = {cell.block, {cell.distance2, cell.row}, {}};
      std::copy_n(x, Dim, choice.x);
      chunk.choices.push_back(choice);
    }
  }

  // Whether no cell prevents the choice of the champion, which is at x. A cell that does not prevent it once never
  // will, since distances only fall.
  bool is_next(Cell& cell, const double* x, const Chunk& chunk) const {
    for (; cell.next_near < cell.last_near; ++cell.next_near) {
      const Cell& other = cells_[chunk.near[cell.next_near]];
      if (!other.done && other.is_better_than(cell) &&
          squared_distance_to_box(x, other.low, other.high, Dim) < other.distance2)
        return false;
    }
    return true;
  }

  // Reads the choices of other chunks, and writes only what choose() reads.
  void lower(Chunk& chunk, int round) {
    std::size_t kept = 0;
    for (const int number : chunk.active) {
      Cell& cell = cells_[number];
      if (lower_cell(cell, chunk, round)) {
        const double distance2 = cell.distance2;
        const int row = cell.row;
        cell.crown(rows_);
        if (cell.distance2 != distance2 || cell.row != row) cell.next_near = cell.first_near;
        cell.done = cell.distance2 < scale_.tau2;
      }
      if (!cell.done) chunk.active[kept++] = number;
    }
    chunk.active.resize(kept);
  }

  // Returns whether a choice of the round is in reach of the cell.
  bool lower_cell(const Cell& cell, const Chunk& chunk, int round) {
    bool reached = cell.round == round;
    if (reached) rows_.lower(cell.first, cell.last, cell.chosen);
    for (int i = cell.first_near; i < cell.last_near; ++i) {
      const Cell& other = cells_[chunk.near[i]];
      if (other.round != round || squared_distance_to_box(other.chosen, cell.low, cell.high, Dim) >= cell.distance2)
        continue;
      rows_.lower(cell.first, cell.last, other.chosen);
      reached = true;
    }
    return reached;
  }

  void sort_choices(Chunk& chunk, Index first, Index last) {
    std::sort(chunk.choices.begin(), chunk.choices.end());
    const int count = int(chunk.choices.size());
    for (int choice = 0; first < last; ++first) {
      lists_[first].first_choice = choice;
      while (choice < count && chunk.choices[choice].block == first) ++choice;
      lists_[first].last_choice = choice;
    }
  }

  // Rounds only change cells from which rows are still to be chosen. Here all cells take over all choices.
  void lower_all_cells(const Chunk& chunk, Index first, Index last) {
    std::vector<Choice> near;
    NearBoxes<Dim> boxes;
    for (Index block = first; block < last; ++block) {
      near.clear();
      for (int i = lists_[block].first_around; i < lists_[block].last_around; ++i)
        append_choices(chunk.around[i], near);
      if (near.empty()) continue;
      boxes.start(near.size());
      for (std::size_t i = 0; i < near.size(); ++i) boxes.set(i, near[i].x, near[i].x);
      boxes.finish();
      for (Index c = cells_.first_cell(block); c < cells_.first_cell(block + 1); ++c) {
        const Cell& cell = cells_[c];
        if (cell.distance2 <= scale_.least2()) continue;
        boxes.for_runs_near(cell.low, cell.high, cell.distance2, [&](std::size_t run, const double* distance2) {
          for (std::size_t s = 0; s < BoxRuns::length; ++s)
            if (distance2[s] < cell.distance2) rows_.lower(cell.first, cell.last, near[run + s].x);
        });
      }
    }
  }

  void append_choices(int block, std::vector<Choice>& choices) const {
    const auto all = chunks_[block / blocks_per_chunk_].choices.begin();
    choices.insert(choices.end(), all + lists_[block].first_choice, all + lists_[block].last_choice);
  }

  MaxminRows<Dim>& rows_;
  const RunContext& context_;
  MaxminScale scale_;
  MaxminCells<Dim> cells_;
  Index blocks_per_chunk_ = 1;
  std::vector<Chunk> chunks_;
  UnsetVector<BlockLists> lists_;
};

}  // namespace neargp
