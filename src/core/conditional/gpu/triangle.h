// Cholesky factor and triangular solves of one matrix by a team.
//
// The lower triangle is stored in panels of four columns. All columns of a panel are as long as its first column and
// some further entries. As a rule, these are two doubles, or four floats where there are additional right-hand sides.
//
//   Panel p:  column 4p, rows 4p .. padded-1, further entries | column 4p + 1, the same rows | ...
//
// Threads of consecutive rows therefore find a column's entries side by side, in shared as in global memory. Four rows
// of one column that begin at a multiple of four are aligned loads of 16 bytes, which matters to the innermost loops of
// all functions. Threads of consecutive columns that load four rows each meet different banks of shared memory, which
// matters to solve_backward() only. The reason is that a column of doubles is an odd number of such loads long. Columns
// of floats are multiples of four long for the aligned loads, and an odd number of loads in every other panel.
//
// The number of rows is padded to a multiple of four by unit vectors, which change nothing. Vectors are as long as the
// padded matrix and contain zeros there.
//
// The further entries are room for additional right-hand sides y below the matrix S. The factorisation turns them into
// L^-1 y, as it turns each row of S into a row of L. Where threads would be idle otherwise, that costs nothing.
//
// Loops go along columns and from panel to panel by adding to addresses. On a GPU, computing an address again takes
// more instructions than the arithmetic with the entry there (bench/notes/cuda.md).
#pragma once

#include "conditional/gpu/diagonal_block.h"
#include "conditional/gpu/team.h"

namespace neargp {

template <class Real>
class TeamTriangle {
 public:
  static constexpr int width = Four<Real>::width;  // of a panel

  NEARGP_HD static int padded_rows(int rows) { return (rows + width - 1) / width * width; }
  NEARGP_HD static int entries(int rows, int further = 0) {
    const int padded = padded_rows(rows);
    return place(padded, padded, padded + room_below(further));
  }
  // The size of a matrix with its inverse_diagonal(), which follows the entries: TeamArena leaves no gap between them.
  NEARGP_HD static int size(int rows) { return entries(rows) + padded_rows(rows); }
  // The distance of consecutive vectors: an odd number of loads, so that they begin in different banks.
  NEARGP_HD static int vector_stride(int rows) { return padded_rows(rows) | per_load; }

  NEARGP_HD TeamTriangle() {}
  NEARGP_HD TeamTriangle(int rows, TeamArena& arena, int further = 0)
      : rows_(rows), padded_(padded_rows(rows)), end_(padded_ + further), length_(padded_ + room_below(further)),
        entries_(arena.take<Real>(entries(rows, further))), inverse_(arena.take<Real>(padded_)) {}

  NEARGP_HD int rows() const { return rows_; }
  NEARGP_HD int padded() const { return padded_; }
  NEARGP_HD Real& at(int i, int j) const { return entries_[place(i, j, length_)]; }
  // Entry j of an additional right-hand side.
  NEARGP_HD Real& further(int row, int j) const { return at(padded_ + row, j); }
  // An additional right-hand side times a vector that ends with zeros in the padding, by one thread.
  NEARGP_HD Real further_dot(int row, const Real* x) const {
    Real sum = 0;
    const Real* own = &further(row, 0);
    for (int j = 0, length = length_; j < padded_; j += width, length -= width) {
      sum += Four<Real>::load(x + j).dot({{own[0], own[length], own[2 * length], own[3 * length]}});
      own += width * (length - 1);
    }
    return sum;
  }
  // Before the factorisation, the diagonal of the matrix, with which each pivot is compared. After it, the reciprocals
  // of the factor's diagonal.
  NEARGP_HD Real* inverse_diagonal() const { return inverse_; }

  // Fills the last rows, which are padding only.
  template <class Team>
  NEARGP_HD void pad(const Team& team) const {
    for (int i = rows_; i < padded_; ++i)
      for (int j = team.rank(); j <= i; j += team.size()) {
        at(i, j) = i == j ? 1 : 0;
        if (i == j) inverse_[i] = 1;
      }
  }

  // Replaces the matrix by its factor. A pivot of no more than `tolerance` times the diagonal entry is replaced by that
  // entry, and the result is false: the same rule as on the CPU (conditional/cpu/triangle.h). All threads get the same
  // result.
  template <class Team>
  NEARGP_HD bool factorize(const Team& team, Real tolerance) const {
    bool good = true;
    int from = 0, to = block;  // of the columns from .. to-1 nothing is missing that earlier columns contribute
    for (Panel panel(*this, 0); panel.first < padded_; panel.next()) {
      if (panel.first == to) {
        from = to;
        to = from + update_block(team, from);
        team.barrier();
      }
      if (panel.first > from) {
        update_panel(team, from, panel.first);
        team.barrier();
      }
      DiagonalBlock<Real> block;
      good &= block.factorize(panel.corner, panel.length, inverse_ + panel.first, tolerance);
      for (int i = width + team.rank(); panel.first + i < end_; i += team.size()) {
        Real* row = panel.corner + i;
        const int length = panel.length;
        const Four<Real> solved = block.forward({{row[0], row[length], row[2 * length], row[3 * length]}});
        for (int b = 0; b < width; ++b) row[b * length] = solved.x[b];
      }
      team.barrier();
      if (team.rank() == 0) block.store(panel.corner, panel.length, inverse_ + panel.first);
    }
    team.barrier();
    return good;
  }

  // Copies to and from memory that outlives the team's; `to` and `from` have room for size().
  template <class Team>
  NEARGP_HD void copy_to(const Team& team, Real* to) const {
    for (int e = team.rank(); e < size(rows_); e += team.size()) to[e] = entries_[e];
  }
  template <class Team>
  NEARGP_HD void copy_from(const Team& team, const Real* from) const {
    for (int e = team.rank(); e < size(rows_); e += team.size()) entries_[e] = from[e];
  }

  // x := L^-1 x for `count` vectors at a distance of `stride`. Every thread solves with the square on the diagonal by
  // itself. The solution is stored when all threads have computed it.
  template <class Team>
  NEARGP_HD void solve_forward(const Team& team, Real* x, int count, int stride) const {
    for (Panel panel(*this, 0); panel.first < padded_; panel.next()) {
      const DiagonalBlock<Real> block(panel.corner, panel.length, inverse_ + panel.first);
      Real* part = x + panel.first;
      int v = 0;
      for (; v + 2 <= count; v += 2) eliminate<2>(team, panel, block, part + v * stride, stride);
      if (v < count) eliminate<1>(team, panel, block, part + v * stride, stride);
      team.barrier();
      for (v = team.rank(); v < count; v += team.size())
        block.forward(Four<Real>::load(part + v * stride)).store(part + v * stride);
    }
    team.barrier();
  }

  // x := L^-T x for one vector.
  template <class Team>
  NEARGP_HD void solve_backward(const Team& team, Real* x) const {
    for (Panel panel(*this, padded_ - width); panel.first >= 0; panel.previous()) {
      const DiagonalBlock<Real> block(panel.corner, panel.length, inverse_ + panel.first);
      const Four<Real> solved = block.backward(Four<Real>::load(x + panel.first));
      for (int j = team.rank(); j < panel.first; j += team.size())
        x[j] -= solved.dot(Four<Real>::load(&at(panel.first, j)));
      team.barrier();
      if (team.rank() == 0) solved.store(x + panel.first);
    }
    team.barrier();
  }

 private:
  static constexpr int block = 32;                         // columns that are brought up to date together
  static constexpr int per_load = int(16 / sizeof(Real));  // entries that a thread loads at one time

  // The beginning of a panel, and the distance of its columns.
  struct Panel {
    int first, length;
    Real* corner;

    NEARGP_HD Panel(const TeamTriangle& matrix, int first)
        : first(first), length(matrix.length_ - first), corner(&matrix.at(first, first)) {}

    NEARGP_HD void next() {
      corner += width * length;
      length -= width;
      first += width;
    }

    NEARGP_HD void previous() {
      first -= width;
      length += width;
      corner -= width * length;
    }
  };

  // Room for at least `further` entries below each column: the smallest that is 2 modulo 4 for doubles, 0 for floats.
  NEARGP_HD static int room_below(int further) {
    constexpr int odd = per_load % width;
    return (further - odd + width - 1) / width * width + odd;
  }

  // The position of entry (i, j), where i is not above the panel of column j. That panel begins with column f, and
  // `length` is that of the first column. The panels before it take f length - f (f - 4) / 2 entries. Its columns are
  // length - f long.
  NEARGP_HD static int place(int i, int j, int length) {
    const int f = j & -width;
    return i + j * length - f * (j - f / 2 - 1);
  }

  // Subtracts from `block` columns, or from all that are left, what the columns before them contribute. Returns their
  // number. Squares of two rows and eight columns share 10 loads for 16 products. There are enough squares for all
  // threads of a block, whereas a panel offers only its rows.
  template <class Team>
  NEARGP_HD int update_block(const Team& team, int first) const {
    const int columns = smaller(block, padded_ - first);
    const int pairs = (padded_ - first) / 2;
    const int squares = (columns + 7) / 8 * pairs;
    for (int square = team.rank(); square < squares; square += team.size()) {
      const int group = square / pairs;
      update_square(first, first + 2 * (square - group * pairs), first + 8 * group);
    }
    for (int e = team.rank(); e < (end_ - padded_) * columns; e += team.size())
      update_entry(first, padded_ + e / columns, first + e % columns);
    return columns;
  }

  // Updates the rows i and i+1 of the columns j .. j+7, or j .. j+3 if these are the last.
  NEARGP_HD void update_square(int first, int i, int j) const {
    if (i + 1 < j) return;
    Real sum[2][2 * width] = {};
    const int second = j + width < padded_ ? width : 0;
    const Real* own = entries_ + i;
    const Real* shared = entries_ + j;
    for (int f = 0, length = length_; f < first; f += width, length -= width) {
      for (int c = 0; c < width; ++c) {
        const Two<Real> mine = Two<Real>::load(own + c * length);
        const Four<Real> left = Four<Real>::load(shared + c * length),
                         right = Four<Real>::load(shared + c * length + second);
        for (int r = 0; r < 2; ++r)
          for (int b = 0; b < width; ++b) {
            sum[r][b] += mine.x[r] * left.x[b];
            sum[r][width + b] += mine.x[r] * right.x[b];
          }
      }
      own += width * (length - 1);
      shared += width * (length - 1);
    }
    for (int r = 0; r < 2; ++r)
      for (int b = 0; b < 2 * width; ++b)
        if (j + b <= i + r) at(i + r, j + b) -= sum[r][b];
  }

  NEARGP_HD void update_entry(int first, int i, int j) const {
    Real sum = 0;
    for (int c = 0; c < first; ++c) sum += at(i, c) * at(j, c);
    at(i, j) -= sum;
  }

  // Subtracts from the columns first .. first+3 what those from `from` on contribute. A thread takes two rows where
  // there are enough, and all threads of a team take the same number.
  template <class Team>
  NEARGP_HD void update_panel(const Team& team, int from, int first) const {
    int start = first;
    for (; start + team.size() < end_; start += 2 * team.size())
      update_rows<2>(from, first, start + team.rank(), team.size());
    if (start + team.rank() < end_) update_rows<1>(from, first, start + team.rank(), team.size());
  }

  // The same for the rows i, i + step, ..., the last of which may lie beyond the matrix. Their sums share the loads of
  // the panel's own rows. The entries that this leaves above the diagonal are not read.
  template <int Rows>
  NEARGP_HD void update_rows(int from, int first, int i, int step) const {
    Real sum[Rows][width] = {};
    Real* own[Rows];
    for (int r = 0; r < Rows; ++r) own[r] = &at(smaller(i + r * step, end_ - 1), from);
    const Real* shared = &at(first, from);
    int length = length_ - from;
    for (int left = first - from; left > 0; left -= width) {
      for (int c = 0; c < width; ++c) {
        const Four<Real> other = Four<Real>::load(shared + c * length);
        for (int r = 0; r < Rows; ++r) {
          const Real mine = own[r][c * length];
          for (int b = 0; b < width; ++b) sum[r][b] += mine * other.x[b];
        }
      }
      const int panel = width * (length - 1);
      for (int r = 0; r < Rows; ++r) own[r] += panel;
      shared += panel;
      length -= width;
    }
    for (int r = 0; r < Rows; ++r) {
      if (i + r * step >= end_) continue;
      Real entry[width];
      for (int b = 0; b < width; ++b) entry[b] = own[r][b * length] - sum[r][b];
      for (int b = 0; b < width; ++b) own[r][b * length] = entry[b];
    }
  }

  // Subtracts from the rows below a panel what its four unknowns contribute, for `Count` vectors that share loads of L.
  template <int Count, class Team>
  NEARGP_HD void eliminate(const Team& team, const Panel& panel, const DiagonalBlock<Real>& block, Real* x,
                           int stride) const {
    Four<Real> solved[Count];
    for (int v = 0; v < Count; ++v) solved[v] = block.forward(Four<Real>::load(x + v * stride));
    for (int i = width + team.rank(); panel.first + i < padded_; i += team.size()) {
      const Real* row = panel.corner + i;
      const int length = panel.length;
      const Four<Real> own = {{row[0], row[length], row[2 * length], row[3 * length]}};
      for (int v = 0; v < Count; ++v) x[v * stride + i] -= own.dot(solved[v]);
    }
  }

  int rows_ = 0, padded_ = 0;
  int end_ = 0;     // of the rows, further ones included
  int length_ = 0;  // of the first column
  Real* entries_ = nullptr;
  Real* inverse_ = nullptr;
};

}  // namespace neargp
