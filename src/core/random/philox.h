#pragma once

#include <cmath>
#include <cstdint>

#include "base/hd.h"

namespace neargp {

// Philox4x32-10, the counter-based generator of Salmon, Moraes, Dror and Shaw (2011), "Parallel random numbers:
// as easy as 1, 2, 3". Draw number i of a stream is a pure function of (key, stream, i): any thread or device
// gives the same one, in any order.
struct PhiloxBlock {
  std::uint32_t word[4];
};

NEARGP_HD inline PhiloxBlock philox4x32(PhiloxBlock counter, std::uint32_t key0, std::uint32_t key1) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t product0 = std::uint64_t{0xD2511F53u} * counter.word[0];
    const std::uint64_t product1 = std::uint64_t{0xCD9E8D57u} * counter.word[2];
    counter = {{std::uint32_t(product1 >> 32) ^ counter.word[1] ^ key0, std::uint32_t(product1),
                std::uint32_t(product0 >> 32) ^ counter.word[3] ^ key1, std::uint32_t(product0)}};
    key0 += 0x9E3779B9u;
    key1 += 0xBB67AE85u;
  }
  return counter;
}

class Philox {
 public:
  NEARGP_HD explicit Philox(std::uint64_t key, std::uint64_t stream = 0) : key_(key), stream_(stream) {}

  // 128 random bits for each index.
  NEARGP_HD PhiloxBlock block(std::uint64_t index) const {
    const PhiloxBlock counter = {{low(index), high(index), low(stream_), high(stream_)}};
    return philox4x32(counter, low(key_), high(key_));
  }

  NEARGP_HD std::uint64_t bits(std::uint64_t index) const {
    const PhiloxBlock random = block(index);
    return (std::uint64_t{random.word[1]} << 32) | random.word[0];
  }

  // Uniform on the open interval (0, 1): the midpoints of 2^53 equal cells would round to 1 at the top, those of
  // 2^52 cells are exact.
  NEARGP_HD double uniform(std::uint64_t index) const { return to_uniform(bits(index)); }

  // Uniform on {0, ..., bound - 1}: the high half of the 128-bit product bound * bits. The bias is below
  // bound / 2^64, not observable.
  NEARGP_HD std::uint64_t below(std::uint64_t index, std::uint64_t bound) const {
    const std::uint64_t random = bits(index);
    const std::uint64_t low_part = (random & 0xFFFFFFFFu) * (bound & 0xFFFFFFFFu);
    const std::uint64_t cross0 = (random >> 32) * (bound & 0xFFFFFFFFu) + (low_part >> 32);
    const std::uint64_t cross1 = (random & 0xFFFFFFFFu) * (bound >> 32) + (cross0 & 0xFFFFFFFFu);
    return (random >> 32) * (bound >> 32) + (cross0 >> 32) + (cross1 >> 32);
  }

  // Standard normal by Box and Muller (1958): one of the pair, so that a draw depends on its own index alone.
  NEARGP_HD double normal(std::uint64_t index) const {
    const PhiloxBlock random = block(index);
    const double radius_uniform = to_uniform((std::uint64_t{random.word[1]} << 32) | random.word[0]);
    const double angle_uniform = to_uniform((std::uint64_t{random.word[3]} << 32) | random.word[2]);
    const double two_pi = 6.283185307179586476925286766559;
    return std::sqrt(-2.0 * std::log(radius_uniform)) * std::cos(two_pi * angle_uniform);
  }

 private:
  NEARGP_HD static std::uint32_t low(std::uint64_t x) { return std::uint32_t(x); }
  NEARGP_HD static std::uint32_t high(std::uint64_t x) { return std::uint32_t(x >> 32); }
  NEARGP_HD static double to_uniform(std::uint64_t random) {
    return (double(random >> 12) + 0.5) * (1.0 / 4503599627370496.0);
  }

  std::uint64_t key_;
  std::uint64_t stream_;
};

}  // namespace neargp
