// The step from the text of a PTX file to kernels.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "kernel.h"

namespace ptx {

// A kernel's text, to be decoded when it is wanted.
struct KernelText {
  std::string head, body;                    // parameters; instructions
  std::map<std::string, std::string> files;  // by the numbers that its places in the source refer to
};

// Kernels by their names.
std::map<std::string, KernelText> kernels_in(const std::string& file_text);

// Throws a Fault if the text contains instructions that the interpreter does not support.
Kernel decode(const std::string& name, const KernelText& text);

}  // namespace ptx
