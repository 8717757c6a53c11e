// Instructions that move numbers: between registers and memory, between lanes, and between registers of several sizes.
#pragma once

#include "warp.h"

namespace ptx {

void load(Warp& warp, const Instruction& instruction, Lanes lanes);   // operands: registers, the address
void store(Warp& warp, const Instruction& instruction, Lanes lanes);  // the same
void exchange(Warp& warp, const Instruction& instruction,
              Lanes lanes);  // shfl.sync.bfly: to, whether, from, with, bounds, lanes
void vote(Warp& warp, const Instruction& instruction, Lanes lanes);    // vote.sync.ballot: to, flag, lanes
void select(Warp& warp, const Instruction& instruction, Lanes lanes);  // selp: to, one, other, flag
void split(Warp& warp, const Instruction& instruction, Lanes lanes);   // mov: two halves, whole
void join(Warp& warp, const Instruction& instruction, Lanes lanes);    // mov: whole, two halves

}  // namespace ptx
