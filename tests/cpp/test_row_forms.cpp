// Forms of rows, against those of one row after the other.
#include <doctest/doctest.h>

#include <Eigen/Core>
#include <cmath>
#include <vector>

#include "linalg/row_forms.h"

using neargp::row_forms;

TEST_CASE("forms are those of the symmetric matrix, whatever rows stand beside them") {
  for (const int count : {1, 5, 70}) {
    Eigen::MatrixXd x(301, count), v(count, count);
    for (Eigen::Index i = 0; i < x.size(); ++i) x.data()[i] = std::sin(1.0 + double(i));
    for (int i = 0; i < count; ++i)
      for (int j = 0; j < count; ++j) v(i, j) = std::cos(double(i + j)) + (i == j ? count : 0.0);
    const std::vector<double> forms = row_forms(x, v);
    for (Eigen::Index t = 0; t < x.rows(); ++t)
      CHECK(forms[t] == doctest::Approx((x.row(t) * v * x.row(t).transpose())(0, 0)).epsilon(1e-12));
    CHECK(row_forms(x.middleRows(13, 1), v)[0] == forms[13]);
  }
}
