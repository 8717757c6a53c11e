// A unit of its own, as its fused operations are on ARM: the products for whatever the compiler targets by default,
// SSE2 on x86-64 and NEON on 64-bit ARM.
#include "linalg/column_products.h"

namespace neargp {
extern const ColumnKernels column_kernels_portable{
    gram_of_columns<2>,      products_with_column<2>,  add_combination<2>,       add_gram_product<4, 2>,
    add_gram_product<16, 2>, add_paired_product<4, 2>, add_paired_product<16, 2>};
}
