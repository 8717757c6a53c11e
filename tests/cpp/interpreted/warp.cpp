#include "warp.h"

#include <algorithm>
#include <limits>

#include "fault.h"

namespace ptx {

namespace {

constexpr std::size_t nowhere = std::numeric_limits<std::size_t>::max();

bool has(Lanes lanes, int lane) { return lanes >> lane & 1; }

int first_of(Lanes lanes) { return __builtin_ctz(lanes); }

}  // namespace

Warp::Warp(Block& block, int number)
    : block_(block), code_(block.grid.kernel.code), number_(number), values_(block.grid.kernel.registers, Register{}),
      known_(block.grid.kernel.registers, all_lanes) {
  const Kernel& kernel = block.grid.kernel;
  if (block.grid.costs) counter_.emplace(kernel, *block.grid.costs);
  for (const auto& [number_of, bits] : kernel.constant) values_[number_of].fill(bits);
  for (const auto& [name, number_of] : kernel.special_register)
    for (int lane = 0; lane < warp_lanes; ++lane) {
      const std::uint64_t thread = std::uint64_t(number) * warp_lanes + lane;
      values_[number_of][lane] = name == "%tid.x"     ? thread
                                 : name == "%ctaid.x" ? block.number
                                                      : block.grid.block_threads;
    }
}

Warp::Group Warp::next_group() const {
  Group group;
  group.place = group.others = nowhere;
  for (int lane = 0; lane < warp_lanes; ++lane) {
    if (has(left_ | waiting_, lane)) continue;
    if (place_[lane] < group.place) {
      group.others = group.place;
      group.place = place_[lane];
      group.lanes = 0;
    } else if (place_[lane] > group.place) {
      group.others = std::min(group.others, place_[lane]);
    }
    if (place_[lane] == group.place) group.lanes |= Lanes(1) << lane;
  }
  return group;
}

const Instruction* Warp::run() {
  while (left_ != all_lanes) {
    Group group = next_group();
    if (group.lanes == 0) fail_waiting();
    while (group.place < group.others) {
      const Instruction& instruction = code_[group.place];
      const Lanes lanes = lanes_for(instruction, group.lanes);
      if (counter_) counter_->add(*this, instruction, lanes);
      if (instruction.control == Control::compute) {
        if (lanes) instruction.execute(*this, instruction, lanes);
        ++group.place;
      } else if (instruction.control == Control::branch) {
        if (!branch(instruction, lanes, group)) break;
      } else if (instruction.control == Control::leave) {
        left_ |= lanes;
        move(group.lanes, group.place + 1);
        break;
      } else {
        if (lanes != group.lanes)
          fail(instruction, first_of(group.lanes & ~lanes), "is left out of what its warp does together");
        if (!gather(instruction, group)) break;
        if (instruction.control == Control::exchange) instruction.execute(*this, instruction, group.lanes);
        if (instruction.control == Control::warp_barrier) ++barriers_;
        move(group.lanes, group.place + 1);
        if (instruction.control == Control::block_barrier) return &instruction;
        break;
      }
      if (group.place >= group.others) move(group.lanes, group.place);
    }
  }
  return nullptr;
}

Lanes Warp::lanes_for(const Instruction& instruction, Lanes lanes) {
  if (instruction.predicate < 0) return lanes;
  if (const Lanes unknown = lanes & ~known_[instruction.predicate])
    fail(instruction, first_of(unknown), "goes a way that depends on memory that nobody wrote");
  Lanes chosen = 0;
  for (int lane = 0; lane < warp_lanes; ++lane)
    if (has(lanes, lane) && (values_[instruction.predicate][lane] != 0) != instruction.negated)
      chosen |= Lanes(1) << lane;
  return chosen;
}

void Warp::move(Lanes lanes, std::size_t place) {
  for (int lane = 0; lane < warp_lanes; ++lane)
    if (has(lanes, lane)) place_[lane] = place;
}

// Whether the group stays together and ahead of the others.
bool Warp::branch(const Instruction& instruction, Lanes taken, Group& group) {
  const auto destination = std::size_t(instruction.offset);
  if (taken == group.lanes || taken == 0) {
    group.place = taken ? destination : group.place + 1;
    return true;
  }
  move(taken, destination);
  move(group.lanes & ~taken, group.place + 1);
  return false;
}

// Whether all lanes that an instruction names have come to it; the group are then they.
bool Warp::gather(const Instruction& instruction, Group& group) {
  Lanes here = group.lanes;
  for (int lane = 0; lane < warp_lanes; ++lane)
    if (has(waiting_, lane) && place_[lane] == group.place) here |= Lanes(1) << lane;
  const Lanes named = named_lanes(instruction, here);
  if (const Lanes gone = named & left_) fail(instruction, first_of(gone), "is waited for, and has come to its end");
  move(group.lanes, group.place);
  if (here != named) {
    waiting_ |= group.lanes;
    return false;
  }
  waiting_ &= ~here;
  group.lanes = here;
  return true;
}

// The last operand, the same for all; a block's barrier is for all lanes.
Lanes Warp::named_lanes(const Instruction& instruction, Lanes lanes) {
  if (instruction.control == Control::block_barrier) return all_lanes;
  const int mask = instruction.operand[instruction.operands - 1];
  const auto named = Lanes(values_[mask][first_of(lanes)]);
  for (int lane = 0; lane < warp_lanes; ++lane)
    if (has(lanes, lane) && Lanes(values_[mask][lane]) != named)
      fail(instruction, lane, "names other lanes than the others do");
  if (named != all_lanes)
    fail(instruction, first_of(lanes), "names a part of its warp, which the interpreter does not know");
  return named;
}

void Warp::fail_waiting() const {
  const int lane = first_of(waiting_);
  fail(code_[place_[lane]], lane, "waits for lanes that never come");
}

Moment Warp::now(int lane, const Instruction& instruction) const {
  Moment moment;
  moment.launch = block_.grid.launch;
  moment.block = block_.number;
  moment.thread = std::uint32_t(number_ * warp_lanes + lane);
  moment.block_barriers = block_.barriers;
  moment.warp_barriers = barriers_;
  moment.instruction = &instruction;
  return moment;
}

// Where an address lies, or null; one of shared memory or of parameters becomes a generic one.
Region* Warp::region_of(const Instruction& instruction, std::uint64_t& address) {
  if (instruction.space == Space::shared) address = (address & 0xffffffffu) + shared_base;
  if (instruction.space == Space::parameters || address >= parameter_base)
    return instruction.space == Space::parameters ? &block_.grid.parameters : nullptr;
  if (address >= shared_base) return instruction.space == Space::global ? nullptr : &block_.shared;
  if (!last_region_ || !last_region_->contains(address, 1)) last_region_ = block_.grid.global.find(address);
  return last_region_;
}

Warp::Reached Warp::reach(const Instruction& instruction, std::uint64_t address, int bytes, int lane, bool writes) {
  Region* region = region_of(instruction, address);
  if (!region) fail(instruction, lane, "touches an address where nothing is");
  const std::uint64_t place = address - region->begin;
  if (!region->contains(address, bytes))
    fail(instruction, lane,
         "touches bytes " + std::to_string(std::int64_t(place)) + " to " +
             std::to_string(std::int64_t(place) + bytes - 1) + " of " + region->name + ", which has " +
             std::to_string(region->size));
  if (address % bytes != 0)
    fail(instruction, lane,
         "touches " + std::to_string(bytes) + " bytes from byte " + std::to_string(place) + " of " + region->name +
             " on, which is no multiple of their number");
  if (writes && region->read_only) fail(instruction, lane, "writes to " + region->name);
  if (writes && bytes < int(Cell::bytes))
    fail(instruction, lane, "writes less than four bytes, which the interpreter does not know");
  if (!region->read_only) check_order(*region, instruction, address, bytes, lane, writes);
  return {region->bytes + place, region->cell(address)};
}

void Warp::check_order(Region& region, const Instruction& instruction, std::uint64_t address, int bytes, int lane,
                       bool writes) {
  const Moment moment = now(lane, instruction);
  Cell* cell = region.cell(address);
  for (int offset = 0; offset < bytes; offset += int(Cell::bytes), ++cell) {
    const Moment* other = writes ? cell->add_write(moment) : cell->add_read(moment);
    if (!other) continue;
    fail(instruction, lane,
         std::string(writes ? "writes" : "reads") + " byte " + std::to_string(address - region.begin + offset) +
             " of " + region.name + ", and no barrier parts that from what thread " + std::to_string(other->thread) +
             " of block " + std::to_string(other->block) + " did there: " + other->instruction->text + " (" +
             other->instruction->source + ")");
  }
}

void Warp::fail(const Instruction& instruction, int lane, const std::string& what) const {
  throw Fault(block_.grid.kernel.name + ": thread " + std::to_string(number_ * warp_lanes + lane) + " of block " +
              std::to_string(block_.number) + " " + what + ", at: " + instruction.text + " (" + instruction.source +
              ")");
}

}  // namespace ptx
