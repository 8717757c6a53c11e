// Areas as rows of data. The support of a row is a set of points with weights that add up to 1. An observation of the
// row concerns the weighted mean of the field over these points. The covariance of two rows is therefore the mean over
// all pairs of points:
//
//   k(A, B) = sum_lm a_l b_m k(u_l, v_m).
//
// The same holds for a row with itself, and for the derivatives in any parameter. A location is the support of one
// point. A row contains the columns of the location at which it is ordered and searched for, and then those of its
// points.
#pragma once

namespace neargp {

struct SupportColumns {
  int places = 0;
  int points = 0;  // the most of a row; a row with fewer ends in points of weight 0. 0: rows are locations

  // The first coordinate of a point.
  int column(int point) const { return places + point * (places + 1); }
  int weight_column(int point) const { return column(point) + places; }
};

}  // namespace neargp
