#include "linalg/product_engine.h"

#include <atomic>

#include "base/arena.h"
#include "linalg/product_engine_impl.h"
#include "simd/instruction_set.h"
#include "simd/wide_sets.h"

namespace neargp {

namespace {

const ProductEngine portable{"Eigen", add_product, add_square, solve_left, solve_right, factorize};

// The engine belongs to the process and is not a member of RunContext. Products and solves are computed by functions of
// matrices, some levels below the functions that receive a context. All of them would pass a context on only for this.
std::atomic<const ProductEngine*> chosen{nullptr};

}  // namespace

#ifdef NEARGP_WIDE_SETS
extern const ProductEngine product_engine_avx2, product_engine_avx512;

double* packing_memory(Index doubles) {
  thread_local AlignedBuffer memory(0);
  memory.reserve(std::size_t(doubles));
  return memory.data();
}
#endif

const ProductEngine& product_engine() {
  const ProductEngine* engine = chosen.load();
  return engine ? *engine : eigen_engine();
}

const ProductEngine& eigen_engine() {
#ifdef NEARGP_WIDE_SETS
  if (instruction_set() == InstructionSet::avx512) return product_engine_avx512;
  if (instruction_set() == InstructionSet::avx2) return product_engine_avx2;
#endif
  return portable;
}

void use_product_engine(const ProductEngine* engine) { chosen = engine; }

}  // namespace neargp
