#include "effects/gram_products.h"

#include "simd/instruction_set.h"

namespace neargp {

extern const GramProducts gram_products_portable;
#if defined(__x86_64__)
extern const GramProducts gram_products_avx2;
extern const GramProducts gram_products_avx512;
#endif

const GramProducts& gram_products() {
  switch (instruction_set()) {
#if defined(__x86_64__)
    case InstructionSet::avx512: return gram_products_avx512;
    case InstructionSet::avx2: return gram_products_avx2;
#endif
    default: return gram_products_portable;
  }
}

}  // namespace neargp
