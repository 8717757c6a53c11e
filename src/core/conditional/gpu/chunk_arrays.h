// The arrays of an operation (for_each_array() of conditional/operations.h) in a device's memory, for one chunk of
// targets at a time. Those of const double are taken there, the others brought back.
#pragma once

#include <array>
#include <type_traits>

#include "conditional/gpu/device_array.h"
#include "conditional/view.h"

namespace neargp {

template <class Device, class Operation>
class ChunkArrays {
 public:
  // Both outlive the object.
  ChunkArrays(const Operation& host, const LocalView& view) : host_(host), view_(view) {}

  Index bytes_per_target() const {
    Index numbers = 0;
    for_each([&](auto* array, Index each, const Memory&) { numbers += array ? each : 0; });
    return numbers * Index(sizeof(double));
  }

  // The operation with arrays of the device, from the first target of the chunk on.
  Operation upload(Index first, Index count) {
    Operation on_device = host_;
    auto memory = memory_.begin();
    on_device.for_each_array(view_, [&](auto*& array, Index each) {
      Memory& own = *memory++;
      if (!array) return;
      if constexpr (is_given<decltype(array)>)
        own.upload(array + first * each, count * each);
      else
        own.reserve(count * each);
      array = own.data();
    });
    return on_device;
  }

  void download(Index first, Index count) const {
    for_each([&](auto* array, Index each, const Memory& memory) {
      if constexpr (!is_given<decltype(array)>)
        if (array) memory.download(array + first * each, count * each);
    });
  }

 private:
  using Memory = DeviceArray<Device, double>;

  template <class Pointer>
  static constexpr bool is_given = std::is_const_v<std::remove_pointer_t<std::remove_reference_t<Pointer>>>;

  template <class Body>
  void for_each(const Body& body) const {
    Operation host = host_;
    auto memory = memory_.begin();
    host.for_each_array(view_, [&](auto* array, Index each) { body(array, each, *memory++); });
  }

  static constexpr int most_arrays = 4;

  const Operation& host_;
  const LocalView& view_;
  std::array<Memory, most_arrays> memory_;
};

}  // namespace neargp
