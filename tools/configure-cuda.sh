# shellcheck shell=sh disable=SC2034,SC2154
# The part of configure that looks for CUDA. configure reads this file with `cuda_mode`, `cuda_home` and `scratch` set.
#
# The module is built by default where a GPU is found, and for that GPU alone. It takes minutes, which a machine without
# a GPU would spend for nothing.

# Sets nvcc, or `reason` and fails.
find_nvcc() {
  if [ -n "$cuda_home" ]; then
    nvcc=$cuda_home/bin/nvcc
    [ -x "$nvcc" ] || { reason="there is no $nvcc"; return 1; }
    return 0
  fi
  nvcc=$(command -v nvcc) && return 0
  nvcc=/usr/local/cuda/bin/nvcc
  [ -x "$nvcc" ] && return 0
  reason='there is no nvcc: CUDA_HOME is not set, and none is on the PATH or in /usr/local/cuda/bin'
  return 1
}

# Sets cuda_release. The module calls functions of CUDA 12.
check_release() {
  cuda_release=$("$nvcc" --version | sed -n 's/.*release \([0-9.]*\).*/\1/p')
  case $cuda_release in
    1[2-9].* | [2-9][0-9].*) return 0 ;;
  esac
  reason="$nvcc is of release ${cuda_release:-unknown}, and the module needs CUDA 12 or newer"
  return 1
}

# nvcc wants one program as its host compiler, and R's may be "ccache g++" or "clang++ -stdlib=libc++".
host_compiler() {
  if [ -n "${NEARGP_CUDA_HOST_CXX:-}" ]; then
    echo "$NEARGP_CUDA_HOST_CXX"
    return
  fi
  for word in $(r CMD config CXX17); do
    case $word in
      ccache | */ccache) ;;
      *) echo "$word"; return ;;
    esac
  done
}

# The architectures of the GPUs of this machine, as in "80 90"; none where the driver answers nothing.
gpu_archs() {
  nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2> /dev/null | sed -n 's/^\([0-9]*\)\.\([0-9]\)$/\1\2/p' | sort -nu
}

# Sets `wanted`: those that were asked for, else those of this machine's GPUs, else, where the module was asked for, two.
wanted_archs() {
  wanted=${NEARGP_CUDA_ARCHS:-$(gpu_archs)}
  [ -z "$wanted" ] || return 0
  if [ "$cuda_mode" = yes ]; then
    wanted='80 90'
    return 0
  fi
  reason='this machine has no NVIDIA GPU that nvidia-smi would show. NEARGP_CUDA=yes builds the module all the same'
  return 1
}

# Sets `archs` to those wanted that this nvcc knows, ascending. Machine code runs on its own generation of GPUs only;
# the intermediate code of the last one runs on every later GPU, compiled by the driver at its first use.
choose_archs() {
  known=$("$nvcc" --list-gpu-code 2> /dev/null | sed -n 's/^sm_//p' | sort -n)
  archs=
  for arch in $(printf '%s\n' "$wanted" | tr ',; ' '\n\n\n' | sed 's/sm_//' | sort -n | uniq); do
    if printf '%s\n' "$known" | grep -qx "$arch"; then
      archs="$archs $arch"
    elif [ -n "${NEARGP_CUDA_ARCHS:-}" ]; then
      reason="NEARGP_CUDA_ARCHS names $arch, and $nvcc knows $(printf '%s\n' "$known" | tr '\n' ' ')"
      return 1
    fi
  done
  newest=$(printf '%s\n' "$known" | tail -n 1)
  if [ -z "$archs" ] && [ "${newest:-0}" -lt "$arch" ]; then archs=" $newest"; fi
  [ -n "$archs" ] || { reason="$nvcc compiles for no GPU as old as this machine's (architecture $arch)"; return 1; }
  newest=${archs##* }
  gencode=
  for arch in $archs; do
    gencode="$gencode -gencode arch=compute_$arch,code=sm_$arch"
  done
  gencode="${gencode# } -gencode arch=compute_$newest,code=compute_$newest"
}

# cuBLAS and cuSOLVER, which the module finds at run time where it was linked with them.
choose_cuda_libs() {
  cuda_libs='-lcublas -lcusolver'
  toolkit=$(dirname "$(dirname "$nvcc")")
  for folder in lib64 lib; do
    for library in "$toolkit/$folder"/libcublas.so*; do
      [ -e "$library" ] || continue
      cuda_libs="$cuda_libs -L$toolkit/$folder -Xlinker -rpath,$toolkit/$folder"
      break
    done
  done
}

# A kernel and the host's library in one file; the reason of a failure is the compiler's first word about it.
try_nvcc() {
  cat > "$scratch/try.cu" << 'SOURCE'
#include <cublas_v2.h>
#include <cusolverDn.h>

#include <vector>
__global__ void twice(double* x) { x[threadIdx.x] *= 2.0; }
extern "C" int run(double* x) {
  twice<<<1, 32>>>(x);
  return int(std::vector<int>(1, cudaGetLastError())[0]);
}
extern "C" bool open(cublasHandle_t* products, cusolverDnHandle_t* factors) {
  return cublasCreate(products) == CUBLAS_STATUS_SUCCESS && cusolverDnCreate(factors) == CUSOLVER_STATUS_SUCCESS;
}
SOURCE
  # shellcheck disable=SC2086
  "$nvcc" -std=c++17 -ccbin "$host" $gencode -Xcompiler -fPIC -Xlinker -z,defs -shared -o "$scratch/try.so" "$scratch/try.cu" $cuda_libs \
    > "$scratch/try.log" 2>&1 && return 0
  reason="$nvcc with $host as its host compiler cannot compile a small program ($(head -n 1 "$scratch/try.log"))"
  return 1
}

configure_cuda() {
  [ -f src/cuda/module.cu ] || { reason='these sources have no src/cuda'; return 1; }
  wanted_archs || return 1
  find_nvcc || return 1
  check_release || return 1
  host=$(host_compiler)
  choose_archs || return 1
  choose_cuda_libs
  try_nvcc || return 1
  # shellcheck disable=SC2086
  names=$(printf ', sm_%s' $archs)
  cuda_build="CUDA $cuda_release for ${names#, } and newer"
}
