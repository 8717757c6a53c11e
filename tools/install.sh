#!/bin/sh
# Installs the package from this source tree into _build/library, a library of
# its own: the user's libraries stay as they are.
#
#   sh tools/install.sh run|test|check      (the argument goes to tools/setup.sh)
#
# SANITIZE=1 builds it with the address and undefined-behaviour sanitizers into _build/library-sanitized, for tools/fuzz.sh.
#
# R on Debian compiles with -g: debugging symbols are 150 of the 160 MB that it would install, and a third of the time.
# They are not made here, and R's own switch _R_SHLIB_STRIP_ leaves out the linked libraries'. _R_SHLIB_STRIP_=false makes
# and keeps them, for what is compiled from then on. Other symbols stay, which R CMD check reads.
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
export _R_SHLIB_STRIP_="${_R_SHLIB_STRIP_:-true}" R_STRIP_SHARED_LIB="${R_STRIP_SHARED_LIB:-strip -S}"
if [ "$_R_SHLIB_STRIP_" = true ] && [ -z "${SANITIZE:-}" ]; then
  # The file of the user, which this one takes the place of, comes first.
  printf -- '-include %s\nCXXFLAGS += -g0\nCXX17FLAGS += -g0\n' "${R_MAKEVARS_USER:-~/.R/Makevars}" > _build/install.mk
  export R_MAKEVARS_USER="$PWD/_build/install.mk"
fi
echo "install: building neargp (a minute or two the first time; log in $log)."
# Words of the options are split on purpose.
# shellcheck disable=SC2086
if ! MAKEFLAGS=${MAKEFLAGS:--j2} R CMD INSTALL --no-multiarch $options --library="$library" . > "$log" 2>&1; then
  tail -n 40 "$log" >&2
  echo "install: R CMD INSTALL failed; the end of $log is above." >&2
  exit 1
fi
