// One instruction of PTX: what it does, and with which registers.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "kernel.h"

namespace ptx {

// Numbers of the registers that a kernel's text names. Constants, addresses and special registers also occur as
// operands. Each of these gets a register that nothing writes to.
class Names {
 public:
  explicit Names(Kernel& kernel) : kernel_(kernel) {}

  void set_address(const std::string& name, std::uint64_t address) { address_[name] = address; }
  int number(const std::string& operand);

 private:
  Kernel& kernel_;
  std::map<std::string, int> number_;
  std::map<std::string, std::uint64_t> address_;
};

// The name of an instruction and its operands, without predicate. A branch's destination stays open.
void decode_operation(const std::string& name, const std::string& operands, Names& names, Instruction& instruction);

}  // namespace ptx
