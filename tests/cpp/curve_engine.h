// A context whose engine computes along a curve on the emulated device, however few the points are.
#pragma once

#include "emulated_device.h"

namespace fixtures {

inline neargp::RunContext along_curve() {
  static const neargp::CurveEngine curve = [] {
    neargp::CurveEngine curve = *emulated::DeviceSearch::engine("emulated").curve;
    curve.pays = [](neargp::Index, int, int, const neargp::RunContext&) { return true; };
    return curve;
  }();
  static neargp::NeighborEngine engine = emulated::DeviceSearch::engine("emulated");
  engine.curve = &curve;
  neargp::RunContext context;
  context.neighbors = &engine;
  return context;
}

}  // namespace fixtures
