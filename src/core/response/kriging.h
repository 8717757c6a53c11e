// Kriging from conditioning sets: prediction at new locations. For multiple outputs it is cokriging, with the
// cross-covariances of conditional/cpu/coregionalisation.h.
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

// Prediction from fixed data. The data are checked once, and their covariance is prepared once.
class KrigingPredictor {
 public:
  // The data outlive the object. Throws an Error if their coordinates or outputs are invalid.
  KrigingPredictor(const LocalData& data, const Covariance& covariance);

  // With `local_mean` the mean within each conditioning set is unknown and constant (ordinary kriging), else it is
  // known to be zero. `target_outputs`: for multiple outputs, the output of each target. `weights`, where not null,
  // receives b of all targets, m x k. `taper`, m x k where not null, contains falling weights of the neighbours, on the
  // CPU.
  Kriging at(Points targets, const NeighborTable& neighbors, bool local_mean, const RunContext& context,
             const int* target_outputs = nullptr, double* weights = nullptr, const double* taper = nullptr) const;

 private:
  LocalData data_;
  Covariance covariance_;
  PreparedCovariance prepared_;
};

// The same for data that are used once.
Kriging krige(const LocalData& data, Points targets, const NeighborTable& neighbors, const Covariance& covariance,
              bool local_mean, const RunContext& context, const int* target_outputs = nullptr,
              double* weights = nullptr, const double* taper = nullptr);

}  // namespace neargp
