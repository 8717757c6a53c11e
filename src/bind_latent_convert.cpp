#include "bind_latent.h"

#include "base/error.h"
#include "bind_neighbors.h"

namespace {

std::vector<double> numbers(const Rcpp::List& list, const char* name) {
  return Rcpp::as<std::vector<double>>(list[name]);
}

Rcpp::NumericMatrix coords_of(const Rcpp::List& list, const char* name) {
  return list.containsElementNamed(name) ? Rcpp::as<Rcpp::NumericMatrix>(list[name]) : Rcpp::NumericMatrix(0, 1);
}

}  // namespace

LatentInput::LatentInput(const Rcpp::List& nodes, const Rcpp::List& data)
    : nodes_(coords_of(nodes, "coords")), data_(coords_of(data, "coords")), inducing_(coords_of(nodes, "inducing")) {
  latent_.nodes = nodes_.view();
  latent_.order = to_rows(Rcpp::as<Rcpp::IntegerVector>(nodes["order"]));
  latent_.node_neighbors = Neighbors(nodes["neighbors"]).table();
  latent_.jitter = Rcpp::as<double>(nodes["jitter"]);
  if (nodes.containsElementNamed("pattern_neighbors"))
    latent_.pattern_neighbors = Neighbors(nodes["pattern_neighbors"]).table();
  latent_.inducing = inducing_.view();
  if (data.containsElementNamed("node")) {
    latent_.node_of_datum = to_rows(Rcpp::as<Rcpp::IntegerVector>(data["node"]));
    return;
  }
  latent_.data = data_.view();
  latent_.data_neighbors = Neighbors(data["neighbors"]).table();
}

neargp::LatentResponse to_response(const Rcpp::List& list) {
  const Rcpp::NumericMatrix design = list["design"];
  neargp::LatentResponse response{numbers(list, "y"), {},           numbers(list, "weights"), numbers(list, "offset"),
                                  row_major(design),  design.ncol()};
  if (!Rf_isNull(list["trials"])) response.trials = numbers(list, "trials");
  const std::size_t n = response.y.size();
  if (std::size_t(design.nrow()) != n || response.weights.size() != n || response.offset.size() != n ||
      (!response.trials.empty() && response.trials.size() != n))
    throw neargp::Error("Design, weights, offset and trials must have a row for each response.");
  return response;
}

neargp::Likelihood to_likelihood(const std::string& family, const Rcpp::NumericVector& parameters) {
  const bool by_datum = Rf_isMatrix(parameters);
  const neargp::Likelihood likelihood{
      neargp::response_family_from_name(family), {parameters.begin(), parameters.end()}, by_datum};
  neargp::check_parameters(likelihood, by_datum ? Rf_ncols(parameters) : 1);
  return likelihood;
}

Rcpp::NumericMatrix by_column(const std::vector<double>& entries, neargp::Index rows, int columns) {
  return Rcpp::NumericMatrix(int(rows), columns, entries.begin());
}
