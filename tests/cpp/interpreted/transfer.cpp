#include "transfer.h"

#include <algorithm>
#include <cstring>

#include "arithmetic.h"

namespace ptx {

namespace {

std::uint64_t address_of(Warp& warp, const Instruction& instruction, int lane) {
  const int base = instruction.operand[instruction.operands - 1];
  if (!(warp.known(base) >> lane & 1)) warp.fail(instruction, lane, "has an address from memory that nobody wrote");
  return warp.value(base)[lane] + std::uint64_t(instruction.offset);
}

std::uint64_t extended(std::uint64_t bits, const Instruction& instruction) {
  const int unused = 64 - 8 * instruction.bytes;
  return instruction.is_signed ? std::uint64_t(std::int64_t(bits << unused) >> unused) : bits;
}

}  // namespace

void load(Warp& warp, const Instruction& instruction, Lanes lanes) {
  const int bytes = instruction.bytes, cells = std::max(1, bytes / int(Cell::bytes));
  for_lanes(lanes, [&](int lane) {
    const auto found =
        warp.reach(instruction, address_of(warp, instruction, lane), bytes * instruction.elements, lane, false);
    for (int e = 0; e < instruction.elements; ++e) {
      std::uint64_t bits = 0;
      std::memcpy(&bits, found.bytes + e * bytes, bytes);
      warp.value(instruction.operand[e])[lane] = extended(bits, instruction);
      const Cell* cell = found.cell + e * bytes / int(Cell::bytes);
      const bool known = std::all_of(cell, cell + cells, [](const Cell& c) { return c.written; });
      set_known(warp, instruction.operand[e], Lanes(1) << lane, known ? all_lanes : 0);
    }
  });
}

void store(Warp& warp, const Instruction& instruction, Lanes lanes) {
  const int bytes = instruction.bytes, cells = bytes / int(Cell::bytes);
  for_lanes(lanes, [&](int lane) {
    const auto found =
        warp.reach(instruction, address_of(warp, instruction, lane), bytes * instruction.elements, lane, true);
    for (int e = 0; e < instruction.elements; ++e) {
      std::memcpy(found.bytes + e * bytes, &warp.value(instruction.operand[e])[lane], bytes);
      for (int c = 0; c < cells; ++c)
        found.cell[e * cells + c].written = warp.known(instruction.operand[e]) >> lane & 1;
    }
  });
}

// Lane i gets what lane i ^ with has, if that is within the bounds; else its own.
void exchange(Warp& warp, const Instruction& instruction, Lanes lanes) {
  const auto source = warp.value(instruction.operand[2]);  // copies, as the result may take its place
  const Lanes known = warp.known(instruction.operand[2]);
  const auto& with = warp.value(instruction.operand[3]);
  const auto& bounds = warp.value(instruction.operand[4]);
  for_lanes(lanes, [&](int lane) {
    const int segments = int(bounds[lane] >> 8 & 31), last = (lane & segments) | (int(bounds[lane] & 31) & ~segments);
    const int partner = lane ^ int(with[lane] & 31), from = partner <= last ? partner : lane;
    warp.value(instruction.operand[0])[lane] = source[from];
    warp.value(instruction.operand[1])[lane] = partner <= last;
    set_known(warp, instruction.operand[0], Lanes(1) << lane, known >> from & 1 ? all_lanes : 0);
  });
}

void vote(Warp& warp, const Instruction& instruction, Lanes lanes) {
  const auto& flag = warp.value(instruction.operand[1]);
  Lanes flags = 0;
  for_lanes(lanes, [&](int lane) { flags |= Lanes(flag[lane] != 0) << lane; });
  const bool known = (warp.known(instruction.operand[1]) & lanes) == lanes;
  for_lanes(lanes, [&](int lane) { warp.value(instruction.operand[0])[lane] = flags; });
  set_known(warp, instruction.operand[0], lanes, known ? all_lanes : 0);
}

void select(Warp& warp, const Instruction& instruction, Lanes lanes) {
  const int flag = instruction.operand[3];
  for_lanes(lanes, [&](int lane) {
    const int from = instruction.operand[warp.value(flag)[lane] ? 1 : 2];
    warp.value(instruction.operand[0])[lane] = warp.value(from)[lane];
    set_known(warp, instruction.operand[0], Lanes(1) << lane, warp.known(from) & warp.known(flag));
  });
}

void split(Warp& warp, const Instruction& instruction, Lanes lanes) {
  const auto whole = warp.value(instruction.operand[2]);
  for (int half = 0; half < 2; ++half) {
    for_lanes(lanes, [&](int lane) {
      warp.value(instruction.operand[half])[lane] = whole[lane] >> (32 * half) & 0xffffffffu;
    });
    set_known(warp, instruction.operand[half], lanes, warp.known(instruction.operand[2]));
  }
}

void join(Warp& warp, const Instruction& instruction, Lanes lanes) {
  const auto& low = warp.value(instruction.operand[1]);
  const auto& high = warp.value(instruction.operand[2]);
  for_lanes(lanes,
            [&](int lane) { warp.value(instruction.operand[0])[lane] = (low[lane] & 0xffffffffu) | high[lane] << 32; });
  set_known(warp, instruction.operand[0], lanes,
            warp.known(instruction.operand[1]) & warp.known(instruction.operand[2]));
}

}  // namespace ptx
