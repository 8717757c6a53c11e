// A kernel as the interpreter wants it: instructions decoded, names replaced by numbers.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ptx {

inline constexpr int warp_lanes = 32;

// Lanes of a warp, one to a bit.
using Lanes = std::uint32_t;
inline constexpr Lanes all_lanes = 0xffffffffu;

// Where an instruction names no space, its address is generic and may lie in any of the other spaces.
enum class Space { generic, parameters, shared, global };

// Generic addresses at which shared memory and parameters begin. Global memory uses the host's addresses, which lie
// below.
inline constexpr std::uint64_t shared_base = std::uint64_t(1) << 56;
inline constexpr std::uint64_t parameter_base = std::uint64_t(1) << 57;

// Kinds of instruction that the order of a warp's lanes depends on. All other instructions are `compute`.
enum class Control { compute, branch, leave, block_barrier, warp_barrier, exchange };

class Warp;

struct Instruction {
  void (*execute)(Warp&, const Instruction&, Lanes) = nullptr;
  Control control = Control::compute;
  int predicate = -1;  // a register, or -1; the instruction is for lanes where it is true, or with `negated` false
  bool negated = false;

  // Registers. Constants and special registers also count as registers, but nothing writes to them.
  std::array<int, 6> operand{};
  int operands = 0;

  // Loads and stores move `elements` numbers of `bytes` each, at an operand plus `offset`. For a branch, `offset` is
  // the destination.
  Space space = Space::generic;
  int elements = 1, bytes = 0;
  bool is_signed = false;
  std::int64_t offset = 0;

  std::string text;    // as in the PTX
  std::string source;  // file and line of the code it was made of, where the PTX says
};

struct Kernel {
  std::string name;
  std::vector<Instruction> code;
  std::vector<std::uint64_t> parameter_offset, parameter_bytes;
  std::uint64_t parameter_size = 0;
  std::uint64_t static_shared = 0;  // bytes; what a launch adds to them begins there, on a boundary of 16
  int most_threads = 1024;          // of a block

  int registers = 0;
  std::map<int, std::uint64_t> constant;        // by register
  std::map<std::string, int> special_register;  // %tid.x ...
};

}  // namespace ptx
