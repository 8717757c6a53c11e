#pragma once

#include "variational/collapsed_bound.h"

// Whose matrix is singular, by name; "" where nothing failed.
const char* failure_name(neargp::BoundFailure failure);
