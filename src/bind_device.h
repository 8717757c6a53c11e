#pragma once

#include "base/run_context.h"

// Puts into `context` the device and the search of neighbours that R has set for the time of a call: on_device() in
// R/device.R. Throws an Error where the device can no longer be used.
void add_execution_context(neargp::RunContext& context);
