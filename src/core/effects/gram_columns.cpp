#include "effects/gram_columns.h"

#include "linalg/column_products.h"

namespace neargp {

GramColumns::GramColumns(const EffectRows& rows) : rows_(rows), start_(std::size_t(rows.columns()) + 1) {
  for (Index t = 0; t < rows.targets(); ++t)
    for (int a = 0; a < rows.count(t); ++a) ++start_[rows.column(t)[a] + 1];
  for (int j = 0; j < columns(); ++j) start_[j + 1] += start_[j];
  row_.resize(start_.back());
  place_.resize(start_.back());
  std::vector<std::size_t> next(start_.begin(), start_.end() - 1);
  for (Index t = 0; t < rows.targets(); ++t)
    for (int a = 0; a < rows.count(t); ++a) {
      const std::size_t at = next[rows.column(t)[a]]++;
      row_[at] = int(t);
      place_[at] = std::uint16_t(a);
    }
}

void GramColumns::add_column(int j, double* sums) const {
  constexpr std::size_t looked_at = 100;
  const std::size_t step = std::max<std::size_t>(1, (start_[j + 1] - start_[j]) / looked_at);
  for (std::size_t r = start_[j]; r < start_[j + 1]; r += step) {
    const Index t = row_[r];
    const int* column = rows_.column(t);
    const double* w = rows_.entries(t);
    const int count = rows_.count(t);
    const double own = w[place_[r]];
    for (int a = 0; a < count; ++a) sums[column[a]] += own * w[a];
  }
}

// Rows are cut into the same number of parts for any number of threads. Each part computes its own sums, which are
// added in order.
void GramColumns::multiply(const double* x, int width, double* y, const RunContext& context) const {
  constexpr Index parts = 8;
  const std::size_t size = std::size_t(columns()) * width;
  sums_.resize(std::max(sums_.size(), parts * size));
  const Index rows = rows_.targets();
  const auto product = width == 4 ? column_kernels().row_product_of_four : column_kernels().row_product_of_sixteen;
  parallel_for(context, parts, [&](Index part) {
    double* own = sums_.data() + part * size;
    std::fill_n(own, size, 0.0);
    for (Index t = part * rows / parts; t < (part + 1) * rows / parts; ++t)
      product(rows_.column(t), rows_.entries(t), rows_.count(t), x, own);
  });
  for (std::size_t i = 0; i < size; ++i) {
    double sum = x[i];
    for (Index part = 0; part < parts; ++part) sum += sums_[part * size + i];
    y[i] = sum;
  }
}

}  // namespace neargp
