# shellcheck shell=bash disable=SC2154
# The common part of .ci/run and .ci/nightly: steps, each of which counts as one check, and their sum. Sourced from the repository's root
# with `time_limit` set, in seconds for all steps together.
exec < /dev/null
export work=_build/ci
export LANG=${LANG:-C.UTF-8}          # R CMD check warns where characters are ASCII
export MAKEFLAGS=${MAKEFLAGS:--j2}
export OMP_THREAD_LIMIT=2              # of FAISS and the BLAS
export NEARGP_CUDA=no                 # its module takes minutes: it is built once, in a step of its own
mkdir -p "$work"
rm -f "$work"/*.log

passed=0 failed=0 skipped=0 failed_steps=

# step NAME FUNCTION: runs the function in a shell of its own.
step() {
  local start=$SECONDS left=$((time_limit - SECONDS)) status=124
  printf '\n== %s\n' "$1"
  : > "$work/step.log"
  if [ "$left" -gt 0 ]; then
    timeout "$left" bash -c "$2" 2>&1 | tee "$work/step.log"
    status=${PIPESTATUS[0]}
  fi
  conclude "$1" "$status" "$start" "$work/step.log"
}

# conclude NAME STATUS START OUTPUT: keeps the end of the output of a step that failed for the report.
conclude() {
  if [ "$2" -eq 124 ]; then echo "The time for all steps together, $time_limit s, is over."; fi
  if [ "$2" -eq 0 ]; then
    passed=$((passed + 1))
    printf '== %s: passed (%d s)\n' "$1" $((SECONDS - $3))
  else
    failed=$((failed + 1)) failed_steps="$failed_steps, $1"
    printf '== %s: FAILED (%d s)\n' "$1" $((SECONDS - $3))
    { printf '\n== %s failed. Its output ends with:\n' "$1" && tail -n 40 "$4"; } >> "$work/failures.log"
  fi
}

# beside NAME FUNCTION: begins a step that goes on while others do, on another core. Its output comes with join_step.
beside() {
  local left=$((time_limit - SECONDS))
  beside_name=$1 beside_start=$SECONDS
  timeout "$((left > 0 ? left : 1))" bash -c "$2" > "$work/beside.log" 2>&1 &
  beside_process=$!
  trap 'kill "$beside_process" 2> /dev/null' EXIT
}

join_step() {
  local status=0
  wait "$beside_process" || status=$?
  trap - EXIT
  printf '\n== %s, beside the steps above\n' "$beside_name"
  cat "$work/beside.log"
  conclude "$beside_name" "$status" "$beside_start" "$work/beside.log"
}

skip() {
  skipped=$((skipped + 1))
  printf '\n== %s: skipped, %s\n' "$1" "$2"
}

# Adds the three numbers on the last line of a file to the totals.
add_counts() {
  local p f s
  [ -f "$1" ] || return
  read -r p f s < <(tail -n 1 "$1" | tr -cs '0-9\n' ' ')
  passed=$((passed + ${p:-0})) failed=$((failed + ${f:-0})) skipped=$((skipped + ${s:-0}))
}

# What failed, the last line, and the exit status.
report() {
  [ -z "$failed_steps" ] || cat "$work/failures.log"
  [ -z "$failed_steps" ] || printf '\nFailed: %s\n' "${failed_steps#, }"
  printf '\n%d passed, %d failed, %d skipped\n' "$passed" "$failed" "$skipped"
  [ "$failed" -eq 0 ]
}

none_failed() {
  awk '{ failed += $2 } END { exit failed > 0 }' "$1"
}

# The tracked files as they are now, in a folder of their own.
copy_sources() {
  rm -rf "$1" && mkdir -p "$1" && git ls-files -z | xargs -0 cp --parents -t "$1"
}

find_nvcc() {
  command -v nvcc > /dev/null || [ -x "${CUDA_HOME:-/usr/local/cuda}/bin/nvcc" ]
}

export -f none_failed copy_sources find_nvcc
