// Areas as rows of data: the support of a row is a set of points with weights, which add up to 1, and what is known of
// it is the weighted mean of the field over these. The covariance of two rows is then the mean over all pairs of
// points,
//
//   k(A, B) = sum_lm a_l b_m k(u_l, v_m),
//
// that of a row with itself included, and so are the derivatives in any parameter. A place is the support of one point.
// The points are columns of a row, after those of the place at which it is ordered and searched for.
#pragma once

namespace neargp {

struct SupportColumns {
  int places = 0;
  int points = 0;  // of a row at most; points that a row has not are last, and have the weight 0. 0: rows are places

  // The first coordinate of a point.
  int column(int point) const { return places + point * (places + 1); }
  int weight_column(int point) const { return column(point) + places; }
};

}  // namespace neargp
