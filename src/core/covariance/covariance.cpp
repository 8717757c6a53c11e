#include "covariance/covariance.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"

namespace neargp {

namespace {

struct FamilyEntry {
  Family family;
  const char* name;
  ShapeDomain domain;
};

using Number = double;
constexpr FamilyEntry families[] = {{Family::matern, "matern", Matern::domain},
#define NEARGP_FAMILY_ENTRY(name, Formula, initializer) {Family::name, #name, Formula::domain},
                                    NEARGP_FORMULA_FAMILIES(NEARGP_FAMILY_ENTRY)
#undef NEARGP_FAMILY_ENTRY
};

// In the order of Family.
const ShapeDomain& domain_of(Family family) { return families[int(family)].domain; }

}  // namespace

Family family_from_name(const std::string& name) {
  for (const FamilyEntry& entry : families)
    if (name == entry.name) return entry.family;
  throw Error("There is no covariance family called '" + name + "'.");
}

double greatest_beta(int space) { return space > 2 ? 2.0 / space : 1.0; }

bool family_has_shape(Family family) { return domain_of(family).message != nullptr; }

namespace {

void require(bool condition, const char* message) {
  if (!condition) throw Error(message);
}

bool positive(double x) { return std::isfinite(x) && x > 0.0; }

// With coordinates of at most 1e30 (conditional/problem.h) scaled distances stay below 1e61, where no power of
// them that the families form overflows or outgrows exp(-708), the least value of simd_exp().
bool usable_range(double x) { return x >= 1e-30 && x <= 1e30; }

void check_local_column(int column, int places, int dim) {
  require(column >= places && column < dim, "A local field refers to a column that the locations do not have.");
}

void check_local_field(const LocalField& field, int places, int dim) {
  require(field.coefficients.size() == field.columns.size(),
          "A local field must have one coefficient for each of its columns.");
  for (const int column : field.columns) check_local_column(column, places, dim);
  for (const double coefficient : field.coefficients)
    require(std::isfinite(coefficient), "The coefficients of local fields must be finite.");
}

// Anisotropy mixes the first two or three coordinates, which can therefore not be replaced where there is one.
void check_warps(const Component& component, int places, int dim) {
  int further = places;
  for (const WarpedCoordinate& warp : component.warps) {
    check_local_field(warp.field, places, dim);
    require(warp.field.size() > 0, "A warped coordinate needs columns.");
    if (warp.coordinate >= places) {
      require(warp.coordinate == further++ && further <= dim,
              "Further coordinates must be numbered after those of places.");
    } else {
      require(warp.coordinate >= component.turned(), "The coordinates of an anisotropy cannot be replaced.");
    }
  }
}

bool share(double x) { return x >= 0.0 && x <= 1.0; }

// Time must be the only coordinate of its range.
void check_space_time(const Component& component, int places) {
  if (!component.is_space_time()) return;
  const int time_group = component.group.back();
  require(places >= 2 && int(component.range.size()) == time_group + 1 &&
              std::count(component.group.begin(), component.group.end(), time_group) == 1,
          "A covariance of space and time needs a last coordinate, time, with a range of its own.");
  int space = places - 1;
  for (const WarpedCoordinate& warp : component.warps) {
    require(warp.coordinate != places - 1, "The time of a covariance of space and time cannot be warped.");
    if (warp.coordinate >= places) ++space;
  }
  require(component.turned() < places, "Geometric anisotropy needs two coordinates of space, or three.");
  const SpaceTime& of_time = component.space_time;
  const ShapeDomain& domain = domain_of(of_time.time_family);
  if (of_time.has_time_shape())
    require(of_time.time_shape >= domain.lower && of_time.time_shape <= domain.upper, domain.message);
  if (of_time.is_gneiting()) {
    require(of_time.alpha > 0.0 && of_time.alpha <= 1.0, "The alpha of a Gneiting covariance must lie in (0, 1].");
    // The largest beta may come back from the working scale a rounding above itself.
    require(of_time.beta == 0.0 || component.log_range.size() == 0,
            "A Gneiting covariance with a beta above 0 cannot have ranges that change from place to place.");
    require(of_time.beta >= 0.0 && of_time.beta <= greatest_beta(space) * (1.0 + 1e-12),
            "The beta of a Gneiting covariance must lie between 0 and 1, and 2 / d in d coordinates of space.");
  }
  require(share(of_time.product) && share(of_time.space), "Shares of a product-sum must lie between 0 and 1.");
}

void check_anisotropy(const Component& component, int places) {
  const std::size_t axes = component.anisotropy.size();
  require(axes == 0 || axes == 2 || axes == 5, "An anisotropy takes two numbers, or five in three coordinates.");
  const int turned = component.turned();
  require(turned <= places && std::count(component.group.begin(), component.group.begin() + turned, 0) == turned,
          turned == 3 ? "Geometric anisotropy needs three coordinates that share the first range."
                      : "Geometric anisotropy needs two coordinates that share the first range.");
  for (const double axis : component.anisotropy)
    require(std::abs(axis) <= 10.0, "The anisotropy of a covariance must lie between -10 and 10.");
}

// `dim`: the number of columns of the points. The first `places` of them are coordinates of locations.
void check_component(const Component& component, int places, int dim) {
  require(positive(component.variance), "The variance of a covariance must be positive and finite.");
  require(int(component.group.size()) == places, "A covariance must say for each coordinate which range divides it.");
  check_local_field(component.log_sd, places, dim);
  check_local_field(component.log_range, places, dim);
  if (component.by >= 0) check_local_column(component.by, places, dim);
  check_warps(component, places, dim);
  for (const double range : component.range)
    require(usable_range(range), "The range of a covariance must lie between 1e-30 and 1e30.");
  for (const int group : component.group)
    require(group >= -1 && group < std::max(int(component.range.size()), 1),
            "A coordinate refers to a range that the covariance does not have.");
  check_anisotropy(component, places);
  const ShapeDomain& domain = domain_of(component.family);
  if (component.has_shape())
    require(component.shape >= domain.lower && component.shape <= domain.upper, domain.message);
  check_space_time(component, places);
}

void check_loadings(const Component& component, int outputs) {
  const int size = int(component.loadings.size());
  require(outputs == 0 ? size == 0 : size > 0 && size % outputs == 0,
          "A component must have as many rows of loadings as there are outputs with a nugget.");
  for (const double loading : component.loadings) require(std::isfinite(loading), "Loadings must be finite.");
}

void check_areal(const Covariance& covariance, int places, int dim, bool is_local) {
  require(!is_local && covariance.outputs() == 0,
          "Areas have one output, and no local standard deviations and ranges.");
  for (const Component& component : covariance.components)
    require(!component.is_space_time(), "Areas have covariances of one distance only, not of space and time apart.");
  require(places > 0 && dim > places && (dim - places) % (places + 1) == 0,
          "Areas need, after the columns of a place, those of points, each followed by its weight.");
}

}  // namespace

void check_covariance(const Covariance& covariance, int dim) {
  require(!covariance.components.empty(), "A covariance needs at least one component.");
  require(int(covariance.components.size()) <= max_components, "A covariance can have at most 8 components.");
  require(std::isfinite(covariance.nugget) && covariance.nugget >= 0.0,
          "The nugget must be zero or positive, and finite.");
  const int own_parameters = covariance.parameters() - covariance.noise_parameters;
  require(covariance.active.empty() || int(covariance.active.size()) == own_parameters,
          "`active` must have one element per covariance parameter.");
  const int places = int(covariance.components[0].group.size());
  const bool is_local = std::any_of(covariance.components.begin(), covariance.components.end(),
                                    [](const Component& component) { return component.is_local(); });
  if (covariance.areal) {
    check_areal(covariance, places, dim, is_local);
  } else {
    require(is_local ? places > 0 && places < dim : places == dim,
            "A covariance must say for each coordinate which range divides it.");
  }
  for (const Component& component : covariance.components) {
    check_component(component, places, dim);
    check_loadings(component, covariance.outputs());
  }
  for (const double nugget : covariance.output_nuggets)
    require(std::isfinite(nugget) && nugget >= 0.0, "The nuggets of all outputs must be zero or positive, and finite.");
}

std::vector<double> active_part(std::vector<double> gradient, const Covariance& covariance) {
  for (int a = 0; a < covariance.parameters(); ++a)
    if (!covariance.is_active(a)) gradient[a] = 0.0;
  return gradient;
}

}  // namespace neargp
