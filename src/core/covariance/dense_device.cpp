#include "covariance/dense_device.h"

#include <atomic>

namespace neargp {

namespace {

std::atomic<const DenseDevice*> chosen{nullptr};

}  // namespace

const DenseDevice* dense_device() { return chosen; }

void use_dense_device(const DenseDevice* device) { chosen = device; }

}  // namespace neargp
