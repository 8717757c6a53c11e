// The table of covariance/dense_device.h for a device with teams (conditional/gpu/device_array.h says what Device is).
// Its products are those of Device::products().
#pragma once

#include "conditional/gpu/cross_covariance.h"
#include "conditional/gpu/evaluation.h"
#include "conditional/gpu/row_products.h"
#include "conditional/gpu/uploaded_covariance.h"

namespace neargp {

template <class Device>
class DenseTable {
 public:
  static DenseDevice table(const char* name) {
    return {name,
            use,
            Device::free_bytes,
            Device::allocate,
            release,
            Device::upload,
            Device::download,
            clear,
            &Device::products(),
            combine_rows,
            multiply_rows,
            add_covariances,
            multiply_slopes};
  }

 private:
  static void use() { Device::use(Device::current()); }

  static void release(void* pointer) {
    Device::use_to_release(Device::current());
    Device::release(pointer);
  }

  static void clear(void* pointer, std::size_t bytes) { Device::fill(pointer, 0, bytes); }

  static void combine_rows(const double* scale, ConstBlock from, const double* keep, Block to) {
    const TeamCombineRows task{scale, from, keep, to};
    run_plain<Device>(task, task.targets());
  }

  static void multiply_rows(ConstBlock a, ConstBlock b, double* products) {
    const TeamMultiplyRows task{a, b, products};
    run_plain<Device>(task, task.targets());
  }

  static void add_covariances(const PreparedCovariance& covariance, int component, ScaledPoints rows,
                              ScaledPoints points, Block sum) {
    const UploadedCovariance<Device> uploaded(covariance);
    const CrossPairs pairs{covariance.dim, rows, points};
    run_plain<Device>(TeamCrossCovariance{pairs, uploaded.on_device(), component, sum}, pairs.targets());
  }

  static PairSums multiply_slopes(const PreparedCovariance& covariance, int component, ScaledPoints rows,
                                  ScaledPoints points, ConstBlock bar, Block slopes) {
    const UploadedCovariance<Device> uploaded(covariance);
    const CrossPairs pairs{covariance.dim, rows, points};
    const Index targets = pairs.targets();
    DeviceArray<Device, double> sums, total;
    sums.reserve(2 * targets);
    total.reserve(2);
    run_plain<Device>(TeamCrossSlopes{pairs, uploaded.on_device(), component, bar, slopes, sums.data()}, targets);
    run_plain<Device>(AddTeamSums{sums.data(), total.data(), targets, 2}, 2);
    PairSums result;
    double both[2];
    total.download(both, 2);
    result.value = both[0];
    result.shape = both[1];
    return result;
  }
};

}  // namespace neargp
