// A context whose engine computes along a curve on the emulated device, however few the points are.
#pragma once

#include "emulated_device.h"
#include "hard_clouds.h"

namespace fixtures {

// Launches of searches along a curve so far.
inline neargp::Index& curve_launches() {
  static neargp::Index count = 0;
  return count;
}

// The device's search, whose launches are counted.
inline void search_along_curve(const neargp::EarlierRequest& request, const neargp::RunContext& context) {
  const neargp::Index before = emulated::state().launches;
  emulated::DeviceSearch::engine("emulated").curve->search_earlier(request, context);
  curve_launches() += emulated::state().launches - before;
}

// Whether many points of this kind lie along a curve. They do not where squares of their distances vanish.
inline bool have_curve(const HardKind& kind) { return kind.name != "tiny" && kind.name != "all at one location"; }

inline neargp::RunContext along_curve() {
  static const neargp::CurveEngine curve = [] {
    neargp::CurveEngine curve = *emulated::DeviceSearch::engine("emulated").curve;
    curve.search_earlier = search_along_curve;
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
