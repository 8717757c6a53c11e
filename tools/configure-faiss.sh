# shellcheck shell=sh disable=SC2034,SC2154
# The part of configure that looks for FAISS. configure reads this file with `faiss_home`, `cuda_built` and `scratch` set.

# R itself compiles and links the trial, as it will the module: with its flags for OpenMP, and with its BLAS, which FAISS
# needs.
configure_faiss() {
  [ -f src/faiss/module.cpp ] || { reason='these sources have no src/faiss'; return 1; }
  faiss_flags='' faiss_libs='-lfaiss'
  if [ -n "$faiss_home" ]; then
    [ -f "$faiss_home/include/faiss/IndexFlat.h" ] || { reason="there is no $faiss_home/include/faiss/IndexFlat.h"; return 1; }
    faiss_flags="-I$faiss_home/include"
    for folder in lib lib64; do
      faiss_libs="-L$faiss_home/$folder -Wl,-rpath,$faiss_home/$folder $faiss_libs"
    done
  fi
  cat > "$scratch/try.cpp" << 'SOURCE'
#include <faiss/IndexFlat.h>
extern "C" long run(int dimension) { return long(faiss::IndexFlatL2(dimension).ntotal); }
SOURCE
  if try_faiss "$faiss_flags"; then
    configure_faiss_gpu
    return 0
  fi
  reason='libfaiss and its headers were not found'
  [ -z "$faiss_home" ] || reason="a program with $faiss_home cannot be built ($(sed -n -e '/error:/{p' -e 'q' -e '}' "$scratch/try.log"))"
  return 1
}

# try_faiss FLAGS [LIBRARIES]: try.cpp.
try_faiss() {
  cat > "$scratch/Makevars" << MAKEVARS
CXX_STD = CXX17
PKG_CPPFLAGS = $1
PKG_CXXFLAGS = \$(SHLIB_OPENMP_CXXFLAGS)
PKG_LIBS = $faiss_libs ${2:-} \$(SHLIB_OPENMP_CXXFLAGS) \$(LAPACK_LIBS) \$(BLAS_LIBS) \$(FLIBS)
MAKEVARS
  (cd "$scratch" && rm -f try.o && r CMD SHLIB -o try.so try.cpp > try.log 2>&1)
}

# libfaiss has GPUs where it was built with CUDA, in a form that can be used here from version 1.10 on. The module's own
# source is therefore what is tried, and has to find all that it names.
configure_faiss_gpu() {
  faiss_gpu=
  [ "$cuda_built" = yes ] || return 0
  cp src/faiss/index_on_gpu.cpp "$scratch/try.cpp"
  gpu_flags="$faiss_flags -DNEARGP_FAISS_GPU -I$(dirname "$nvcc")/../include"
  if try_faiss "$gpu_flags -I$PWD/src/core -I$PWD/src/faiss" -Wl,--no-undefined; then
    faiss_flags=$gpu_flags faiss_gpu=', with GPUs'
  fi
}
