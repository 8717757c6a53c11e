#include "linalg/product_engine.h"

#include <atomic>

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
extern const ProductEngine product_engine_avx2;
#endif

const ProductEngine& product_engine() {
  const ProductEngine* engine = chosen.load();
  return engine ? *engine : eigen_engine();
}

const ProductEngine& eigen_engine() {
#ifdef NEARGP_WIDE_SETS
  if (instruction_set() != InstructionSet::portable) return product_engine_avx2;
#endif
  return portable;
}

void use_product_engine(const ProductEngine* engine) { chosen = engine; }

}  // namespace neargp
