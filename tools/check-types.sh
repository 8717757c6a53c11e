#!/bin/sh
# Looks for two types of one name in a namespace of src/core. The compiler sees each in its own file, the
# linker takes the constructors and destructors of one for both: the program is wrong without a word. Types without a
# name outside their file (in a namespace without a name) may share theirs. It also looks for two objects of one name in R/,
# where the file that is read last wins.
set -eu
export LC_ALL=C

cd "$(dirname "$0")/.."

find src/core -name '*.h' -o -name '*.cpp' | sort | xargs awk '
  FNR == 1 { space = "" }
  /^namespace/ { space = $2 == "{" ? "" : $2 }
  /^}  \/\/ namespace$/ { space = "neargp" }
  /^(struct|class|enum class) [A-Za-z]/ && !/^[^{]*;$/ && space != "" {
    name = space "::" ($1 == "enum" ? $3 : $2)
    ++types
    if (name in file) { print name " is in " file[name] " and in " FILENAME; wrong = 1 }
    file[name] = FILENAME
  }
  END {
    if (!types) { print "There are no types: has src/core moved?"; wrong = 1 }
    if (!wrong) print "types: " types " names, none given twice"
    exit wrong
  }'

awk '
  /^[A-Za-z.][A-Za-z0-9._]* <-/ {
    ++objects
    if ($1 in file) { print $1 " is in " file[$1] " and in " FILENAME; wrong = 1 }
    file[$1] = FILENAME
  }
  END {
    if (!objects) { print "There are no objects: has R/ moved?"; wrong = 1 }
    if (!wrong) print "objects of R/: " objects " names, none given twice"
    exit wrong
  }' R/*.R
