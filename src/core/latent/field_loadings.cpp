#include "latent/field_loadings.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "conditional/data.h"

namespace neargp {

FieldLoadings::FieldLoadings(FieldRows rows, Index places, int responses)
    : rows_(std::move(rows)), loadings_(Eigen::MatrixXd::Zero(responses, rows_.fields())),
      members_(rows_.places.n, rows_.places.k * rows_.fields()), locations_(places) {
  const Index n = rows_.places.n;
  if (Index(rows_.response.size()) != n || Index(rows_.shares.size()) != n * rows_.places.k)
    throw Error("There must be one response, and one share for each place, of each row.");
  check_rows(rows_.response, 0, responses);
  for (Index i = 0; i < n; ++i)
    for (int l = 0; l < rows_.places.k; ++l)
      for (int q = 0; q < fields(); ++q) {
        const int place = rows_.places[i][l];
        members_[i][l * fields() + q] = place < 0 ? -1 : int(q * places + place);
      }
  weights_.assign(members_.index.size(), 0.0);
  variance_.assign(n, 0.0);
}

int FieldLoadings::structures() const {
  return 1 + *std::max_element(rows_.structure_of_field.begin(), rows_.structure_of_field.end());
}

void FieldLoadings::set(const Eigen::MatrixXd& loadings) {
  if (loadings.rows() != loadings_.rows() || loadings.cols() != loadings_.cols())
    throw Error("There must be a loading for each response and field.");
  loadings_ = loadings;
  const int k = rows_.places.k;
  for (Index i = 0; i < rows_.places.n; ++i)
    for (int l = 0; l < k; ++l)
      for (int q = 0; q < fields(); ++q)
        weights_[(i * k + l) * fields() + q] = rows_.shares[i * k + l] * loadings(rows_.response[i], q);
}

std::vector<double> FieldLoadings::at_locations(const std::vector<double>& by_row) const {
  const int q = fields();
  std::vector<double> sums(std::size_t(locations_) * q * q, 0.0);
  for (Index i = 0; i < rows_.places.n; ++i) {
    const double* a = weights_.data() + i * q;
    double* block = sums.data() + std::size_t(rows_.places[i][0]) * q * q;
    for (int c = 0; c < q; ++c)
      for (int r = 0; r < q; ++r) block[c * q + r] += by_row[i] * a[c] * a[r];
  }
  return sums;
}

Eigen::MatrixXd FieldLoadings::gradient(const std::vector<double>& weights_bar) const {
  Eigen::MatrixXd gradient = Eigen::MatrixXd::Zero(loadings_.rows(), loadings_.cols());
  const int k = rows_.places.k;
  for (Index i = 0; i < rows_.places.n; ++i)
    for (int l = 0; l < k; ++l)
      for (int q = 0; q < fields(); ++q)
        gradient(rows_.response[i], q) += rows_.shares[i * k + l] * weights_bar[(i * k + l) * fields() + q];
  return gradient;
}

}  // namespace neargp
