#!/bin/sh
# Installs the package from this source tree into _build/library, a library of
# its own: the user's libraries stay as they are.
#
#   sh tools/install.sh run|test|check      (the argument goes to tools/setup.sh)
#
# R's own switch _R_SHLIB_STRIP_ leaves out debugging symbols, which are 150 of the 160 MB that R on Debian would
# install: it compiles with -g. _R_SHLIB_STRIP_=false keeps them. Other symbols stay, which R CMD check reads.
set -eu

cd "$(dirname "$0")/.."
sh tools/setup.sh "${1:-run}"

mkdir -p _build/library
log=_build/install.log
echo "install: building neargp (a minute or two the first time; log in $log)."
export _R_SHLIB_STRIP_="${_R_SHLIB_STRIP_:-true}" R_STRIP_SHARED_LIB="${R_STRIP_SHARED_LIB:-strip -S}"
if ! MAKEFLAGS=${MAKEFLAGS:--j2} R CMD INSTALL --no-multiarch --library=_build/library . > "$log" 2>&1; then
  tail -n 40 "$log" >&2
  echo "install: R CMD INSTALL failed; the end of $log is above." >&2
  exit 1
fi
