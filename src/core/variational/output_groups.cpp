#include "variational/output_groups.h"

#include <map>

#include "base/error.h"

namespace neargp {

namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using RowTable = Eigen::Matrix<Index, Eigen::Dynamic, Eigen::Dynamic>;

// The row of each location and output, -1 where there is none.
RowTable rows_by_place(const OutputRegression& data, int outputs) {
  RowTable table = RowTable::Constant(data.places.n, outputs, -1);
  for (Index i = 0; i < data.n; ++i) {
    const int place = data.place_of_row[i], output = data.output_of_row[i];
    if (place < 0 || place >= data.places.n || output < 0 || output >= outputs)
      throw Error("A row is of a place or an output that there is not.");
    if (table(place, output) >= 0) throw Error("Two rows are the same output at the same place.");
    table(place, output) = i;
  }
  return table;
}

OutputGroup gather(const OutputRegression& data, const RowTable& rows, std::vector<int> outputs,
                   const std::vector<Index>& places) {
  const Index n = Index(places.size());
  OutputGroup group;
  group.dim = data.places.dim;
  group.weights.resize(n);
  for (Index i = 0; i < n; ++i) {
    const double* at = data.places[places[std::size_t(i)]];
    group.coords.insert(group.coords.end(), at, at + group.dim);
    group.weights[i] = 1.0 / data.noise_scale[places[std::size_t(i)]];
  }
  const Eigen::Map<const RowMajor> values(data.values, data.n, data.columns);
  for (const int p : outputs) {
    Eigen::MatrixXd own(n, data.columns);
    for (Index i = 0; i < n; ++i) own.row(i) = values.row(rows(places[std::size_t(i)], p));
    group.values.push_back(std::move(own));
  }
  group.outputs = std::move(outputs);
  return group;
}

}  // namespace

std::vector<OutputGroup> output_groups(const OutputRegression& data, int outputs) {
  const RowTable rows = rows_by_place(data, outputs);
  std::map<std::vector<int>, std::vector<Index>> by_known;
  std::vector<std::vector<Index>> by_output;
  by_output.resize(std::size_t(outputs));
  for (Index place = 0; place < data.places.n; ++place) {
    std::vector<int> known;
    for (int p = 0; p < outputs; ++p)
      if (rows(place, p) >= 0) {
        known.push_back(p);
        by_output[std::size_t(p)].push_back(place);
      }
    if (!known.empty()) by_known[known].push_back(place);
  }
  std::vector<OutputGroup> groups;
  if (Index(by_known.size()) <= outputs) {
    for (const auto& [known, places] : by_known) groups.push_back(gather(data, rows, known, places));
  } else {
    for (int p = 0; p < outputs; ++p)
      if (!by_output[std::size_t(p)].empty()) groups.push_back(gather(data, rows, {p}, by_output[std::size_t(p)]));
  }
  return groups;
}

}  // namespace neargp
