// The table of covariance/dense_device.h for a device with teams. For Device see conditional/gpu/device_array.h.
// Its products are those of Device::products().
#pragma once

#include "conditional/gpu/cross_covariance.h"
#include "conditional/gpu/evaluation.h"
#include "conditional/gpu/row_products.h"
#include "conditional/gpu/stack_scaling.h"
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
            &Device::stacked_products(),
            combine_rows,
            scale_columns,
            add_squares,
            mirror_upper,
            multiply_rows,
            add_covariances,
            scale_by_slopes,
            multiply_slopes};
  }

 private:
  static void use() { Device::use(Device::current()); }

  static void release(void* pointer) {
    Device::use_to_release(Device::current());
    Device::release(pointer);
  }

  static void clear(void* pointer, std::size_t bytes) { Device::fill(pointer, 0, bytes); }

  template <class Task>
  static void run(const Task& task) {
    run_plain<Device>(task, task.targets());
  }

  static void combine_rows(const double* scale, ConstStack from, const double* keep, Stack to) {
    run(TeamCombineRows{scale, from, keep, to});
  }

  static void scale_columns(const double* scale, Stack x) { run(TeamScaleColumns{scale, x}); }

  static void add_squares(ConstStack a, const double* of_column, double* sums) {
    run(TeamAddSquares{a, of_column, sums});
  }

  static void mirror_upper(Stack x) { run(TeamMirrorUpper{x}); }

  static void multiply_rows(ConstBlock a, ConstBlock b, double* products) { run(TeamMultiplyRows{a, b, products}); }

  static void add_covariances(const PreparedCovariance& covariance, int component, ScaledPoints rows,
                              ScaledPoints points, const double* factor, Stack sum) {
    const UploadedCovariance<Device> uploaded(covariance);
    const CrossPairs pairs{covariance.dim, rows, points, factor, sum.count};
    run_plain<Device>(TeamCrossCovariance{pairs, uploaded.on_device(), component, sum}, pairs.targets());
  }

  static void scale_by_slopes(const PreparedCovariance& covariance, int component, ScaledPoints rows,
                              ScaledPoints points, const double* factor, Stack bar) {
    const UploadedCovariance<Device> uploaded(covariance);
    const CrossPairs pairs{covariance.dim, rows, points, factor, bar.count};
    run_plain<Device>(TeamCrossSlopes{pairs, uploaded.on_device(), component, bar, bar, nullptr}, pairs.targets());
  }

  static PairSums multiply_slopes(const PreparedCovariance& covariance, int component, ScaledPoints rows,
                                  ScaledPoints points, ConstBlock bar, Block slopes) {
    const UploadedCovariance<Device> uploaded(covariance);
    const CrossPairs pairs{covariance.dim, rows, points};
    const Index targets = pairs.targets();
    DeviceArray<Device, double> sums, total;
    sums.reserve(2 * targets);
    total.reserve(2);
    run_plain<Device>(TeamCrossSlopes{pairs, uploaded.on_device(), component, {bar}, {slopes}, sums.data()}, targets);
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
