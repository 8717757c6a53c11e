// x'V x of each row x of a matrix, in packs of rows: the digits of a row depend on it and V alone, not on where it
// stands, as those of a general product may.
#pragma once

#include <Eigen/Core>
#include <vector>

namespace neargp {

// V is symmetric.
std::vector<double> row_forms(const Eigen::Ref<const Eigen::MatrixXd>& x, const Eigen::Ref<const Eigen::MatrixXd>& v);

}  // namespace neargp
