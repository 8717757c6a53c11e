// x'V x of each row x of a matrix, in packs of rows. The digits of a row depend on the row and V alone. In a general
// product they may depend on the position of the row.
#pragma once

#include <Eigen/Core>
#include <vector>

namespace neargp {

// V is symmetric.
std::vector<double> row_forms(const Eigen::Ref<const Eigen::MatrixXd>& x, const Eigen::Ref<const Eigen::MatrixXd>& v);

}  // namespace neargp
