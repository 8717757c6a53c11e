// The mini-batches of a mean-field fit: an epoch is one pass over data and nodes alike. With a node at every datum, a
// batch contains nodes and the data at them. Otherwise it contains data and a share of the nodes, drawn independently.
#pragma once

#include "latent/mean_field.h"
#include "optim/batches.h"

namespace neargp {

class MeanFieldBatches {
 public:
  // `bound` outlives the object.
  MeanFieldBatches(const MeanField& bound, Index batch_size, std::uint64_t key);

  Index steps() const { return steps_; }  // of an epoch
  MeanFieldBatch next();

 private:
  const MeanField& bound_;
  Batches nodes_, data_;
  Index batch_size_, steps_, node_share_;
};

}  // namespace neargp
