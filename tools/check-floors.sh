#!/bin/sh
# Looks for includes of src/core that go against the plan of the house. The rooms (folders) of a floor may include files
# of lower floors and their own files. They may include nothing of a higher floor or of another room of their floor.
# There is therefore no circle between rooms. Then looks for calls of R/ that run up (tools/check-floors.R).
set -eu
export LC_ALL=C

cd "$(dirname "$0")/.."

# From the ground up, the rooms of a floor on one line.
floors='base
parallel random simd
geometry likelihoods linalg
covariance networks optim
conditional variational
deep latent loo response
effects'

grep -r --include='*.h' --include='*.cpp' '^#include "[^"]*/' src/core |
  sed 's|^src/core/\([^/]*\)/\([^:]*\):#include "\([^/]*\)/\([^"]*\)".*|\1 \2 \3 \4|' |
  awk -v floors="$floors" '
    BEGIN {
      count = split(floors, lines, "\n")
      for (i = 1; i <= count; ++i) {
        rooms = split(lines[i], names, " ")
        for (j = 1; j <= rooms; ++j) floor[names[j]] = i
      }
    }
    {
      ++includes
      for (i = 1; i <= 3; i += 2)
        if (!($i in floor)) { print "src/core/" $i " is on no floor of tools/check-floors.sh"; wrong = 1; next }
      if ($1 != $3 && floor[$3] >= floor[$1]) {
        print "src/core/" $1 "/" $2 " includes \"" $3 "/" $4 "\", which is not below it"
        wrong = 1
      }
    }
    END {
      if (!includes) { print "There are no includes: has src/core moved?"; wrong = 1 }
      if (!wrong) print "floors: " includes " includes, none runs up or sideways"
      exit wrong
    }'

Rscript --vanilla tools/check-floors.R
