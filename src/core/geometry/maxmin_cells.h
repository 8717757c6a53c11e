#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/unset_vector.h"
#include "geometry/block_table.h"
#include "geometry/curve.h"
#include "geometry/kd_tree.h"
#include "geometry/maxmin_rows.h"

namespace neargp {

// The rows of a phase have squared distances below 2 tau2, and all rows of tau2 and more are chosen in it.
struct MaxminScale {
  double tau2;
  int cell_level, block_level;  // 2^level cells, or blocks, on each side of the grid

  // Rows with less keep their distance through the phase. A chosen row p is at least tau from the rows chosen before. A
  // row q with less is within tau / 2 of one of them, and so at least tau / 2 from p. The factor leaves room for
  // rounding.
  double least2() const { return 0.2499 * tau2; }
  double reach2() const { return 2.0 * tau2; }
};

// Rows of one cell of the grid, and their champion: the row with the largest distance, then the smallest number.
template <int Dim>
struct MaxminCell {
  int first, last;             // slots
  double low[Dim], high[Dim];  // the tight box of these rows
  double distance2;            // of the champion, as are `row` and `slot`
  int row, slot;
  int block;
  // For the rounds of geometry/maxmin_phase.h:
  int first_near, last_near;  // cells in reach, in a list of the cell's chunk
  int next_near;              // the cells before do not prevent the choice of the champion
  int round;                  // the last in which the champion was chosen
  double chosen[Dim];         // where it is
  bool done;                  // the champion is below tau2

  bool is_better_than(const MaxminCell& other) const {
    return distance2 > other.distance2 || (distance2 == other.distance2 && row < other.row);
  }

  void crown(const MaxminRows<Dim>& rows) {
    slot = first;
    for (int s = first + 1; s < last; ++s) {
      const double there2 = rows.distance2[s], best2 = rows.distance2[slot];
      if (there2 > best2 || (there2 == best2 && rows.row[s] < rows.row[slot])) slot = s;
    }
    distance2 = rows.distance2[slot];
    row = rows.row[slot];
  }

  void bound(const MaxminRows<Dim>& rows) {
    for (int c = 0; c < Dim; ++c) {
      const double* x = rows.x[c].data();
      low[c] = high[c] = x[first];
      for (int s = first + 1; s < last; ++s) {
        low[c] = x[s] < low[c] ? x[s] : low[c];
        high[c] = x[s] > high[c] ? x[s] : high[c];
      }
    }
  }
};

// The cells that a phase can change, grouped into blocks. Blocks are so large that rows of blocks which do not touch
// are out of each other's reach.
template <int Dim>
class MaxminCells {
 public:
  using Cell = MaxminCell<Dim>;

  void fill(const MaxminRows<Dim>& rows, const MaxminScale& scale, const RunContext& context) {
    scale_ = scale;
    std::vector<Part> parts((rows.size() + light_range - 1) / light_range);
    parallel_ranges(context, rows.size(), light_range,
                    [&](Index first, Index last, Index part) { collect(rows, first, last, parts[part]); });
    join(rows, parts, context);
    table_.fill(block_key_.data(), blocks(), Dim * scale.block_level, context);
  }

  Index size() const { return Index(cells_.size()); }
  Index blocks() const { return Index(block_key_.size()); }
  Index first_cell(Index block) const { return block_cell_[block]; }
  Cell& operator[](Index cell) { return cells_[cell]; }
  const Cell& operator[](Index cell) const { return cells_[cell]; }

  // The numbers of a block and of those that touch it.
  void append_blocks_around(Index block, std::vector<int>& numbers) const {
    typename CurveGrid<Dim>::Cell at;
    morton_cell<Dim>(block_key_[block], at);
    std::uint64_t part_of_key[Dim][3];  // of each coordinate, for the place before, the own place and the one after
    for (int c = 0; c < Dim; ++c)
      for (int step = 0; step < 3; ++step) part_of_key[c][step] = morton_part<Dim>(at[c] + std::uint64_t(step) - 1, c);
    for (int steps = 0; steps < (Dim == 2 ? 9 : 27); ++steps) {
      std::uint64_t key = 0;
      bool is_inside = true;
      for (int c = 0, rest = steps; c < Dim; ++c, rest /= 3) {
        is_inside = is_inside && (at[c] + std::uint64_t(rest % 3) - 1) >> scale_.block_level == 0;
        key |= part_of_key[c][rest % 3];
      }
      const int number = is_inside ? table_.find(key) : BlockTable::none;
      if (number != BlockTable::none) numbers.push_back(number);
    }
  }

 private:
  struct Slots {
    int first, last;
  };

  struct Part {
    std::vector<Slots> cells;
    std::vector<std::uint64_t> block_key;
    std::vector<int> block_cell;  // the first cell of each block
  };

  std::uint64_t block_of(const MaxminRows<Dim>& rows, Index slot) const {
    return rows.key[slot] >> Dim * (CurveGrid<Dim>::bits - scale_.block_level);
  }

  // Cells of the blocks that begin in slots first, ..., last - 1.
  void collect(const MaxminRows<Dim>& rows, Index first, Index last, Part& part) const {
    const int shift = Dim * (CurveGrid<Dim>::bits - scale_.cell_level);
    Index slot = first;
    while (slot < last && slot > 0 && block_of(rows, slot) == block_of(rows, slot - 1)) ++slot;
    if (slot == last) return;
    while (slot < rows.size() && (slot < last || block_of(rows, slot) == block_of(rows, slot - 1))) {
      const std::uint64_t key = rows.key[slot] >> shift, block = block_of(rows, slot);
      const int first_slot = int(slot);
      bool concerned = false;
      for (; slot < rows.size() && rows.key[slot] >> shift == key; ++slot)
        concerned = concerned || rows.distance2[slot] > scale_.least2();
      if (!concerned) continue;
      if (part.block_key.empty() || part.block_key.back() != block) {
        part.block_key.push_back(block);
        part.block_cell.push_back(int(part.cells.size()));
      }
      part.cells.push_back({first_slot, int(slot)});
    }
  }

  void join(const MaxminRows<Dim>& rows, std::vector<Part>& parts, const RunContext& context) {
    std::vector<Index> first_cell = {0}, first_block = {0};
    for (const Part& part : parts) {
      first_cell.push_back(first_cell.back() + Index(part.cells.size()));
      first_block.push_back(first_block.back() + Index(part.block_key.size()));
    }
    renew(cells_, first_cell.back());
    renew(block_key_, first_block.back());
    renew(block_cell_, first_block.back() + 1);
    parallel_for(context, Index(parts.size()), [&](Index p) {
      Part& part = parts[p];
      for (std::size_t i = 0; i < part.cells.size(); ++i) begin(cells_[first_cell[p] + i], part.cells[i], rows);
      std::copy(part.block_key.begin(), part.block_key.end(), block_key_.begin() + first_block[p]);
      for (std::size_t b = 0; b < part.block_cell.size(); ++b)
        block_cell_[first_block[p] + b] = part.block_cell[b] + int(first_cell[p]);
      part = Part();
    });
    block_cell_.back() = int(size());
  }

  void begin(Cell& cell, Slots slots, const MaxminRows<Dim>& rows) const {
    cell.first = slots.first;
    cell.last = slots.last;
    cell.crown(rows);
    cell.bound(rows);
    cell.first_near = cell.last_near = cell.next_near = 0;
    cell.round = 0;
    cell.done = cell.distance2 < scale_.tau2;
  }

  MaxminScale scale_;
  UnsetVector<Cell> cells_;
  UnsetVector<std::uint64_t> block_key_;
  UnsetVector<int> block_cell_;
  BlockTable table_;
};

}  // namespace neargp
