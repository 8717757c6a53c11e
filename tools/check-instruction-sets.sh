#!/bin/sh
# Looks into the compiled kernels of the wide instruction sets, after a build of the package. The arguments are the
# folders of the objects, by default those of src/core.
#
# - There is no weak symbol but templates on the number of lanes, or in a namespace of the set. The linker keeps one
#   copy of a function that is the same in two translation units. Where it keeps the copy compiled for AVX-512, the
#   program dies on every other processor (simd/simd.h).
# - Wide registers are used: there are ten or more fused multiply-adds on ymm or zmm. Builds without -O2 contain none,
#   and need LEAST_OPERATIONS=0.
set -eu
export LC_ALL=C

cd "$(dirname "$0")/.."
[ $# -gt 0 ] || set -- src/core/conditional/cpu src/core/covariance src/core/likelihoods src/core/linalg
least=${LEAST_OPERATIONS:-10}

skip() {
  echo "instruction sets: skipped, $1"
  exit 0
}

case $(uname -m) in
  x86_64 | amd64) ;;
  *) skip "this is no x86-64 machine" ;;
esac
for tool in nm objdump; do
  command -v "$tool" > /dev/null || skip "there is no $tool"
done

# Weak symbols of the object $1 that do not belong to its instruction set alone, by the pattern $2.
shared_symbols() {
  nm -C "$1" | sed -n 's/^[0-9a-f]* [WVu] //p' | grep -Ev "^DW\\.ref|$2" || true
}

# The argument <8>, <8, ...> or a pack of 8 doubles, "double __vector(8)", shows the number of lanes.
lanes() {
  echo "<([^<>]*, )?$1(, [^<>]*)?>|__vector\\($1\\)"
}

# Multiply-adds on registers named $2 in the object $1.
wide_operations() {
  objdump -d "$1" | grep -Ec "vfn?m(add|sub)[0-9]*pd.*%$2" || true
}

status=0

# check_object OBJECT PATTERN REGISTER
check_object() {
  object=$1
  if [ ! -f "$object" ]; then
    echo "$object is missing: build the package first, R CMD INSTALL ."
    status=1
    return
  fi
  shared=$(shared_symbols "$object" "$2")
  if [ -n "$shared" ]; then
    echo "$object shares these functions with code for other processors:"
    echo "$shared"
    status=1
  fi
  count=$(wide_operations "$object" "$3")
  if [ "$count" -lt "$least" ]; then
    echo "$object has $count multiply-adds on $3 registers: it is not vectorised."
    status=1
  fi
  echo "$object: $count multiply-adds on $3 registers"
}

for folder in "$@"; do
  case $folder in
    *linalg)
      check_object "$folder/product_engine_avx2.o" neargp_eigen_avx2 ymm
      check_object "$folder/product_engine_avx512.o" "$(lanes 8)" zmm
      check_object "$folder/column_products_avx2.o" "$(lanes 4)" ymm
      check_object "$folder/column_products_avx512.o" "$(lanes 8)" zmm ;;
    *)
      check_object "$folder/kernels_avx2.o" "$(lanes 4)" ymm
      check_object "$folder/kernels_avx512.o" "$(lanes 8)" zmm ;;
  esac
done
exit "$status"
