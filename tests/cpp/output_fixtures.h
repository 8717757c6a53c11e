// Data and covariance models of several responses.
#pragma once

#include <utility>

#include "core_fixtures.h"

namespace fixtures {

// Each row contains one of three responses. The third response is rare.
struct OutputData {
  Data data;
  std::vector<int> outputs;

  OutputData(int n, int dim, int columns) : data(uniform_cloud(n, dim), columns) {
    for (int i = 0; i < n; ++i) outputs.push_back(i % 7 == 3 ? 2 : i % 2);
  }
  neargp::LocalData view() const {
    neargp::LocalData view = data.view();
    view.outputs = outputs.data();
    return view;
  }
};

// Three responses at n locations, with a noise scale for each location. Response p at location i is known where
// known(i, p).
struct OutputPlaces {
  Cloud places;
  std::vector<double> noise_scale;
  Data rows;  // a row for each place and output that is known
  std::vector<int> outputs, place_of_row;

  template <class Known>
  OutputPlaces(int n, int dim, int columns, const Known& known)
      : places(uniform_cloud(n, dim)), rows({{}, dim}, columns) {
    const neargp::Philox random(12);
    for (int i = 0; i < n; ++i) noise_scale.push_back(0.5 + 1.5 * random.uniform(std::uint64_t(i)));
    Cloud repeated{{}, dim};
    for (int p = 0; p < 3; ++p)
      for (int i = 0; i < n; ++i)
        if (known(i, p)) {
          outputs.push_back(p);
          place_of_row.push_back(i);
          repeated.coords.insert(repeated.coords.end(), places.view()[i], places.view()[i] + dim);
        }
    rows = Data(repeated, columns);
    for (std::size_t r = 0; r < outputs.size(); ++r) rows.noise_scale[r] = noise_scale[std::size_t(place_of_row[r])];
  }
  neargp::LocalData view() const {
    neargp::LocalData view = rows.view();
    view.outputs = outputs.data();
    return view;
  }
};

inline neargp::Component with_loadings(neargp::Component component, std::vector<double> loadings) {
  component.variance = 1.0;
  component.loadings = std::move(loadings);
  return component;
}

// Ranks one to three, signs, zeros, every kind of length and shape parameter.
inline std::vector<Model> models_of_outputs() {
  using neargp::Family;
  const std::vector<double> rank_one = {1.1, -0.7, 0.4};
  const std::vector<double> full = {0.9, 0.0, 0.0, 0.5, 0.6, 0.0, -0.3, 0.2, 0.8};
  const std::vector<double> rank_two = {0.8, 0.1, 0.3, -0.9, 0.0, 0.5};
  const auto coregionalised = [](std::string name, std::vector<neargp::Component> components) {
    Model result{std::move(name), int(components[0].group.size()), {}};
    result.covariance.components = std::move(components);
    result.covariance.output_nuggets = {0.2, 0.05, 0.4};
    return result;
  };
  return {
      coregionalised("one factor", {with_loadings(component(Family::exponential, 1, {0.4}, {0, 0}), rank_one)}),
      coregionalised("full rank", {with_loadings(component(Family::matern, 1, {0.3}, {0, 0}, 1.5), full)}),
      coregionalised("smoothness", {with_loadings(component(Family::matern, 1, {0.3}, {0, 0}, 1.2), rank_two)}),
      coregionalised("a range for each coordinate, and a second structure",
                     {with_loadings(component(Family::gaussian, 1, {0.3, 0.6, 0.9}, {0, 1, 2}), full),
                      with_loadings(component(Family::cauchy, 1, {0.8}, {0, 0, 0}, 0.7), rank_one)}),
      coregionalised("anisotropy, and two structures",
                     {with_loadings(anisotropic(component(Family::exponential, 1, {0.5}, {0, 0}), 0.3, -0.2), rank_two),
                      with_loadings(component(Family::matern, 1, {0.2}, {0, 0}, 2.5), full)}),
  };
}

}  // namespace fixtures
