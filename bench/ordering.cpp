// Maxmin ordering and ordered neighbours of one set of points: CPU seconds, the serial share, and what two and 16
// threads would need, computed from the CPU time of each chunk (bench/recorded). Memory bandwidth is not part of that.
// Prints a row of csv for each step, the least of several rounds. bench/ordering.sh builds this with two versions of
// the core:
//
//   program SET [n: 1000000] [k: 30] [rounds: 3]

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "geometry/neighbors.h"
#include "geometry/ordering.h"
#include "parallel/parallel_for.h"
#include "random/philox.h"

using namespace neargp;

namespace {

class Uniform {
 public:
  double operator()() { return random_.uniform(drawn_++); }
  double normal() {
    const double radius = std::sqrt(-2.0 * std::log(1.0 - (*this)()));
    return radius * std::cos(2.0 * M_PI * (*this)());
  }

 private:
  Philox random_{1};
  std::uint64_t drawn_ = 0;
};

struct Set {
  int dim;
  std::vector<double> coords;
  Points view() const { return {coords.data(), Index(coords.size()) / dim, dim}; }
};

Set independent(int n, int dim) {
  Uniform uniform;
  Set set{dim, std::vector<double>(std::size_t(n) * dim)};
  for (double& x : set.coords) x = uniform();
  return set;
}

Set sphere(int n) {
  Uniform uniform;
  Set set{3, {}};
  for (int i = 0; i < n; ++i) {
    const double height = 2.0 * uniform() - 1.0, angle = 2.0 * M_PI * uniform();
    const double radius = std::sqrt(1.0 - height * height);
    set.coords.insert(set.coords.end(), {radius * std::cos(angle), radius * std::sin(angle), height});
  }
  return set;
}

// 200 clusters, the c-th with a share of 1 / c, and a tenth of the points anywhere.
Set cities(int n) {
  constexpr int count = 200;
  Uniform uniform;
  std::vector<double> centre(2 * count), cumulated(count);
  double total = 0.0;
  for (double& x : centre) x = uniform();
  for (int c = 0; c < count; ++c) cumulated[c] = total += 1.0 / (c + 1);
  Set set{2, {}};
  for (int i = 0; i < n; ++i) {
    if (uniform() < 0.1) {
      const double x = uniform();
      set.coords.insert(set.coords.end(), {x, uniform()});
      continue;
    }
    const auto c = std::lower_bound(cumulated.begin(), cumulated.end() - 1, total * uniform()) - cumulated.begin();
    const double spread = 0.02 / std::sqrt(c + 1.0) + 0.001, x = centre[2 * c] + spread * uniform.normal();
    set.coords.insert(set.coords.end(), {x, centre[2 * c + 1] + spread * uniform.normal()});
  }
  return set;
}

// A lattice with discs and single points left out.
Set gappy(int n) {
  Uniform uniform;
  struct Disc {
    double x, y, radius;
  };
  std::vector<Disc> discs(60);
  for (Disc& disc : discs) {
    const double x = uniform(), y = uniform(), u = uniform();
    disc = {x, y, 0.02 + 0.08 * u * uniform()};
  }
  const int side = int(std::ceil(std::sqrt(1.7 * n)));
  Set set{2, {}};
  for (int i = 0; i < side && int(set.coords.size()) < 2 * n; ++i)
    for (int j = 0; j < side && int(set.coords.size()) < 2 * n; ++j) {
      const double x = (j + 0.5) / side, y = (i + 0.5) / side;
      bool hidden = uniform() < 0.1;
      for (const Disc& disc : discs) hidden = hidden || std::hypot(x - disc.x, y - disc.y) < disc.radius;
      if (!hidden) set.coords.insert(set.coords.end(), {x, y});
    }
  return set;
}

Set make_set(const std::string& name, int n) {
  if (name == "uniform") return independent(n, 2);
  if (name == "cube") return independent(n, 3);
  if (name == "sphere") return sphere(n);
  if (name == "cities") return cities(n);
  if (name == "gappy") return gappy(n);
  std::fprintf(stderr, "There is no set called '%s'.\n", name.c_str());
  std::exit(1);
}

// Sums differ where any order or table does.
std::uint64_t digest(const int* rows, std::size_t count) {
  std::uint64_t sum = 14695981039346656037u;
  for (std::size_t i = 0; i < count; ++i) sum = (sum ^ std::uint64_t(rows[i])) * 1099511628211u;
  return sum;
}

template <class Work>
void print_step(const char* step, const std::string& set, int rounds, const Work& work) {
  recorded::Spans least = recorded::spans_of(work);
  for (int round = 1; round < rounds; ++round) {
    const recorded::Spans spans = recorded::spans_of(work);
    if (spans.cpu < least.cpu) least = spans;
  }
  std::printf("\"%s\",\"%s\",\"%s\",%.3f,%.3f,%.3f,%.3f", VERSION, step, set.c_str(), least.cpu, least.serial,
              least.two_threads, least.sixteen_threads);
}

}  // namespace

int main(int count, char** given) {
  const std::string name = count > 1 ? given[1] : "uniform";
  const int n = count > 2 ? int(std::atof(given[2])) : 1000000, k = count > 3 ? std::atoi(given[3]) : 30;
  const int rounds = count > 4 ? std::atoi(given[4]) : 3;
  const Set set = make_set(name, n);
  RunContext context;
  context.threads = 16;
  std::vector<int> order;
  print_step("ordering", name, rounds, [&] { order = maxmin_order(set.view(), context); });
  std::printf(",\"%016llx\"\n", static_cast<unsigned long long>(digest(order.data(), order.size())));
  NeighborTable table;
  print_step("neighbours", name, rounds, [&] { table = nearest_before(set.view(), order, k, context); });
  std::printf(",\"%016llx\"\n", static_cast<unsigned long long>(digest(table.index.data(), table.index.size())));
}
