// A cached view: what is open on a device for some targets, kept until others or another device are asked for: an
// optimiser asks for the same targets again and again, and their data are to travel once. Belongs to one thread.
#pragma once

#include <optional>

#include "conditional/backend.h"

namespace neargp {

template <class Open>
class CachedView {
 public:
  // Returns what is open for the targets first .. last-1, made by open() where it is not there.
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
