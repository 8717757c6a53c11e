#include "conditional/gpu/covariance.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "base/error.h"

namespace neargp {

namespace {

template <class Real>
TeamComponent<Real> plain_component(const PreparedComponent& component) {
  TeamComponent<Real> plain{};
  plain.family = {component.family, Real(component.shape), nullptr, nullptr};
  plain.variance = Real(component.variance);
  plain.a11 = Real(component.a11);
  plain.a12 = Real(component.a12);
  plain.a22 = Real(component.a22);
  plain.a13 = Real(component.a13);
  plain.a23 = Real(component.a23);
  plain.a33 = Real(component.a33);
  plain.turned = component.turned;
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
      products.push_back(
          std::inner_product(of_p, of_p + component.rank, component.loadings.data() + q * component.rank, 0.0));
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

template <class Real>
template <class T>
std::size_t PackedCovariance<Real>::append(const std::vector<T>& objects) {
  const std::size_t offset = memory_.size(), bytes = objects.size() * sizeof(T);
  memory_.resize(offset + (bytes + 7) / 8 * 8);
  if (bytes > 0) std::memcpy(memory_.data() + offset, objects.data(), bytes);
  return offset;
}

template <class Real>
std::size_t PackedCovariance<Real>::append_numbers(const std::vector<double>& numbers) {
  return append(std::vector<Real>(numbers.begin(), numbers.end()));
}

template <class Real>
PackedCovariance<Real>::PackedCovariance(const PreparedCovariance& covariance) {
  if (covariance.is_local()) throw Error("Local standard deviations and ranges are computed on the CPU only.");
  if (covariance.is_areal()) throw Error("Areas are computed on the CPU only.");
  if (covariance.is_space_time()) throw Error("Covariances of space and time apart are computed on the CPU only.");
  covariance_.dim = covariance.dim;
  covariance_.parameters = covariance.parameters;
  covariance_.components = int(covariance.components.size());
  covariance_.nugget = Real(covariance.nugget);
  covariance_.variance = Real(covariance.variance);
  covariance_.outputs = covariance.outputs();

  std::vector<TeamForm<Real>> forms;
  std::vector<int> coordinates;
  for (const PreparedComponent& component : covariance.components) {
    TeamComponent<Real> plain = plain_component<Real>(component);
    plain.first_form = int(forms.size());
    plain.forms = int(component.scale_derivatives.size());
    for (const ScaleDerivative& form : component.scale_derivatives) {
      forms.push_back({form.parameter, int(coordinates.size()), int(form.coordinates.size()), form.block,
                       Real(form.m11), Real(form.m12), Real(form.m22), Real(form.m13), Real(form.m23), Real(form.m33)});
      coordinates.insert(coordinates.end(), form.coordinates.begin(), form.coordinates.end());
    }
    components_.push_back(plain);
    range_offset_.push_back(append_numbers(component.inverse_range));
    value_offset_.push_back(append_numbers(component.table.value));
    shape_offset_.push_back(append_numbers(component.table.shape));
    loading_offset_.push_back(append_numbers(component.loadings));
    product_offset_.push_back(append_numbers(loading_products(component, covariance.outputs())));
    tabulated_.push_back({!component.table.value.empty(), !component.table.shape.empty()});
  }
  const std::vector<int> wanted = wanted_parameters(covariance);
  std::vector<int> slot(covariance.parameters, -1);
  for (std::size_t w = 0; w < wanted.size(); ++w) slot[wanted[w]] = int(w);
  covariance_.wanted = int(wanted.size());
  nugget_offset_ = append_numbers(covariance.output_nuggets);
  component_offset_ = append(components_);
  form_offset_ = append(forms);
  coordinate_offset_ = append(coordinates);
  wanted_offset_ = append(wanted);
  slot_offset_ = append(slot);
}

template <class Real>
const unsigned char* PackedCovariance<Real>::memory_for(const unsigned char* base) {
  const auto numbers = [&](std::size_t offset) { return reinterpret_cast<const Real*>(base + offset); };
  for (std::size_t c = 0; c < components_.size(); ++c) {
    components_[c].inverse_range = numbers(range_offset_[c]);
    components_[c].loadings = numbers(loading_offset_[c]);
    components_[c].products = numbers(product_offset_[c]);
    components_[c].family.value_table = tabulated_[c].value ? numbers(value_offset_[c]) : nullptr;
    components_[c].family.shape_table = tabulated_[c].shape ? numbers(shape_offset_[c]) : nullptr;
  }
  std::memcpy(memory_.data() + component_offset_, components_.data(), components_.size() * sizeof(TeamComponent<Real>));
  return memory_.data();
}

template <class Real>
TeamCovariance<Real> PackedCovariance<Real>::at(const unsigned char* base) const {
  TeamCovariance<Real> covariance = covariance_;
  covariance.output_nuggets = reinterpret_cast<const Real*>(base + nugget_offset_);
  covariance.component = reinterpret_cast<const TeamComponent<Real>*>(base + component_offset_);
  covariance.form = reinterpret_cast<const TeamForm<Real>*>(base + form_offset_);
  covariance.coordinates = reinterpret_cast<const int*>(base + coordinate_offset_);
  covariance.wanted_parameter = reinterpret_cast<const int*>(base + wanted_offset_);
  covariance.slot = reinterpret_cast<const int*>(base + slot_offset_);
  return covariance;
}

template class PackedCovariance<double>;
template class PackedCovariance<float>;

}  // namespace neargp
