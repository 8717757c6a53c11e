#include "linalg/row_forms.h"

#include <algorithm>

#include "base/types.h"
#include "linalg/column_products.h"

namespace neargp {

// x'V x = sum_j x_j (V_jj x_j + 2 sum_{i < j} V_ij x_i)
std::vector<double> row_forms(const Eigen::Ref<const Eigen::MatrixXd>& x, const Eigen::Ref<const Eigen::MatrixXd>& v) {
  constexpr Index most_rows = 32 * column_multiple;
  const Index count = x.cols();
  Eigen::MatrixXd part = Eigen::MatrixXd::Zero(most_rows, count), weights = v;
  weights.triangularView<Eigen::StrictlyUpper>() = 2.0 * v;
  std::vector<const double*> columns(count);
  for (Index j = 0; j < count; ++j) columns[j] = part.col(j).data();
  Eigen::VectorXd product(most_rows), sums(most_rows);
  std::vector<double> forms(x.rows());
  for (Index first = 0; first < x.rows(); first += most_rows) {
    const Index rows = std::min(most_rows, x.rows() - first);
    part.topRows(rows) = x.middleRows(first, rows);
    sums.setZero();
    for (Index j = 0; j < count; ++j) {
      product.setZero();
      column_kernels().add_combination(columns.data(), j + 1, most_rows, weights.col(j).data(), product.data());
      for (Index r = 0; r < rows; ++r) sums[r] += product[r] * part(r, j);
    }
    std::copy_n(sums.data(), rows, forms.begin() + first);
  }
  return forms;
}

}  // namespace neargp
