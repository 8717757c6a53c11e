#!/bin/sh
# Tests of configure, with scripts in place of nvcc and nvidia-smi. They check what is found, what is refused and with
# which words, which units are written and what these depend on. Needs neither CUDA nor a compiler. Exit status 1 if one
# failed.
set -eu

cd "$(dirname "$0")/.."
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
mkdir -p "$copy/src/cuda" "$copy/src/faiss" "$copy/src/core/base" "$copy/src/core/linalg" "$copy/tools" "$copy/bin"
cp configure "$copy"
cp tools/configure-*.sh tools/write-units.sh tools/optional-module.sh "$copy/tools"
cp src/Makevars.in "$copy/src"
cp src/cuda/Makevars.in "$copy/src/cuda"
touch "$copy/src/bind_one.cpp" "$copy/src/RcppExports.cpp" "$copy/src/cuda/module.cu" "$copy/src/cuda/second.cu" \
  "$copy/src/core/base/apart.h"
echo '#include "base/apart.h"' > "$copy/src/core/base/shared.h"
echo '#include "base/shared.h"' > "$copy/src/core/base/first.cpp"
touch "$copy/src/core/base/second.cpp"
echo '// A unit of its own, in a test.' > "$copy/src/core/linalg/own.cpp"
echo 'CXX17 = false' > "$copy/user.mk"  # so that no trial is timed

# fake_nvcc FOLDER STATUS [RELEASE]: a toolkit whose compiler knows three architectures and ends with STATUS.
fake_nvcc() {
  mkdir -p "$copy/$1/bin"
  cat > "$copy/$1/bin/nvcc" << NVCC
#!/bin/sh
case \$1 in
  --list-gpu-code) printf 'sm_80\nsm_90\nsm_120\n' ;;
  --version) echo 'Cuda compilation tools, release ${3:-13.7}, V1' ;;
  *) echo "nvcc: no good"; exit $2 ;;
esac
NVCC
  chmod +x "$copy/$1/bin/nvcc"
}
fake_nvcc works 0
fake_nvcc fails 1
fake_nvcc old 0 11.8

# fake_gpu ARCHITECTURE: a driver that shows one GPU.
fake_gpu() {
  printf '#!/bin/sh\necho %s\n' "$1" > "$copy/bin/nvidia-smi"
  chmod +x "$copy/bin/nvidia-smi"
}

failed=0

# expect NAME STATUS TEXT [VARIABLE=value ...] -- [ARGUMENT ...]: runs configure; TEXT is in what it says or writes.
expect() {
  name=$1 wanted=$2 text=$3
  shift 3
  settings=
  while [ "$1" != -- ]; do
    settings="$settings $1"
    shift
  done
  shift
  status=0
  rm -f "$copy/src/Makevars" "$copy/src/modules.dcf"
  # shellcheck disable=SC2086
  env -u CUDA_HOME -u NEARGP_CUDA_ARCHS -u NEARGP_CUDA_HOST_CXX NEARGP_CUDA=auto NEARGP_FAISS=no R_MAKEVARS_USER="$copy/user.mk" PATH="$copy/bin:$PATH" $settings \
    sh "$copy/configure" "$@" > "$copy/log" 2>&1 || status=$?
  cat "$copy/src/Makevars" "$copy/src/modules.dcf" >> "$copy/log" 2> /dev/null || true
  if [ "$status" -eq "$wanted" ] && grep -qF -- "$text" "$copy/log"; then
    echo "ok: $name"
  else
    echo "FAILED: $name (status $status)"
    sed 's/^/  /' "$copy/log"
    failed=1
  fi
}

# check NAME COMMAND ...
check() {
  name=$1
  shift
  if "$@"; then echo "ok: $name"; else echo "FAILED: $name"; failed=1; fi
}

home=$copy/works
fake_gpu 9.0
expect 'a toolkit that is named is used' 0 "NVCC = $home/bin/nvcc -ccbin" -- "--with-cuda=$home"
expect 'so is CUDA_HOME' 0 'CUDA 13.7 for sm_90 and newer' "CUDA_HOME=$home" --
expect 'the module is one of the targets' 0 "all: \$(SHLIB) cuda-module" "CUDA_HOME=$home" --
expect 'every source of the module has a rule' 0 'cuda/second.o:' "CUDA_HOME=$home" --
expect 'a module that may fail is built by a make of its own' 0 'optional-module.sh cuda $(MAKE)' "CUDA_HOME=$home" --
expect 'one that is asked for is not' 0 'cuda-module: neargp_cuda.so' -- "--with-cuda=$home"
expect 'a named toolkit without nvcc is an error' 1 "there is no $copy/nowhere/bin/nvcc" -- "--with-cuda=$copy/nowhere"
expect 'CUDA_HOME without nvcc leaves CUDA out' 0 "left out, there is no $copy/nowhere" "CUDA_HOME=$copy/nowhere" --
expect 'the reason is kept' 0 "cuda_because: there is no $copy/nowhere" "CUDA_HOME=$copy/nowhere" --
expect 'a compiler that fails leaves CUDA out' 0 'cannot compile a small program (nvcc: no good)' "CUDA_HOME=$copy/fails" --
expect 'and is an error where CUDA is asked for' 1 'CUDA was asked for, but' "CUDA_HOME=$copy/fails" NEARGP_CUDA=yes --
expect 'CUDA 11 is too old' 0 'is of release 11.8, and the module needs CUDA 12' "CUDA_HOME=$copy/old" --
expect 'architectures can be chosen' 0 'arch=compute_120,code=compute_120' "CUDA_HOME=$home" NEARGP_CUDA_ARCHS=sm_90,120 --
expect 'in any order, and each once' 0 'CUDA 13.7 for sm_80, sm_90, sm_120 and newer' "CUDA_HOME=$home" \
  NEARGP_CUDA_ARCHS=120,90,80,90 --
expect 'unknown architectures are refused' 1 'knows 80 90 120' "CUDA_HOME=$home" NEARGP_CUDA_ARCHS=70 -- --with-cuda
expect 'the host compiler can be chosen' 0 'nvcc -ccbin g++-99' "CUDA_HOME=$home" NEARGP_CUDA_HOST_CXX=g++-99 --
expect 'CUDA can be left out' 0 'cuda: no' "CUDA_HOME=$home" -- --without-cuda
expect 'a mode that there is not is an error' 1 "NEARGP_CUDA is 'maybe'" NEARGP_CUDA=maybe --
fake_gpu 12.1
expect 'a GPU that is newer than the toolkit takes intermediate code' 0 'CUDA 13.7 for sm_120 and newer' "CUDA_HOME=$home" --
fake_gpu 6.1
expect 'a GPU that is too old has no module' 0 "no GPU as old as this machine's (architecture 61)" "CUDA_HOME=$home" --
rm "$copy/bin/nvidia-smi"
expect 'without a GPU no module is built' 0 'has no NVIDIA GPU' "CUDA_HOME=$home" --
expect 'unless it is asked for' 0 'CUDA 13.7 for sm_80, sm_90 and newer' "CUDA_HOME=$home" NEARGP_CUDA=yes --
expect 'or its architectures are named' 0 'CUDA 13.7 for sm_80 and newer' "CUDA_HOME=$home" NEARGP_CUDA_ARCHS=80 --
expect 'FAISS that is asked for and not there is an error' 1 'FAISS was asked for' -- --without-cuda --with-faiss
expect 'symbols are left out' 0 '$(ALL_CXXFLAGS) -g0' -- --without-cuda

# Compilers that take all flags but one, for Windows (they take the program that no other system does) and for others.
cat > "$copy/bin/windows-cxx" << 'CXX'
#!/bin/sh
for word in "$@"; do
  if [ "$word" = "$REFUSED" ]; then exit 1; fi
done
CXX
cat > "$copy/bin/other-cxx" << 'CXX'
#!/bin/sh
for word in "$@"; do
  case $word in
    "$REFUSED") exit 1 ;;
    *.cpp) if grep -q '^#error' "$word"; then exit 1; fi ;;
  esac
done
CXX
chmod +x "$copy/bin/windows-cxx" "$copy/bin/other-cxx"

# compiler NAME
compiler() {
  printf 'CXX17 = %s\nCXX17STD =\n' "$copy/bin/$1" > "$copy/user.mk"
}
compiler other-cxx
expect 'products and sums of a unit are rounded one by one' 0 '-ffp-contract=off -c units/base.cpp' REFUSED=none -- --without-cuda
expect 'not those of kernels' 0 '$(COMPILE) -c core/linalg/own.cpp' REFUSED=none -- --without-cuda
expect 'a compiler without that flag does not get it' 0 '$(COMPILE) -c units/base.cpp' REFUSED=-ffp-contract=off -- --without-cuda
check 'the flag for unaligned moves is for Windows alone' eval '! grep -q unaligned "$copy/src/Makevars"'
compiler windows-cxx
expect 'which has the kernels for AVX2 with it' 0 '-Wa,-muse-unaligned-vector-move -DNEARGP_UNALIGNED_MOVES' REFUSED=none -- --without-cuda
expect 'and else none' 0 'kernels for AVX2 and AVX-512: left out' REFUSED=-Wa,-muse-unaligned-vector-move -- --without-cuda
check 'and neither flag' eval '! grep -q -e UNALIGNED_MOVES -e unaligned-vector-move "$copy/src/Makevars"'
echo 'CXX17 = false' > "$copy/user.mk"
expect 'unless they are asked for' 0 'cuda: no' NEARGP_SYMBOLS=yes -- --without-cuda

# needs OBJECT FILE: whether the rule of the object in src/Makevars names the file.
needs() {
  awk -v object="$1:" -v file="$2" '$1 == object { rule = 1; next } /^\t/ { rule = 0 } rule && $1 == file { found = 1 } END { exit !found }' \
    "$copy/src/Makevars"
}

check 'and then there is no flag against them' eval '! grep -q -- -g0 "$copy/src/Makevars"'
units=$copy/src/units
check 'a unit includes the sources of a room' test "$(grep -c '#include "base/' "$units/base.cpp")" -eq 2
check 'an object depends on what its sources include' needs units/base.o core/base/shared.h
check 'and on what that includes' needs units/base.o core/base/apart.h
check 'but on nothing else' eval '! needs units/bind.o core/base/shared.h'
check 'a source can have a unit of its own' needs core/linalg/own.o core/linalg/own.cpp
touch -t 200001010000 "$units/base.cpp" "$units/bind.cpp"
cp "$units/bind.cpp" "$copy/reference"
touch -t 200101010000 "$copy/reference"
touch "$copy/src/core/base/third.cpp"
(cd "$copy" && sh tools/write-units.sh src/units > "$copy/log")
check 'a unit that stays the same is not written again' test "$copy/reference" -nt "$units/bind.cpp"
check 'one with another source is' test "$units/base.cpp" -nt "$copy/reference"
rm "$copy"/src/core/base/*.cpp
(cd "$copy" && sh tools/write-units.sh src/units > "$copy/log")
check 'a unit without sources is removed' test ! -e "$units/base.cpp"

# A module that fails.
(
  cd "$copy/src"
  printf 'cuda: yes\ncuda_because: \nfaiss: no\nfaiss_because: none\n' > modules.dcf
  sh ../tools/optional-module.sh cuda sh -c 'echo "try.cu(3): error: no such thing"; exit 2' > "$copy/log"
)
check 'a module that fails is left out' grep -qx 'cuda: no' "$copy/src/modules.dcf"
check 'with its reason' grep -qF 'cuda_because: its compilation failed (try.cu(3): error: no such thing)' "$copy/src/modules.dcf"
check 'the other one stays' grep -qx 'faiss_because: none' "$copy/src/modules.dcf"

exit "$failed"
