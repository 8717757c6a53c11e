#include "variational/device_block.h"

#include <algorithm>

#include "base/error.h"

namespace neargp {

using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

PreparedCovariance with_slopes(PreparedCovariance covariance) {
  keep_slopes(covariance);
  return covariance;
}

const DenseDevice& in_use(const DenseDevice& device) {
  device.use();
  return device;
}

}  // namespace

DeviceBlock::DeviceBlock(const DenseDevice& device, const InducingFactor& factor, Index rows)
    : device_(in_use(device)), products_(*device.products), factor_(factor),
      covariance_(with_slopes(factor.points().covariance())), lower_(device, factor.lower()), means_(device),
      posterior_(device), features_(device), bar_(device), gram_(device), cross_(device), traced_(device),
      ones_(device), numbers_(device), further_(device), columns_(device), row_sums_(device) {
  const Index m = factor.points().size();
  for (std::size_t c = 0; c < covariance_.components.size(); ++c) {
    components_.emplace_back(device).points.upload(factor.points().scaled(c));
    components_[c].weighted.set_zero(m, covariance_.dim + 1);
    components_[c].outer.set_zero(covariance_.dim + 1, covariance_.dim + 1);
  }
  ones_.upload(VectorXd::Ones(m));
  gram_.set_zero(m, m);
  traced_.set_zero(m, m);
  chunk_rows_ = fitting_rows(rows);
}

// A product takes 2 M^2 operations a row. The limit is a third of a second at 5e11 operations a second, the rate of a
// slow device in double precision.
Index DeviceBlock::fitting_rows(Index rows) const {
  constexpr double operations = 1.5e11, usable_share = 0.8;
  constexpr Index least = 256, most = 65536;
  const double m = double(factor_.points().size()), parts = double(components_.size());
  const double by_time = operations / (2.0 * m * m);
  const double bytes_per_row = sizeof(double) * (2.0 * m + (parts + 1.0) * (covariance_.dim + 1.0) + 16.0);
  const double by_memory = usable_share * (double(device_.free_bytes()) - sizeof(double) * m * m) / bytes_per_row;
  if (by_memory < double(std::min(rows, least)))
    throw Error("The GPU has too little free memory for " + std::to_string(Index(m)) +
                " inducing points. Use fewer, close other programs on the GPU, or compute with device = \"cpu\".");
  return Index(std::min({std::max(by_time, double(least)), by_memory, double(most), double(rows)}));
}

VectorXd DeviceBlock::compute(Points rows) {
  features_.set_zero(rows.n, factor_.points().size());
  for (std::size_t c = 0; c < components_.size(); ++c) {
    MatrixXd scaled(rows.n, rows.dim + 1);
    scaled << factor_.points().scaled(c, rows), VectorXd::Ones(rows.n);
    components_[c].rows.upload(scaled);
    device_.add_covariances(covariance_, int(c), components_[c].rows.points(), components_[c].points.points(), nullptr,
                            {features_.block()});
  }
  products_.solve_right(lower_.transposed(), features_.block());
  numbers_.resize(rows.n, 1);
  device_.multiply_rows(features_, features_, numbers_.data());
  return covariance_.variance - numbers_.download().col(0).array();
}

void DeviceBlock::add_moments(const VectorXd& precision, const MatrixXd& weighted) {
  columns_.upload(weighted);
  if (cross_.rows() == 0) cross_.set_zero(factor_.points().size(), weighted.cols());
  products_.add_product(1.0, features_.transposed(), columns_, cross_.block());
  numbers_.upload(precision.cwiseSqrt());
  device_.combine_rows(numbers_.data(), {features_}, nullptr, {features_.block()});
  products_.add_square(1.0, features_.transposed(), gram_.block());
}

void DeviceBlock::set_posterior(const MatrixXd& means, const MatrixXd& covariance) {
  means_.upload(means);
  posterior_.upload(covariance);
}

DeviceBlock::Fitted DeviceBlock::fitted() {
  const Index n = features_.rows(), m = factor_.points().size();
  bar_.set_zero(n, m);
  products_.add_product(1.0, features_, posterior_, bar_.block());
  numbers_.resize(n, 1);
  device_.multiply_rows(features_, bar_, numbers_.data());
  columns_.set_zero(n, means_.block().columns);
  products_.add_product(1.0, features_, means_, columns_.block());
  return {columns_.download(), numbers_.download()};
}

void DeviceBlock::add_adjoint(const VectorXd& slopes, const VectorXd& precision, const MatrixXd& weighted) {
  numbers_.upload(slopes);
  further_.upload(-precision);
  device_.combine_rows(numbers_.data(), {features_}, further_.data(), {bar_.block()});
  columns_.upload(weighted);
  products_.add_product(1.0, columns_, means_.transposed(), bar_.block());
  numbers_.upload(slopes.cwiseSqrt());
  device_.combine_rows(numbers_.data(), {features_}, nullptr, {features_.block()});
  products_.add_square(1.0, features_.transposed(), traced_.block());
  products_.solve_right(lower_, bar_.block());
  for (std::size_t c = 0; c < components_.size(); ++c) contract(c);
}

// The product of adjoint and slopes, T', overwrites the features.
void DeviceBlock::contract(std::size_t c) {
  Component& part = components_[c];
  const PairSums sums =
      device_.multiply_slopes(covariance_, int(c), part.rows.points(), part.points.points(), bar_, features_.block());
  part.sums.value += sums.value;
  part.sums.shape += sums.shape;
  products_.add_product(1.0, features_.transposed(), part.rows, part.weighted.block());
  row_sums_.set_zero(features_.rows(), 1);
  products_.add_product(1.0, features_, ones_, row_sums_.block());
  columns_.resize(part.rows.rows(), covariance_.dim + 1);
  device_.combine_rows(row_sums_.data(), {part.rows}, nullptr, {columns_.block()});
  products_.add_product(1.0, part.rows.transposed(), columns_, part.outer.block());
}

void DeviceBlock::add_gradient(InducingGradient& gradient) const {
  const Index dim = covariance_.dim;
  for (std::size_t c = 0; c < components_.size(); ++c) {
    const MatrixXd weighted = components_[c].weighted.download(), outer = components_[c].outer.download();
    factor_.points().add_slopes(c,
                                {weighted.col(dim), weighted.leftCols(dim), outer.topLeftCorner(dim, dim),
                                 components_[c].sums.value, components_[c].sums.shape},
                                gradient);
  }
}

}  // namespace neargp
