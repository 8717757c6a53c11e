#include "bind_bound.h"

#include "base/error.h"

const char* failure_name(neargp::BoundFailure failure) {
  switch (failure) {
    case neargp::BoundFailure::none: return "";
    case neargp::BoundFailure::prior: return "prior";
    case neargp::BoundFailure::posterior: return "posterior";
    case neargp::BoundFailure::trend: return "trend";
  }
  return "";
}

neargp::BoundKind bound_kind(const std::string& name) {
  if (name == "tight") return neargp::BoundKind::tight;
  if (name == "standard") return neargp::BoundKind::standard;
  throw neargp::Error("There is no such bound: " + name + ".");
}
