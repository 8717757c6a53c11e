#pragma once

#include <string>

#include "variational/collapsed_bound.h"

// Whose matrix is singular, by name; "" where nothing failed.
const char* failure_name(neargp::BoundFailure failure);

neargp::BoundKind bound_kind(const std::string& name);
