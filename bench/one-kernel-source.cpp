// How much would the CPU lose if one source served it and GPUs? The task of conditional/gpu/conditional_gradient.h is
// written statement by statement, on packs in place of numbers, with a team of one and the CPU's triangle. It is
// compared with the CPU's own kernel, in three forms. "gpu" takes the pairs of rows in a GPU's order, round the circle
// (conditional/gpu/pairs.h). "rows" takes the order as a policy, row by row. "rows and contraction" also takes the sums
// over pairs as a policy (conditional/gpu/contract.h).
//
// Compiled by bench/one-kernel-source.sh. Without an argument it measures times. With the name of a form, it runs this
// form once on few targets, for callgrind. With "nothing" it runs only what is around the forms.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <string>
#include <vector>

#include "base/arena.h"
#include "conditional/cpu/conditional_gradient.h"
#include "conditional/data.h"
#include "conditional/gpu/covariance.h"
#include "conditional/gpu/pairs.h"
#include "conditional/gpu/team.h"
#include "geometry/neighbors.h"
#include "random/philox.h"

using namespace neargp;

namespace {

constexpr int lanes = NEARGP_LANES;
using V = Pack<lanes>::Real;

// ---- orders of pairs: action(i, j, place) for all i > j ----

struct Circle {
  template <class Action>
  static void for_each(int rows, const Action& action) {
    for_each_pair(SerialTeam(), rows, action);
  }
};

struct Rows {
  template <class Action>
  static void for_each(int rows, const Action& action) {
    for (int i = 1, place = 0; i < rows; ++i)
      for (int j = 0; j < i; ++j, ++place) action(i, j, place);
  }
};

// ---- conditional/gpu/tile.h, contract.h and conditional_gradient.h on packs ----

template <class Order, bool one_pass>
class TeamGradientOnPacks {
 public:
  TeamGradientOnPacks(const LocalView& view, const TeamCovariance<>& covariance, Arena& arena)
      : view_(view), covariance_(covariance), rows_(view.k + 1) {
    factor_ = {arena.take<V>(triangle_size(rows_)), arena.take<V>(rows_), rows_};
    mask_ = arena.take<V>(rows_);
    noise_ = arena.take<V>(rows_);
    coords_ = arena.take<V>(std::size_t(rows_) * view.dim);
    slope_ = arena.take<V>(pair_count(rows_));
    vectors_ = arena.take<V>(3 * std::size_t(rows_));
    sums_ = arena.take<V>(1 + covariance.parameters);
  }

  Index run(Index first, Index last, double* out) {
    for (int s = 0; s <= covariance_.parameters; ++s) sums_[s] = V{};
    Index failed = -1;
    for (Index target = first; target < last; target += lanes) {
      V weight;
      for (int lane = 0; lane < lanes; ++lane) set_lane(weight, lane, target + lane < last ? 1.0 : 0.0);
      const bool good = add(target, last, weight);
      if (!good && failed < 0) failed = target;
    }
    for (int s = 0; s <= covariance_.parameters; ++s) out[s] += sum_lanes(sums_[s]);
    return failed;
  }

 private:
  bool add(Index first, Index last, V weight) {
    const int k = view_.k;
    V* z = vectors_;
    V* u = vectors_ + rows_;
    V* t = u + rows_;
    const bool good = load(first, last, z);
    const V root_f = factor_.row(k)[k];
    const V f = root_f * root_f;
    const V residual = z[k] * root_f;
    V ebar, fbar;
    const V value = normal_log_density(residual, f, ebar, fbar);
    for (int i = 0; i < rows_; ++i) u[i] = i == k ? root_f : V{};
    z[k] = V{};
    factor_.solve_backward(u, rows_);
    factor_.solve_backward(z, rows_);
    for (int i = 0; i <= k; ++i) t[i] = fbar * u[i] - ebar * z[i];
    sums_[0] += weight * value;
    contract([&](int i, int j) { return t[i] * u[j] + t[j] * u[i]; }, [&](int i) { return t[i] * u[i]; }, fbar * f,
             weight, sums_ + 1);
    return good;
  }

  // z = L^-1 of the values.
  bool load(Index first, Index last, V* z) {
    bool absent = false;
    for (int row = 0; row < rows_; ++row)
      for (int lane = 0; lane < lanes; ++lane) absent |= !load_row(std::min(first + lane, last - 1), row, lane, z);
    assemble();
    if (absent) clear_absent();
    for (int i = 0; i < rows_; ++i) {
      const V entry = covariance_.variance + covariance_.nugget * noise_[i];
      factor_.row(i)[i] = mask_[i] > 0.5 ? entry : mask_[i] + 1.0;
    }
    Pack<lanes>::Bits failed = {};
    factor_.factorise(rows_, 1e-14, failed);
    factor_.solve_forward(&z, 1, rows_);
    bool good = true;
    for (int lane = 0; lane < lanes; ++lane) good &= !failed[lane];
    return good;
  }

  bool load_row(Index target, int row, int lane, V* z) {
    const bool own = row == view_.k;
    const int datum = own ? 0 : view_.neighbors[target * view_.k + row];
    const bool present = datum >= 0;
    const double* origin = view_.target_coords + target * view_.dim;
    const double* point = !own && present ? view_.coords + Index(datum) * view_.dim : origin;
    const TeamComponent<double>& component = covariance_.component[0];
    for (int d = 0; d < view_.dim; ++d)
      set_lane(coords_[d * rows_ + row], lane, (point[d] - origin[d]) * component.inverse_range[d]);
    set_lane(mask_[row], lane, present ? 1.0 : 0.0);
    set_lane(noise_[row], lane, !present ? 0.0 : own ? view_.target_noise_scale[target] : view_.noise_scale[datum]);
    const double* values = own ? view_.target_values + target : view_.values + datum;
    set_lane(z[row], lane, present ? *values : 0.0);
    return present;
  }

  void assemble() {
    const TeamComponent<double>& component = covariance_.component[0];
    component.with_correlation([&](const auto& correlation) {
      Order::for_each(rows_, [&](int i, int j, int place) {
        const auto square = [&](int d) {
          const V difference = coords_[d * rows_ + i] - coords_[d * rows_ + j];
          return difference * difference;
        };
        V r2 = square(0) + square(1);
        for (int d = 2; d < view_.dim; ++d) r2 += square(d);
        V value, in_length, in_shape;
        covariance_entry<true, false>(correlation, component, r2, value, in_length, in_shape);
        factor_.row(i)[j] = value;
        slope_[place] = in_length;
      });
    });
  }

  void clear_absent() {
    Order::for_each(rows_, [&](int i, int j, int place) {
      factor_.row(i)[j] *= mask_[i] * mask_[j];
      slope_[place] *= mask_[i] * mask_[j];
    });
  }

  template <class Weight, class Diagonal>
  void contract(const Weight& weight, const Diagonal& diagonal, V total, V factor, V* gradient) {
    if constexpr (one_pass)
      contract_scales_in_one_pass(weight, factor, gradient);
    else
      contract_scales_by_coordinate(weight, factor, gradient);
    V noise = V{};
    for (int i = 0; i < rows_; ++i) noise += diagonal(i) * noise_[i];
    noise *= covariance_.nugget;
    gradient[covariance_.component[0].variance_parameter] += factor * (total - noise);
    gradient[covariance_.nugget_parameter()] += factor * noise;
  }

  // As on a GPU, the pairs take one pass for up to four parameters. Branches are inside, which cost a GPU nothing.
  template <class Weight>
  void contract_scales_in_one_pass(const Weight& weight, V factor, V* gradient) {
    constexpr int together = 4;
    const TeamComponent<double>& component = covariance_.component[0];
    for (int first = 0; first < component.forms; first += together) {
      const TeamForm<double>* form = covariance_.form + component.first_form + first;
      const int count = std::min(together, component.forms - first);
      V sum[together] = {};
      Order::for_each(rows_, [&](int i, int j, int place) {
        const V entry = weight(i, j) * slope_[place];
        for (int f = 0; f < together; ++f)
          if (f < count) sum[f] += component.single_scale ? entry : entry * form_of(form[f], i, j);
      });
      for (int f = 0; f < count; ++f) gradient[form[f].parameter] += factor * sum[f];
    }
  }

  V form_of(const TeamForm<double>& form, int i, int j) const {
    V sum = V{};
    for (int d = 0; d < form.count; ++d) {
      const V* x = coords_ + covariance_.coordinates[form.first + d] * rows_;
      sum += (x[i] - x[j]) * (x[i] - x[j]);
    }
    return -2.0 * sum;
  }

  // Branches outside, and passes for each coordinate.
  template <class Weight>
  void contract_scales_by_coordinate(const Weight& weight, V factor, V* gradient) {
    const TeamComponent<double>& component = covariance_.component[0];
    for (int f = 0; f < component.forms; ++f) {
      const TeamForm<double>& form = covariance_.form[component.first_form + f];
      V sum = V{};
      if (component.single_scale)
        Order::for_each(rows_, [&](int i, int j, int place) { sum += weight(i, j) * slope_[place]; });
      else
        for (int d = 0; d < form.count; ++d) {
          const V* x = coords_ + covariance_.coordinates[form.first + d] * rows_;
          Order::for_each(rows_, [&](int i, int j, int place) {
            sum += weight(i, j) * slope_[place] * ((x[i] - x[j]) * (x[i] - x[j]) * -2.0);
          });
        }
      gradient[form.parameter] += factor * sum;
    }
  }

  const LocalView& view_;
  const TeamCovariance<>& covariance_;
  int rows_;
  Triangle<lanes> factor_;
  V *mask_, *noise_, *coords_, *slope_, *vectors_, *sums_;
};

// ---- runs ----

constexpr int k = 30;

struct Data {
  std::vector<double> coords, values, noise;
  NeighborTable neighbors;

  explicit Data(Index n) : coords(2 * n), values(n), noise(n, 1.0) {
    const Philox random(1);
    for (Index i = 0; i < 2 * n; ++i) coords[i] = random.uniform(i);
    for (Index i = 0; i < n; ++i) values[i] = random.uniform(2 * n + i) - 0.5;
    neighbors = nearest_others({coords.data(), n, 2}, k, RunContext());
  }

  LocalView view() const {
    const Points points{coords.data(), neighbors.n, 2};
    LocalTargets targets(points, neighbors);
    targets.noise_scale = noise.data();
    targets.values = values.data();
    return view_of({points, 1, values.data(), noise.data()}, targets);
  }
};

// In chunks as on the CPU; make(arena) makes the kernel.
template <class Make>
std::vector<double> run(Index targets, int parameters, const Make& make) {
  Arena counted(nullptr);
  make(counted);
  AlignedBuffer scratch(counted.used());
  std::vector<double> sums(1 + parameters, 0.0);
  for (Index first = 0; first < targets; first += 256) {
    Arena arena(scratch.data());
    make(arena).run(first, std::min<Index>(first + 256, targets), sums.data());
  }
  return sums;
}

double seconds() {
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return double(now.tv_sec) + 1e-9 * double(now.tv_nsec);
}

template <class Order, bool one_pass>
struct Form {
  using Kernel = TeamGradientOnPacks<Order, one_pass>;
};

std::vector<double> run_form(const char* form, const LocalView& view, const PreparedCovariance& prepared,
                             const TeamCovariance<>& covariance) {
  const ConditionalGradient operation;
  if (!std::strcmp(form, "cpu"))
    return run(view.targets, prepared.parameters,
               [&](Arena& arena) { return CpuKernel<ConditionalGradient, lanes>(view, prepared, operation, arena); });
  const auto run_team = [&](auto kernel) {
    return run(view.targets, prepared.parameters,
               [&](Arena& arena) { return typename decltype(kernel)::Kernel(view, covariance, arena); });
  };
  if (!std::strcmp(form, "gpu")) return run_team(Form<Circle, true>());
  if (!std::strcmp(form, "rows")) return run_team(Form<Rows, true>());
  return run_team(Form<Rows, false>());
}

constexpr const char* forms[] = {"cpu", "gpu", "rows", "rows and contraction"};
constexpr int form_count = 4;

Covariance matern(double smoothness, bool ard) {
  Component component;
  component.family = Family::matern;
  component.shape = smoothness;
  component.variance = 1.3;
  component.range = ard ? std::vector<double>{0.3, 0.2} : std::vector<double>{0.3};
  component.group = ard ? std::vector<int>{0, 1} : std::vector<int>{0, 0};
  Covariance covariance;
  covariance.components = {component};
  covariance.nugget = 0.1;
  covariance.active.assign(covariance.parameters(), true);
  covariance.active[covariance.parameters() - 2] = false;  // the smoothness
  return covariance;
}

// Times of all forms in turn, and by how much their sums differ from the CPU's.
void compare(const char* name, const Covariance& covariance, const LocalView& view, const PreparedCovariance& prepared,
             const TeamCovariance<>& team) {
  double least[form_count];
  std::fill(least, least + form_count, 1e9);
  std::vector<double> sums[form_count];
  for (int repeat = 0; repeat < 15; ++repeat)
    for (int f = 0; f < form_count; ++f) {
      const double start = seconds();
      sums[f] = run_form(forms[f], view, prepared, team);
      least[f] = std::min(least[f], seconds() - start);
    }
  for (int f = 0; f < form_count; ++f) {
    double difference = 0.0;
    for (std::size_t s = 0; s < sums[f].size(); ++s)
      if (s == 0 || covariance.is_active(int(s) - 1))
        difference = std::max(difference, std::abs(sums[f][s] / sums[0][s] - 1.0));
    std::printf("%s,%s,%.4f,%.3f,%.0e\n", name, forms[f], least[f], least[f] / least[0], difference);
  }
}

}  // namespace

int main(int count, char** arguments) {
  const bool measured = count == 1;
  const Data data(measured ? 20000 : 2000);
  const LocalView view = data.view();
  if (measured) std::printf("covariance,form,cpu_seconds,ratio,largest_difference\n");
  for (const double smoothness : {0.5, 1.5})
    for (const bool ard : {false, true}) {
      const Covariance covariance = matern(smoothness, ard);
      const PreparedCovariance prepared = prepare(covariance, 2, true);
      PackedCovariance<double> packed(prepared);
      const TeamCovariance<> team = packed.at(packed.memory_for(packed.memory()));
      const std::string name = std::string(smoothness < 1.0 ? "exponential" : "Matern 3/2") + (ard ? ", ARD" : "");
      if (measured)
        compare(name.c_str(), covariance, view, prepared, team);
      else if (std::strcmp(arguments[1], "nothing"))
        run_form(arguments[1], view, prepared, team);
    }
}
