// The products for whatever the compiler targets by default: SSE2 on x86-64, NEON on 64-bit ARM.
#include "effects/gram_products.h"

namespace neargp {
extern const GramProducts gram_products_portable{add_gram_product<4, 2>, add_gram_product<16, 2>};
}
