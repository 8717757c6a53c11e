#pragma once

#include <memory>
#include <utility>
#include <vector>

namespace neargp {

// Leaves elements unset where std::allocator sets them to zero.
template <class T>
struct UnsetAllocator : std::allocator<T> {
  template <class U>
  struct rebind {
    using other = UnsetAllocator<U>;
  };

  UnsetAllocator() = default;
  template <class U>
  UnsetAllocator(const UnsetAllocator<U>&) {}

  template <class U>
  void construct(U* place) {
    ::new (static_cast<void*>(place)) U;
  }
  template <class U, class... Arguments>
  void construct(U* place, Arguments&&... arguments) {
    ::new (static_cast<void*>(place)) U(std::forward<Arguments>(arguments)...);
  }
};

// A vector whose numbers are unset until the caller writes them. The system provides memory page by page when it is
// first written. Threads that fill the vector together therefore share this work, which is most of the time for a large
// table.
template <class T>
using UnsetVector = std::vector<T, UnsetAllocator<T>>;

// Provides `size` elements, and loses those that were there.
template <class T>
void renew(UnsetVector<T>& vector, std::size_t size) {
  if (vector.capacity() < size) {
    vector = UnsetVector<T>();
    vector.reserve(size + size / 4);
  }
  vector.resize(size);
}

}  // namespace neargp
