// Cholesky factor and triangular solves of one matrix by a team.
//
// The lower triangle is stored in panels of four columns. The columns of a panel are as long as the first of them and
// two entries more:
//
//   panel p:  column 4p, rows 4p .. padded-1, two unused | column 4p + 1, the same rows | ...
//
// so that (a) threads of consecutive rows find a column's entries side by side, in shared as in global memory, (b) four
// rows of one column that begin at a multiple of four are one aligned load, and (c) threads of consecutive columns that
// load four rows each meet different banks of shared memory: the length of a column is 2 modulo 4.
//
// The number of rows is padded to a multiple of four by unit vectors, which change nothing. Vectors are as long as the
// padded matrix and hold zeros there.
#pragma once

#include "base/simd.h"
#include "team/team.h"

namespace neargp {

class TeamTriangle {
 public:
  static constexpr int width = 4;  // of a panel

  NEARGP_HD static int padded_rows(int rows) { return (rows + width - 1) / width * width; }
  NEARGP_HD static int entries(int rows) { return panel_start(padded_rows(rows) / width, padded_rows(rows)); }
  // Doubles of a matrix with its inverse_diagonal(), which follows the entries: their number is even (TeamArena).
  NEARGP_HD static int size(int rows) { return entries(rows) + padded_rows(rows); }
  // Distance of vectors that lie one after the other: even, for loads of two, and no power of two.
  NEARGP_HD static int vector_stride(int rows) { return padded_rows(rows) + 2; }

  NEARGP_HD TeamTriangle() {}
  NEARGP_HD TeamTriangle(int rows, TeamArena& arena)
      : rows_(rows), padded_(padded_rows(rows)), entries_(arena.take(entries(rows))), inverse_(arena.take(padded_)) {}

  NEARGP_HD int rows() const { return rows_; }
  NEARGP_HD int padded() const { return padded_; }
  NEARGP_HD double* memory() const { return entries_; }
  NEARGP_HD double& at(int i, int j) const { return *column(j, i); }
  // Before the factorisation the diagonal of the matrix, as each entry of it is judged against; after it the
  // reciprocals of the factor's.
  NEARGP_HD double* inverse_diagonal() const { return inverse_; }

  // The last rows, which are there for the padding only.
  template <class Team>
  NEARGP_HD void pad(const Team& team) const {
    for (int i = rows_; i < padded_; ++i)
      for (int j = team.rank(); j <= i; j += team.size()) {
        at(i, j) = i == j ? 1.0 : 0.0;
        if (i == j) inverse_[i] = 1.0;
      }
  }

  // Replaces the matrix by its factor. A pivot of no more than `tolerance` times the diagonal entry is replaced by that
  // entry, and the result is false: the same rule as on the CPU (local/triangle.h). All threads get the same result.
  template <class Team>
  NEARGP_HD bool factorise(const Team& team, double tolerance) const {
    bool good = true;
    for (int first = 0; first < padded_; first += width) {
      if (first > 0) {
        update_panel(team, first);
        team.barrier();
      }
      DiagonalBlock block;
      good &= block.factorise(*this, first, tolerance);
      for (int i = first + width + team.rank(); i < padded_; i += team.size()) block.solve_row(*this, first, i);
      team.barrier();
      if (team.rank() == 0) block.store(*this, first);
    }
    team.barrier();
    return good;
  }

  // To and from memory that outlives the team's; `to` and `from` have room for size().
  template <class Team>
  NEARGP_HD void copy_to(const Team& team, double* to) const {
    for (int e = team.rank(); e < size(rows_); e += team.size()) to[e] = entries_[e];
  }
  template <class Team>
  NEARGP_HD void copy_from(const Team& team, const double* from) const {
    for (int e = team.rank(); e < size(rows_); e += team.size()) entries_[e] = from[e];
  }

  // x := L^-1 x for `count` vectors, `stride` apart.
  template <class Team>
  NEARGP_HD void solve_forward(const Team& team, double* x, int count, int stride) const {
    for (int first = 0; first < padded_; first += width) {
      for (int v = team.rank(); v < count; v += team.size()) solve_block_forward(first, x + v * stride);
      team.barrier();
      for (int i = first + width + team.rank(); i < padded_; i += team.size()) {
        double row[width];
        for (int b = 0; b < width; ++b) row[b] = *column(first + b, i);
        for (int v = 0; v < count; ++v) {
          const Four solved = Four::load(x + v * stride + first);
          double sum = row[0] * solved.x[0];
          for (int b = 1; b < width; ++b) sum += row[b] * solved.x[b];
          x[v * stride + i] -= sum;
        }
      }
      team.barrier();
    }
  }

  // x := L^-T x for one vector.
  template <class Team>
  NEARGP_HD void solve_backward(const Team& team, double* x) const {
    for (int first = padded_ - width; first >= 0; first -= width) {
      if (team.rank() == 0) solve_block_backward(first, x);
      team.barrier();
      const Four solved = Four::load(x + first);
      for (int j = team.rank(); j < first; j += team.size()) {
        const Four row = Four::load(column(j, first));
        double sum = row.x[0] * solved.x[0];
        for (int b = 1; b < width; ++b) sum += row.x[b] * solved.x[b];
        x[j] -= sum;
      }
      team.barrier();
    }
  }

 private:
  // Panel q is 4 (padded + 2 - 4 q) long; the sum over q < p:
  NEARGP_HD static int panel_start(int p, int padded) { return 4 * p * (padded + 2) - 8 * p * (p - 1); }

  // Entry (i, j), i not above the panel of column j.
  NEARGP_HD double* column(int j, int i) const {
    const int p = j / width;
    return entries_ + panel_start(p, padded_) + (j - width * p) * (padded_ + 2 - width * p) + (i - width * p);
  }

  // Takes from the columns first .. first+3 what earlier columns contribute.
  template <class Team>
  NEARGP_HD void update_panel(const Team& team, int first) const {
    for (int i = first + team.rank(); i < padded_; i += team.size()) {
      double sum[width] = {0.0, 0.0, 0.0, 0.0};
      for (int p = 0; p < first / width; ++p) {
        const double* own = column(width * p, i);
        const double* rows = column(width * p, first);
        const int stride = padded_ + 2 - width * p;
        for (int c = 0; c < width; ++c, own += stride, rows += stride) {
          const double mine = *own;
          const Four other = Four::load(rows);
          for (int b = 0; b < width; ++b) sum[b] += mine * other.x[b];
        }
      }
      for (int b = 0; b < width; ++b)
        if (first + b <= i) *column(first + b, i) -= sum[b];
    }
  }

  // The square on the diagonal, in registers. Every thread has a copy, which costs less than to hand it round.
  struct DiagonalBlock {
    double l10, l20, l21, l30, l31, l32;
    double root[width], inverse[width];

    NEARGP_HD bool factorise(const TeamTriangle& matrix, int first, double tolerance) {
      const double* diagonal = matrix.inverse_ + first;
      bool good = pivot(0, matrix.at(first, first), diagonal[0], tolerance);
      l10 = matrix.at(first + 1, first) * inverse[0];
      l20 = matrix.at(first + 2, first) * inverse[0];
      l30 = matrix.at(first + 3, first) * inverse[0];
      good &= pivot(1, matrix.at(first + 1, first + 1) - l10 * l10, diagonal[1], tolerance);
      l21 = (matrix.at(first + 2, first + 1) - l20 * l10) * inverse[1];
      l31 = (matrix.at(first + 3, first + 1) - l30 * l10) * inverse[1];
      good &= pivot(2, matrix.at(first + 2, first + 2) - l20 * l20 - l21 * l21, diagonal[2], tolerance);
      l32 = (matrix.at(first + 3, first + 2) - l30 * l20 - l31 * l21) * inverse[2];
      good &= pivot(3, matrix.at(first + 3, first + 3) - l30 * l30 - l31 * l31 - l32 * l32, diagonal[3], tolerance);
      return good;
    }

    NEARGP_HD bool pivot(int b, double value, double diagonal, double tolerance) {
      const bool good = value > tolerance * diagonal;
      inverse[b] = inverse_root(good ? value : diagonal);
      root[b] = (good ? value : diagonal) * inverse[b];
      return good;
    }

    NEARGP_HD static double inverse_root(double x) {
#ifdef __CUDA_ARCH__
      return ::rsqrt(x);
#else
      return 1.0 / math::sqrt(x);
#endif
    }

    NEARGP_HD void solve_row(const TeamTriangle& matrix, int first, int i) const {
      double& x0 = matrix.at(i, first);
      double& x1 = matrix.at(i, first + 1);
      double& x2 = matrix.at(i, first + 2);
      double& x3 = matrix.at(i, first + 3);
      const double y0 = x0 * inverse[0];
      const double y1 = (x1 - y0 * l10) * inverse[1];
      const double y2 = (x2 - y0 * l20 - y1 * l21) * inverse[2];
      x3 = (x3 - y0 * l30 - y1 * l31 - y2 * l32) * inverse[3];
      x2 = y2;
      x1 = y1;
      x0 = y0;
    }

    NEARGP_HD void store(const TeamTriangle& matrix, int first) const {
      for (int b = 0; b < width; ++b) {
        matrix.at(first + b, first + b) = root[b];
        matrix.inverse_[first + b] = inverse[b];
      }
      matrix.at(first + 1, first) = l10;
      matrix.at(first + 2, first) = l20;
      matrix.at(first + 2, first + 1) = l21;
      matrix.at(first + 3, first) = l30;
      matrix.at(first + 3, first + 1) = l31;
      matrix.at(first + 3, first + 2) = l32;
    }
  };

  NEARGP_HD void solve_block_forward(int first, double* x) const {
    for (int b = 0; b < width; ++b) {
      double value = x[first + b];
      for (int c = 0; c < b; ++c) value -= *column(first + c, first + b) * x[first + c];
      x[first + b] = value * inverse_[first + b];
    }
  }

  NEARGP_HD void solve_block_backward(int first, double* x) const {
    for (int b = width - 1; b >= 0; --b) {
      double value = x[first + b];
      for (int c = b + 1; c < width; ++c) value -= *column(first + b, first + c) * x[first + c];
      x[first + b] = value * inverse_[first + b];
    }
  }

  int rows_ = 0, padded_ = 0;
  double* entries_ = nullptr;
  double* inverse_ = nullptr;
};

}  // namespace neargp
