// The members of nodes and of the cliques on which entries of the posterior covariance are needed.
#include "base/error.h"
#include "latent/latent_model.h"

namespace neargp {

namespace {

// Rows (j, neighbours of j), for one field after the other.
std::vector<int> members_of(const NeighborTable& table, int fields) {
  const int width = table.k + 1;
  std::vector<int> members(std::size_t(table.n) * width * fields);
  for (int q = 0; q < fields; ++q)
    for (Index j = 0; j < table.n; ++j) {
      int* row = members.data() + (q * table.n + j) * width;
      row[0] = int(q * table.n + j);
      for (int m = 0; m < table.k; ++m) row[m + 1] = table[j][m] < 0 ? -1 : int(q * table.n + table[j][m]);
    }
  return members;
}

// Rows with the nodes of all fields at a location and its neighbours. Cross blocks between fields at locations that are
// neighbours are needed: without them variances and correlations of the posterior are wrong by a third.
std::vector<int> joint_members_of(const NeighborTable& table, int fields) {
  const int width = (table.k + 1) * fields;
  std::vector<int> members(std::size_t(table.n) * width, -1);
  for (Index j = 0; j < table.n; ++j) {
    int* row = members.data() + j * width;
    for (int q = 0; q < fields; ++q) *row++ = int(q * table.n + j);
    for (int m = 0; m < table.k && table[j][m] >= 0; ++m)
      for (int q = 0; q < fields; ++q) *row++ = int(q * table.n + table[j][m]);
  }
  return members;
}

}  // namespace

void LatentModel::list_members(const LatentData& data) {
  prior_members_ = members_of(prior().neighbors(), fields());
  prior_vectors_.resize(prior_members_.size());
  inverse_variance_.resize(nodes());
  if (data.pattern_neighbors.n == 0) {
    if (fields() > 1) pattern_members_ = joint_members_of(prior().neighbors(), fields());
    return;
  }
  if (data.pattern_neighbors.n != places()) throw Error("The table of the pattern must have one row for each node.");
  check_rows(data.pattern_neighbors.index, -1, places());
  const std::vector<int> places_of_caller(caller_node_.begin(), caller_node_.begin() + places());
  const NeighborTable pattern = in_own_numbers(data.pattern_neighbors, places_of_caller);
  pattern_members_ = joint_members_of(pattern, fields());
  if (fields() > 1) pattern_places_ = joint_members_of(pattern, 1);
}

std::vector<CliqueTable> LatentModel::cliques() const {
  std::vector<CliqueTable> tables{{nodes(), prior().k() + 1, prior_members_.data()}};
  if (interpolates()) {
    const DataWeights data = interpolation();
    tables.push_back({data.targets(), data.k(), data.neighbors().index.data()});
  }
  if (!pattern_members_.empty())
    tables.push_back({places(), int(Index(pattern_members_.size()) / places()), pattern_members_.data()});
  return tables;
}

// The prior's members of the first field are numbers of locations.
std::vector<CliqueTable> LatentModel::cliques_of_places() const {
  const NeighborTable& of_rows = loadings_->places();
  std::vector<CliqueTable> tables{{places(), prior().k() + 1, prior_members_.data()},
                                  {of_rows.n, of_rows.k, of_rows.index.data()}};
  if (!pattern_places_.empty())
    tables.push_back({places(), int(Index(pattern_places_.size()) / places()), pattern_places_.data()});
  return tables;
}

std::vector<int> LatentModel::order_of_places() const {
  std::vector<int> order;
  for (const int node : order_)
    if (node < places()) order.push_back(node);
  return order;
}

}  // namespace neargp
