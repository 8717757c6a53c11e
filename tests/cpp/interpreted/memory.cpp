#include "memory.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace ptx {

const Moment* Cell::add_read(const Moment& now) {
  const bool raced = write.launch == now.launch && !write.is_ordered_before(now);
  readers = read.launch == now.launch ? readers_with(now) : one_thread;
  read = now;
  return raced ? &write : nullptr;
}

// Readers between the same barriers as `now`, with it.
Cell::Readers Cell::readers_with(const Moment& now) const {
  if (readers == blocks || read.block != now.block) return blocks;
  if (read.block_barriers < now.block_barriers) return one_thread;
  if (readers == warps_of_a_block || !read.same_warp(now)) return warps_of_a_block;
  if (read.warp_barriers < now.warp_barriers) return one_thread;
  return read.same_thread(now) ? readers : lanes_of_a_warp;
}

const Moment* Cell::add_write(const Moment& now) {
  const Moment* raced = nullptr;
  if (write.launch == now.launch && !write.is_ordered_before(now))
    raced = &write;
  else if (read.launch == now.launch && has_reader_out_of_order(now))
    raced = &read;
  if (raced) return raced;
  write = now;
  read = Moment();
  return nullptr;
}

bool Cell::has_reader_out_of_order(const Moment& now) const {
  if (readers == blocks || !read.is_ordered_before(now)) return true;
  if (read.block_barriers < now.block_barriers) return false;
  if (readers == warps_of_a_block) return true;
  return readers == lanes_of_a_warp && read.warp_barriers == now.warp_barriers;
}

Region::Region(std::string what, std::uint64_t address, unsigned char* memory, std::uint64_t count, bool is_written)
    : begin(address), size(count), bytes(memory), name(std::move(what)),
      cells((count + Cell::bytes - 1) / Cell::bytes) {
  if (is_written) mark_written(begin, size);
}

void Region::mark_written(std::uint64_t address, std::uint64_t count) {
  for (std::uint64_t a = address; a < address + count; a += Cell::bytes) cell(a)->written = true;
}

std::uint64_t Region::first_unwritten(std::uint64_t address, std::uint64_t count) {
  std::uint64_t a = address;
  while (a < address + count && cell(a)->written) a += Cell::bytes;
  return std::min(a, address + count);
}

void* GlobalMemory::allocate(std::size_t bytes) {
  constexpr std::size_t boundary = 256;  // CUDA's
  void* memory = std::aligned_alloc(boundary, (bytes + boundary - 1) / boundary * boundary);
  if (!memory) return nullptr;
  std::memset(memory, 0xff, bytes);  // not numbers
  const auto address = reinterpret_cast<std::uint64_t>(memory);
  const std::string name = "an allocation of " + std::to_string(bytes) + " bytes";
  regions_[address] = Region(name, address, static_cast<unsigned char*>(memory), bytes, false);
  used_ += bytes;
  return memory;
}

bool GlobalMemory::release(void* pointer) {
  const auto found = regions_.find(reinterpret_cast<std::uint64_t>(pointer));
  if (found == regions_.end()) return false;
  used_ -= found->second.size;
  regions_.erase(found);
  std::free(pointer);
  return true;
}

Region* GlobalMemory::find(std::uint64_t address) {
  auto after = regions_.upper_bound(address);
  if (after == regions_.begin()) return nullptr;
  Region& region = std::prev(after)->second;
  return region.contains(address, 1) ? &region : nullptr;
}

}  // namespace ptx
