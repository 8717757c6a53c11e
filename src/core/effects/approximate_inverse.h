// A sparse matrix F with F C F' near I, for C = I + W'W. Row j of F uses column j and a few columns before it, those
// that are tied to it the most. The row is the last row of the inverse of the Cholesky factor of C at these columns.
// The diagonal of F C F' is then 1 (Kolotilina and Yeremin 1993). F'F is an approximate inverse, and -2 sum log F_jj an
// approximate log determinant. The derivative of the latter is exactly tr(F'F dC).
//
// Columns come in the order of their numbers of rows, the most first, since a column that all rows contain is tied to
// all columns. Only the entries of C at pairs of columns of one row of F are needed. These pairs are also all entries
// of F'F.
#pragma once

#include <cstdint>
#include <vector>

#include "effects/gram_columns.h"

namespace neargp {

class ApproximateInverse {
 public:
  // Chooses columns by the present entries of the rows of `gram`: at most `most` of those that matter, in addition to a
  // row's own column.
  ApproximateInverse(const GramColumns& gram, int most, const RunContext& context);

  // Uses the present entries. Returns false where a pivot is not positive and finite.
  bool factorize(const RunContext& context);
  double log_det() const;  // of (F'F)^-1

  // y = F x and y = F'x, all of `width` columns, row-major.
  void multiply(const double* x, int width, double* y, const RunContext& context) const;
  void multiply_transposed(const double* x, int width, double* y, const RunContext& context) const;

  // h = F'F w in the columns of row t of W, w that row.
  void multiply_row(Index t, double* h) const;
  double entry(int i, int j) const;  // of F'F

 private:
  struct Occurrence {  // of a pair of two columns in a row of W: their positions there
    int pair;
    std::uint16_t first, second;
  };

  std::vector<std::vector<int>> choose_columns(const GramColumns& gram, int most, const RunContext& context);
  void list_rows(const std::vector<std::vector<int>>& chosen);
  void list_pairs(const std::vector<std::vector<int>>& chosen);
  void list_occurrences();
  int pair_of(int i, int j) const;  // -1: none
  bool comes_after(int i, int j) const { return rank_[i] > rank_[j]; }
  void add_pairs(std::vector<double>& c) const;
  void find_products();

  const EffectRows& rows_;
  std::vector<int> rank_;
  std::vector<std::size_t> start_;  // of row j of F, its own column last
  std::vector<int> column_;
  std::vector<double> f_;
  std::vector<std::size_t> use_start_;  // of the entries of column j of F
  std::vector<std::size_t> use_;
  std::vector<int> use_row_;
  std::vector<double> use_f_;
  std::vector<std::size_t> pair_start_;  // of column j: the pairs with columns before it and itself
  std::vector<int> pair_column_;
  std::vector<int> own_pair_;             // the pair of column j with itself
  std::vector<double> product_, square_;  // F'F at the pairs, and its diagonal
  std::vector<std::size_t> block_start_;  // of row j of F: the pairs of its columns, those of a lower triangle by rows
  std::vector<int> block_;
  std::vector<std::size_t> occurrence_start_;  // of row t of W
  std::vector<Occurrence> occurrence_;
};

}  // namespace neargp
