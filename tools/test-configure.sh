#!/bin/sh
# Tests of configure, with a script in nvcc's place: what is found, what is refused and with which words. Needs neither
# CUDA nor a compiler. Exit status 1 if one failed.
set -eu

cd "$(dirname "$0")/.."
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
mkdir -p "$copy/src/cuda" "$copy/src/faiss"
cp configure "$copy"
cp src/Makevars.in "$copy/src"
cp src/cuda/Makevars.in "$copy/src/cuda"
touch "$copy/src/bind_one.cpp" "$copy/src/cuda/module.cu" "$copy/src/cuda/second.cu"

# fake_nvcc FOLDER STATUS: a toolkit whose compiler knows three architectures and ends with STATUS.
fake_nvcc() {
  mkdir -p "$copy/$1/bin"
  cat > "$copy/$1/bin/nvcc" << NVCC
#!/bin/sh
case \$1 in
  --list-gpu-code) printf 'sm_80\nsm_90\nsm_120\n' ;;
  --version) echo 'Cuda compilation tools, release 13.7, V13.7.1' ;;
  *) echo "nvcc: no good"; exit $2 ;;
esac
NVCC
  chmod +x "$copy/$1/bin/nvcc"
}
fake_nvcc works 0
fake_nvcc fails 1

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
  env -u CUDA_HOME -u NEARGP_CUDA_ARCHS -u NEARGP_CUDA_HOST_CXX NEARGP_CUDA=auto NEARGP_FAISS=no $settings \
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

home=$copy/works
expect 'a toolkit that is named is used' 0 "NVCC = $home/bin/nvcc -ccbin" -- "--with-cuda=$home"
expect 'so is CUDA_HOME' 0 'CUDA 13.7 for sm_80, sm_90 and newer' "CUDA_HOME=$home" --
expect 'the module is one of the targets' 0 "all: \$(SHLIB) neargp_cuda.so" "CUDA_HOME=$home" --
expect 'every source of the module has a rule' 0 'cuda/second.o: cuda/second.cu' "CUDA_HOME=$home" --
expect 'a named toolkit without nvcc is an error' 1 "there is no $copy/nowhere/bin/nvcc" -- "--with-cuda=$copy/nowhere"
expect 'CUDA_HOME without nvcc leaves CUDA out' 0 "left out, there is no $copy/nowhere" "CUDA_HOME=$copy/nowhere" --
expect 'the reason is kept' 0 "cuda_because: there is no $copy/nowhere" "CUDA_HOME=$copy/nowhere" --
expect 'a compiler that fails leaves CUDA out' 0 'cannot compile a small program (nvcc: no good)' "CUDA_HOME=$copy/fails" --
expect 'and is an error where CUDA is asked for' 1 'CUDA was asked for, but' "CUDA_HOME=$copy/fails" NEARGP_CUDA=yes --
expect 'architectures can be chosen' 0 'arch=compute_120,code=compute_120' "CUDA_HOME=$home" NEARGP_CUDA_ARCHS=sm_90,120 --
expect 'in any order, and each once' 0 'CUDA 13.7 for sm_80, sm_90, sm_120 and newer' "CUDA_HOME=$home" \
  NEARGP_CUDA_ARCHS=120,90,80,90 --
expect 'unknown architectures are refused' 1 'knows 80 90 120' "CUDA_HOME=$home" NEARGP_CUDA_ARCHS=70 -- --with-cuda
expect 'the host compiler can be chosen' 0 'nvcc -ccbin g++-99' "CUDA_HOME=$home" NEARGP_CUDA_HOST_CXX=g++-99 --
expect 'CUDA can be left out' 0 'cuda: no' "CUDA_HOME=$home" -- --without-cuda
expect 'a mode that there is not is an error' 1 "NEARGP_CUDA is 'maybe'" NEARGP_CUDA=maybe --
expect 'FAISS that is asked for and not there is an error' 1 'FAISS was asked for' -- --without-cuda --with-faiss

exit "$failed"
