// A cached view of some targets on a device. It stays open until other targets or another device are asked for. An
// optimiser asks for the same targets again and again, and their data should be sent once. Belongs to one thread.
#pragma once

#include <optional>

#include "conditional/backend.h"

namespace neargp {

template <class Open>
class CachedView {
 public:
  // Returns the view that is open for the targets first .. last-1. Otherwise open() opens it.
  template <class Opener>
  Open& get(Index first, Index last, const RunContext& context, const Opener& open) {
    const Backend* backend = &backend_of(context);
    if (!open_ || first != first_ || last != last_ || backend != backend_) {
      open_.reset();
      open_.emplace(open());
      first_ = first;
      last_ = last;
      backend_ = backend;
    }
    return *open_;
  }

 private:
  std::optional<Open> open_;
  Index first_ = 0, last_ = 0;
  const Backend* backend_ = nullptr;
};

}  // namespace neargp
