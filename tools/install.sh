#!/bin/sh
# Installs the package from this source tree into _build/library, a library of its own. The user's libraries stay as
# they are.
#
#   `sh tools/install.sh run|test|check`      The argument goes to tools/setup.sh.
#
# Objects of an earlier call stay in src/. Only the units that a change concerns are compiled again.
#
# SANITIZE=1 builds it with the address and undefined-behaviour sanitizers into _build/library-sanitized, for
# tools/fuzz.sh.
set -eu

cd "$(dirname "$0")/.."
sh tools/setup.sh "${1:-run}"

library=_build/library
log=_build/install.log
options=
if [ -n "${SANITIZE:-}" ]; then
  library=_build/library-sanitized
  log=_build/install-sanitized.log
  options='--preclean --clean --no-test-load'
  flags='-g1 -O1 -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=undefined'
  export R_MAKEVARS_USER="$PWD/_build/sanitize.mk"
  mkdir -p _build
  printf 'CXXFLAGS = %s\nCXX17FLAGS = %s\nLDFLAGS = -fsanitize=address,undefined\n' "$flags" "$flags" > "$R_MAKEVARS_USER"
fi
mkdir -p "$library"
export MAKEFLAGS="${MAKEFLAGS:--j2}"
start=$(date +%s)
echo "install: installing neargp into $library; the log is $log."
rm -f _build/install-failed

# Words of the options are split on purpose. The log goes on while its lines on progress are shown.
# shellcheck disable=SC2086
{ R CMD INSTALL --no-multiarch $options --library="$library" . 2>&1 || touch _build/install-failed; } |
  tee "$log" | { grep --line-buffered -E '^(configure|neargp): |^\*\* (R|byte-compile|help)' || true; }
if [ -f _build/install-failed ]; then
  tail -n 40 "$log" >&2
  echo "install: R CMD INSTALL failed; the end of $log is above." >&2
  exit 1
fi
echo "install: that took $(($(date +%s) - start)) s."
