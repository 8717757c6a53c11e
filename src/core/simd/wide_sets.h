// NEARGP_WIDE_SETS is defined where the core has kernels for AVX2 and AVX-512. The header holds this macro alone,
// because sources include it before they set their target.
//
// GCC for Windows moves wide registers to and from the stack by instructions that need aligned addresses, which this
// stack does not guarantee (GCC bug 54412). The script configure defines NEARGP_UNALIGNED_MOVES where the assembler
// uses unaligned moves instead.
#pragma once

#if defined(__x86_64__) && (!defined(_WIN32) || defined(__clang__) || defined(NEARGP_UNALIGNED_MOVES))
#define NEARGP_WIDE_SETS
#endif
