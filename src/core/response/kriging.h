// Kriging from conditioning sets: prediction at new locations. With several outputs it is cokriging: the
// cross-covariances are those of conditional/cpu/coregionalisation.h.
#pragma once

#include <vector>

#include "base/run_context.h"
#include "conditional/data.h"
#include "covariance/prepared.h"
#include "geometry/neighbors.h"

namespace neargp {

struct Kriging {
  int columns = 0;
  std::vector<double> weighted;  // m x columns: b' of each column over the conditioning set
  std::vector<double> variance;  // m: of the noise-free field given noisy neighbours
  Index failed = -1;             // first target (0-based) with a singular matrix, or -1
};

// Prediction from data that stay, which are checked once and whose covariance is prepared once.
class KrigingPredictor {
 public:
  // The data outlive the object. Throws an Error where their coordinates or outputs are not what they must be.
  KrigingPredictor(const LocalData& data, const Covariance& covariance);

  // With `local_mean` the mean within each conditioning set is unknown and constant (ordinary kriging); else it is
  // known to be zero. `target_outputs`: of several outputs that of each target. `weights`, where not null, gets b of
  // all targets (m x k). `taper` (m x k), where not null, has falling weights of the neighbours, on the CPU.
  Kriging at(Points targets, const NeighborTable& neighbors, bool local_mean, const RunContext& context,
             const int* target_outputs = nullptr, double* weights = nullptr, const double* taper = nullptr) const;

 private:
  LocalData data_;
  Covariance covariance_;
  PreparedCovariance prepared_;
};

// The same for data that are asked once.
Kriging krige(const LocalData& data, Points targets, const NeighborTable& neighbors, const Covariance& covariance,
              bool local_mean, const RunContext& context, const int* target_outputs = nullptr,
              double* weights = nullptr, const double* taper = nullptr);

}  // namespace neargp
