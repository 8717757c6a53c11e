#include "bind_convert.h"

#include <algorithm>

#include "base/error.h"
#include "bind_blas.h"
#include "conditional/gpu/module_loader.h"
#include "geometry/faiss_engine.h"

using neargp::Index;

neargp::RunContext run_context(const Rcpp::List& context) {
  use_products_of(context);
  neargp::RunContext run;
  run.threads = std::max(Rcpp::as<int>(context["threads"]), 1);
  run.check_interrupt = [] { Rcpp::checkUserInterrupt(); };
  run.single_precision = Rcpp::as<bool>(context["single_precision"]);
  const auto device = Rcpp::as<std::string>(context["device_module"]),
             search = Rcpp::as<std::string>(context["search"]), faiss = Rcpp::as<std::string>(context["faiss_module"]);
  int gpu = neargp::no_gpu;
  if (!device.empty()) {
    const neargp::DeviceModule& module = neargp::device_module(device);
    run.backend = module.backend;
    run.dense = module.dense;
    gpu = module.selected();
    if (search == "auto") run.neighbors = module.neighbors;
  }
  if (search == "faiss")
    run.neighbors = &neargp::faiss_engine(faiss, neargp::FaissUse::always, gpu);
  else if (search == "auto" && !run.neighbors && !faiss.empty())
    run.neighbors = &neargp::faiss_engine(faiss, neargp::FaissUse::where_faster);
  return run;
}

std::vector<double> row_major(const Rcpp::NumericMatrix& matrix) {
  const Index rows = matrix.nrow(), columns = matrix.ncol();
  std::vector<double> out(std::size_t(rows * columns));
  for (Index j = 0; j < columns; ++j) {
    const double* column = matrix.begin() + j * rows;
    for (Index i = 0; i < rows; ++i) out[i * columns + j] = column[i];
  }
  return out;
}

Rcpp::NumericMatrix from_row_major(const std::vector<double>& entries, int columns) {
  const Index rows = columns > 0 ? Index(entries.size()) / columns : 0;
  Rcpp::NumericMatrix out(Rcpp::no_init(int(rows), columns));
  for (Index i = 0; i < rows; ++i)
    for (Index j = 0; j < columns; ++j) out[i + j * rows] = entries[i * columns + j];
  return out;
}

PointStore::PointStore(const Rcpp::NumericMatrix& coords)
    : data_(row_major(coords)), n_(coords.nrow()), dim_(coords.ncol()) {}

int to_one_based(int index) { return index < 0 ? NA_INTEGER : index + 1; }
int failed_row(neargp::Index row) { return int(row) + 1; }

int to_zero_based(int index) { return index == NA_INTEGER ? -1 : index - 1; }

OutputStore::OutputStore(const Outputs& output_of_row, int n) {
  if (output_of_row.isNull()) return;
  rows_ = to_rows(Rcpp::IntegerVector(output_of_row));
  if (int(rows_.size()) != n) throw neargp::Error("There must be one output for each row.");
}

Rcpp::IntegerVector to_r(const std::vector<int>& rows) {
  Rcpp::IntegerVector out(Rcpp::no_init(rows.size()));
  std::transform(rows.begin(), rows.end(), out.begin(), to_one_based);
  return out;
}

std::vector<int> to_rows(const Rcpp::IntegerVector& rows) {
  std::vector<int> out(rows.size());
  std::transform(rows.begin(), rows.end(), out.begin(), to_zero_based);
  return out;
}
