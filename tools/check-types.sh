#!/bin/sh
# Looks for two types of one name in a namespace of src/core. The compiler sees each in its own file, the
# linker takes the constructors and destructors of one for both: the program is wrong without a word. Types without a
# name outside their file (in a namespace without a name) may share theirs. And for two functions of one name in R/, of
# which the file that is read last has the one that all call.
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
  /^[A-Za-z.][A-Za-z0-9._]* <- function/ {
    ++functions
    if ($1 in file) { print $1 "() is in " file[$1] " and in " FILENAME; wrong = 1 }
    file[$1] = FILENAME
  }
  END {
    if (!functions) { print "There are no functions: has R/ moved?"; wrong = 1 }
    if (!wrong) print "functions: " functions " names, none given twice"
    exit wrong
  }' R/*.R
