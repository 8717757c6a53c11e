#include "likelihoods/class_likelihood.h"

#include <algorithm>
#include <numeric>

#include "base/error.h"
#include "likelihoods/robust_max.h"
#include "likelihoods/softmax.h"
#include "parallel/parallel_for.h"

namespace neargp {

namespace {

using Eigen::MatrixXd;
using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

constexpr Index class_chunk_rows = 64;

double softmax_terms(const double* mean, const double* variance, int classes, int label, double* slope,
                     double* curvature) {
  const double log_sum = softmax_bound(mean, variance, classes, slope);
  for (int c = 0; c < classes; ++c) {
    const double a = slope[c];
    slope[c] = (c == label ? 1.0 : 0.0) - a;
    curvature[c] = a * (1.0 - a);
  }
  return mean[label] - log_sum;
}

// body(chunk, first, last)
template <class Body>
void over_chunks(Index n, const RunContext& context, const Body& body) {
  parallel_for(context, (n + class_chunk_rows - 1) / class_chunk_rows, [&](Index chunk) {
    body(chunk, chunk * class_chunk_rows, std::min((chunk + 1) * class_chunk_rows, n));
  });
}

}  // namespace

ClassLink class_link_from_name(const std::string& name) {
  if (name == "softmax") return ClassLink::softmax;
  if (name == "robust-max") return ClassLink::robust_max;
  throw Error("There is no such link of classes: " + name + ".");
}

void check_labels(const ClassLabels& labels) {
  if (labels.classes < 2) throw Error("There must be at least two classes.");
  if (labels.weights.size() != labels.label.size()) throw Error("There must be one weight for each label.");
  for (const int label : labels.label)
    if (label < 0 || label >= labels.classes) throw Error("A label is of no class.");
}

double class_expectations(const ClassLabels& labels, const MatrixXd& mean, const MatrixXd& variance, MatrixXd& slope,
                          MatrixXd& curvature, const RunContext& context) {
  const int classes = labels.classes;
  const auto expectation = labels.link == ClassLink::softmax ? softmax_terms : robust_max_expectation;
  slope.resize(labels.n(), classes);
  curvature.resize(labels.n(), classes);
  std::vector<double> sums(std::size_t((labels.n() + class_chunk_rows - 1) / class_chunk_rows), 0.0);
  over_chunks(labels.n(), context, [&](Index chunk, Index first, Index last) {
    const RowMajor means = mean.middleRows(first, last - first), variances = variance.middleRows(first, last - first);
    RowMajor slopes(last - first, classes), curvatures(last - first, classes);
    for (Index i = first; i < last; ++i) {
      const Index at = i - first;
      const double weight = labels.weights[i];
      sums[chunk] += weight * expectation(&means(at, 0), &variances(at, 0), classes, labels.label[i], &slopes(at, 0),
                                          &curvatures(at, 0));
      slopes.row(at) *= weight;
      curvatures.row(at) *= weight;
    }
    slope.middleRows(first, last - first) = slopes;
    curvature.middleRows(first, last - first) = curvatures;
  });
  return std::accumulate(sums.begin(), sums.end(), 0.0);
}

MatrixXd softmax_curvature_rows(const ClassLabels& labels, Index first, const MatrixXd& slope, const MatrixXd& variance,
                                const MatrixXd& v) {
  const Index n = v.rows();
  const RowMajor slopes = slope.middleRows(first, n), variances = variance.middleRows(first, n), along = v;
  RowMajor product(n, labels.classes);
  std::vector<double> a(std::size_t(labels.classes));
  for (Index i = 0; i < n; ++i) {
    const double weight = labels.weights[first + i];
    for (int c = 0; c < labels.classes; ++c) a[c] = (c == labels.label[first + i] ? 1.0 : 0.0) - slopes(i, c) / weight;
    softmax_curvature_product(a.data(), &variances(i, 0), labels.classes, &along(i, 0), &product(i, 0));
    product.row(i) *= weight;
  }
  return product;
}

MatrixXd class_probabilities(ClassLink link, const MatrixXd& mean, const MatrixXd& variance,
                             const RunContext& context) {
  const auto probabilities = link == ClassLink::softmax ? softmax_probabilities : robust_max_probabilities;
  MatrixXd result(mean.rows(), mean.cols());
  over_chunks(mean.rows(), context, [&](Index, Index first, Index last) {
    const RowMajor means = mean.middleRows(first, last - first), variances = variance.middleRows(first, last - first);
    RowMajor found(last - first, mean.cols());
    for (Index i = 0; i < last - first; ++i)
      probabilities(&means(i, 0), &variances(i, 0), int(mean.cols()), &found(i, 0));
    result.middleRows(first, last - first) = found;
  });
  return result;
}

}  // namespace neargp
