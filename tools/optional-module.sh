#!/bin/sh
# Builds a module that may fail: then the package is installed without it, and modules.dcf says why (neargp_sitrep()).
#
#   sh ../tools/optional-module.sh cuda COMMAND ...        in src/; COMMAND builds neargp_cuda.so
set -eu

module=$1
shift
log=$module.log
status=$(mktemp)
trap 'rm -f "$status" "$log"' EXIT
{ "$@" 2>&1 || echo failed > "$status"; } | tee "$log"
[ -s "$status" ] || exit 0

rm -f "neargp_$module.so"
reason=$(grep -m 1 'error *:\|fatal *:' "$log" || tail -n 1 "$log")
echo "neargp: the $module module could not be built and is left out. neargp_sitrep() repeats why."
sed -e "/^$module: /s/yes/no/" -e "/^${module}_because:/d" modules.dcf > modules.dcf.new
printf '%s_because: its compilation failed (%s)\n' "$module" "$(printf '%s' "$reason" | tr -s ' ' | cut -c 1-300)" >> modules.dcf.new
mv modules.dcf.new modules.dcf
