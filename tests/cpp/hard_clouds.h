// Points on which orders and searches go wrong first: ties, repeats, gaps, lines, and distances of many magnitudes.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "geometry_fixtures.h"

namespace fixtures {

// Coordinates of row i of n, from a random number for each coordinate, and at least three.
using HardRow = std::function<void(int i, int n, const double* u, double* x)>;

struct HardKind {
  std::string name;
  HardRow row;
};

inline std::vector<HardKind> hard_kinds(int dim) {
  const auto on_lattice = [dim](int place, int n, double* x) {
    int side = 1;
    while (std::pow(side, dim) < n) ++side;
    for (int c = 0; c < dim; ++c, place /= side) x[c] = place % side;
  };
  const auto scaled = [dim](double scale, double offset) {
    return [=](int, int, const double* u, double* x) {
      for (int c = 0; c < dim; ++c) x[c] = scale * u[c] + offset;
    };
  };
  return {{"uniform", scaled(1.0, 0.0)},
          {"tiny", scaled(1e-150, 0.0)},
          {"huge", scaled(1e140, 0.0)},
          {"offset", scaled(1.0, 1e8)},
          {"all at one location", scaled(0.0, 0.25)},
          {"lattice", [=](int i, int n, const double*, double* x) { on_lattice(i, n, x); }},
          {"lattice with gaps", [=](int, int n, const double* u, double* x) { on_lattice(int(u[0] * n), n, x); }},
          {"two locations", [=](int i, int, const double*, double* x) { std::fill_n(x, dim, i % 3 == 0 ? 0.0 : 1.0); }},
          {"line",
           [=](int, int, const double* u, double* x) {
             std::fill_n(x, dim, 0.5);
             x[0] = u[0];
           }},
          {"equal steps on a line",
           [=](int i, int, const double*, double* x) {
             std::fill_n(x, dim, 0.0);
             x[0] = i;
           }},
          {"diagonal", [=](int, int, const double* u, double* x) { std::fill_n(x, dim, u[0]); }},
          {"rounded",
           [=](int, int, const double* u, double* x) {
             for (int c = 0; c < dim; ++c) x[c] = std::floor(u[c] * 50) / 50;
           }},
          {"flat",
           [=](int, int, const double* u, double* x) {
             for (int c = 0; c < dim; ++c) x[c] = u[c] * std::pow(1e-4, c);
           }},
          {"far clusters",
           [=](int i, int, const double* u, double* x) {
             for (int c = 0; c < dim; ++c) x[c] = 1e-6 * u[c];
             x[0] += 1e6 * (i % 5);
           }},
          {"cluster in cluster", [=](int, int, const double* u, double* x) {
             for (int c = 0; c < dim; ++c) x[c] = std::exp(-30.0 * u[0]) * std::cos(6.0 * u[1] + c);
           }}};
}

// Every third row repeats the one before it where `repeats`.
inline Cloud hard_cloud(const HardKind& kind, int n, int dim, bool repeats = false) {
  const neargp::Philox random(std::uint64_t(n) + 100);
  Cloud cloud{std::vector<double>(std::size_t(n) * dim), dim};
  std::vector<double> u(std::size_t(std::max(dim, 3)));
  for (int i = 0; i < n; ++i) {
    for (std::size_t c = 0; c < u.size(); ++c) u[c] = random.uniform(std::uint64_t(i) * u.size() + c);
    double* x = cloud.coords.data() + std::size_t(i) * dim;
    kind.row(i, n, u.data(), x);
    if (repeats && i % 3 == 2) std::copy_n(x - dim, dim, x);
  }
  return cloud;
}

}  // namespace fixtures
