#pragma once

#include <stdexcept>
#include <string>

namespace neargp {

// The text is a full sentence that a user can act on; the binding passes it on unchanged.
struct Error : std::runtime_error {
  explicit Error(const std::string& sentence) : std::runtime_error(sentence) {}
};

}  // namespace neargp
