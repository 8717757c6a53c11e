#include "counter.h"

#include <algorithm>
#include <array>
#include <set>
#include <string>

#include "warp.h"

namespace ptx {

namespace {

// Assumed clocks until a result can be used. Measurements of Hopper GPUs differ by some.
constexpr int arithmetic_latency = 4, double_latency = 8, shared_latency = 30, memory_latency = 40,
              exchange_latency = 24, approximate_root_latency = 36, root_latency = 110;

// Without a predicate: ld.shared.v2.f64
std::string name_in(const std::string& text) {
  const std::size_t begin = text[0] == '@' ? text.find_first_not_of(" \t\n", text.find_first_of(" \t\n")) : 0;
  return text.substr(begin, text.find_first_of(" \t\n", begin) - begin);
}

bool ends_with(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

Unit unit_of(const std::string& first, const std::string& name, const Instruction& instruction) {
  const bool is_access = first == "ld" || first == "st";
  if (first == "mov") return Unit::constant;
  if (is_access && instruction.space == Space::shared) return Unit::shared;
  if (ends_with(name, ".f32") || ends_with(name, ".f64")) {
    if (first == "sqrt") return Unit::square_root;
    if (first == "rsqrt") return Unit::inverse_root;
  }
  // what changes a sign or takes one of two numbers computes nothing; a reciprocal is approximate
  const bool elsewhere = is_access || first == "neg" || first == "selp" || first == "div" || first == "rcp";
  return name.find("f64") != std::string::npos && !elsewhere ? Unit::in_double : Unit::other;
}

int latency_of(Unit unit, const std::string& first, const Instruction& instruction) {
  switch (unit) {
    case Unit::constant: return 0;
    case Unit::shared: return shared_latency;
    case Unit::in_double: return double_latency;
    case Unit::square_root: return root_latency;
    case Unit::inverse_root: return approximate_root_latency;
    case Unit::other: break;
  }
  if (first == "ld" && instruction.space != Space::parameters) return memory_latency;
  if (first == "rcp") return approximate_root_latency;
  if (first == "div") return root_latency;
  return instruction.control == Control::exchange ? exchange_latency : arithmetic_latency;
}

int results_of(const std::string& first, const Instruction& instruction) {
  const Control control = instruction.control;
  if (first == "st" || (control != Control::compute && control != Control::exchange)) return 0;
  if (first == "ld") return instruction.elements;
  const std::string& text = instruction.text;
  const bool splits = first == "mov" && text.find('{') < text.find(',');
  return first == "shfl" || splits ? 2 : 1;
}

// Words of four bytes, in the bank that has most of them.
std::int64_t accesses_of(Warp& warp, const Instruction& instruction, Lanes lanes) {
  constexpr int word_bytes = 4, banks = 32;
  const auto& base = warp.value(instruction.operand[instruction.operands - 1]);
  std::set<std::uint64_t> words;
  for (int lane = 0; lane < warp_lanes; ++lane) {
    if (!(lanes >> lane & 1)) continue;
    const std::uint64_t address = base[lane] + std::uint64_t(instruction.offset);
    for (int byte = 0; byte < std::max(instruction.bytes * instruction.elements, word_bytes); byte += word_bytes)
      words.insert((address + byte) / word_bytes);
  }
  std::array<std::int64_t, banks> of_bank{};
  for (const std::uint64_t word : words) ++of_bank[word % banks];
  return *std::max_element(of_bank.begin(), of_bank.end());
}

}  // namespace

void Counts::add(const Counts& warp) {
  instructions += warp.instructions;
  constants += warp.constants;
  in_double += warp.in_double;
  square_roots += warp.square_roots;
  inverse_roots += warp.inverse_roots;
  shared += warp.shared;
  accesses += warp.accesses;
  clocks = std::max(clocks, warp.clocks);
}

std::vector<Cost> costs_of(const Kernel& kernel) {
  std::vector<Cost> costs;
  for (const Instruction& instruction : kernel.code) {
    const std::string name = name_in(instruction.text), first = name.substr(0, name.find('.'));
    Cost cost;
    cost.unit = unit_of(first, name, instruction);
    cost.latency = latency_of(cost.unit, first, instruction);
    cost.results = results_of(first, instruction);
    cost.is_store = first == "st";
    costs.push_back(cost);
  }
  return costs;
}

Counter::Counter(const Kernel& kernel, const std::vector<Cost>& costs)
    : kernel_(kernel), costs_(costs), ready_(kernel.registers, 0) {}

void Counter::add(Warp& warp, const Instruction& instruction, Lanes lanes) {
  const Cost& cost = costs_[&instruction - kernel_.code.data()];
  ++(cost.unit == Unit::constant ? counts_.constants : counts_.instructions);
  counts_.in_double += cost.unit == Unit::in_double;
  counts_.square_roots += cost.unit == Unit::square_root;
  counts_.inverse_roots += cost.unit == Unit::inverse_root;
  if (cost.unit == Unit::shared) {
    ++counts_.shared;
    counts_.accesses += accesses_of(warp, instruction, lanes);
  }
  add_clocks(instruction, cost);
}

void Counter::add_clocks(const Instruction& instruction, const Cost& cost) {
  std::int64_t begin = counts_.clocks;
  for (int o = cost.results; o < instruction.operands; ++o) begin = std::max(begin, ready_[instruction.operand[o]]);
  if (instruction.predicate >= 0) begin = std::max(begin, ready_[instruction.predicate]);
  if (cost.unit == Unit::shared) begin = std::max(begin, store_);
  if (cost.is_store) store_ = begin + 1;
  since_block_ += cost.unit != Unit::constant;
  latest_ = std::max(latest_, begin);
  for (int o = 0; o < cost.results; ++o) ready_[instruction.operand[o]] = begin + cost.latency;
  if (instruction.control == Control::compute || instruction.control == Control::exchange) return;
  counts_.clocks = std::max(latest_, counts_.clocks + since_block_);
  since_block_ = 0;
}

}  // namespace ptx
