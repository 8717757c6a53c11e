#include "team/covariance.h"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace neargp {

namespace {

// Appends objects to memory that is counted in doubles; returns where they begin.
template <class T>
std::size_t append(std::vector<double>& memory, const T* objects, std::size_t count) {
  const std::size_t offset = memory.size();
  memory.resize(offset + (count * sizeof(T) + sizeof(double) - 1) / sizeof(double));
  if (count > 0) std::memcpy(memory.data() + offset, objects, count * sizeof(T));
  return offset;
}

TeamComponent plain_component(const PreparedComponent& component) {
  TeamComponent plain{};
  plain.family = {component.family, component.shape, nullptr, nullptr};
  plain.variance = component.variance;
  plain.a11 = component.a11;
  plain.a12 = component.a12;
  plain.a22 = component.a22;
  plain.anisotropic = component.anisotropic;
  plain.single_scale = component.single_scale;
  plain.wants_slope = component.wants_slope();
  plain.wants_shape = component.wants_shape();
  plain.variance_parameter = component.variance_parameter;
  plain.shape_parameter = component.shape_parameter;
  plain.rank = component.rank;
  return plain;
}

// A A' of the loadings A.
std::vector<double> loading_products(const PreparedComponent& component, int outputs) {
  std::vector<double> products;
  for (int p = 0; p < outputs; ++p)
    for (int q = 0; q < outputs; ++q) {
      const double* of_p = component.loadings.data() + p * component.rank;
      products.push_back(std::inner_product(of_p, of_p + component.rank, component.loadings.data() + q * component.rank, 0.0));
    }
  return products;
}

// The parameters whose derivatives take a product with the matrix of derivatives, then the first variance.
std::vector<int> wanted_parameters(const PreparedCovariance& covariance) {
  std::vector<int> wanted;
  for (std::size_t c = 0; c < covariance.components.size(); ++c) {
    const PreparedComponent& component = covariance.components[c];
    for (const ScaleDerivative& form : component.scale_derivatives) wanted.push_back(form.parameter);
    if (component.wants_shape()) wanted.push_back(component.shape_parameter);
    if (c > 0) wanted.push_back(component.variance_parameter);
  }
  if (covariance.nugget > 0.0) wanted.push_back(covariance.nugget_parameter());
  wanted.push_back(covariance.components[0].variance_parameter);
  return wanted;
}

}  // namespace

PackedCovariance::PackedCovariance(const PreparedCovariance& covariance) {
  covariance_.dim = covariance.dim;
  covariance_.parameters = covariance.parameters;
  covariance_.components = int(covariance.components.size());
  covariance_.nugget = covariance.nugget;
  covariance_.variance = covariance.variance;
  covariance_.outputs = covariance.outputs();

  std::vector<TeamForm> forms;
  std::vector<int> coordinates;
  for (const PreparedComponent& component : covariance.components) {
    TeamComponent plain = plain_component(component);
    plain.first_form = int(forms.size());
    plain.forms = int(component.scale_derivatives.size());
    for (const ScaleDerivative& form : component.scale_derivatives) {
      forms.push_back({form.parameter, int(coordinates.size()), int(form.coordinates.size()), form.m11, form.m12,
                       form.m22});
      coordinates.insert(coordinates.end(), form.coordinates.begin(), form.coordinates.end());
    }
    components_.push_back(plain);
    range_offset_.push_back(append(memory_, component.inverse_range.data(), component.inverse_range.size()));
    value_offset_.push_back(append(memory_, component.table.value.data(), component.table.value.size()));
    shape_offset_.push_back(append(memory_, component.table.shape.data(), component.table.shape.size()));
    loading_offset_.push_back(append(memory_, component.loadings.data(), component.loadings.size()));
    const std::vector<double> products = loading_products(component, covariance.outputs());
    product_offset_.push_back(append(memory_, products.data(), products.size()));
    tabulated_.push_back({!component.table.value.empty(), !component.table.shape.empty()});
  }
  const std::vector<int> wanted = wanted_parameters(covariance);
  std::vector<int> slot(covariance.parameters, -1);
  for (std::size_t w = 0; w < wanted.size(); ++w) slot[wanted[w]] = int(w);
  covariance_.wanted = int(wanted.size());
  nugget_offset_ = append(memory_, covariance.output_nuggets.data(), covariance.output_nuggets.size());
  component_offset_ = append(memory_, components_.data(), components_.size());
  form_offset_ = append(memory_, forms.data(), forms.size());
  coordinate_offset_ = append(memory_, coordinates.data(), coordinates.size());
  wanted_offset_ = append(memory_, wanted.data(), wanted.size());
  slot_offset_ = append(memory_, slot.data(), slot.size());
}

const std::vector<double>& PackedCovariance::memory_for(const double* base) {
  for (std::size_t c = 0; c < components_.size(); ++c) {
    components_[c].inverse_range = base + range_offset_[c];
    components_[c].loadings = base + loading_offset_[c];
    components_[c].products = base + product_offset_[c];
    components_[c].family.value_table = tabulated_[c].value ? base + value_offset_[c] : nullptr;
    components_[c].family.shape_table = tabulated_[c].shape ? base + shape_offset_[c] : nullptr;
  }
  std::memcpy(memory_.data() + component_offset_, components_.data(), components_.size() * sizeof(TeamComponent));
  return memory_;
}

TeamCovariance PackedCovariance::at(const double* base) const {
  TeamCovariance covariance = covariance_;
  covariance.output_nuggets = base + nugget_offset_;
  covariance.component = reinterpret_cast<const TeamComponent*>(base + component_offset_);
  covariance.form = reinterpret_cast<const TeamForm*>(base + form_offset_);
  covariance.coordinates = reinterpret_cast<const int*>(base + coordinate_offset_);
  covariance.wanted_parameter = reinterpret_cast<const int*>(base + wanted_offset_);
  covariance.slot = reinterpret_cast<const int*>(base + slot_offset_);
  return covariance;
}

}  // namespace neargp
