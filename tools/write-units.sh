#!/bin/sh
# Writes the units of compilation of the package's library into a folder, and prints what each of them depends on.
#
#   `sh tools/write-units.sh FOLDER [SOURCE ...]`
#
# The folder is one below src/; for a folder elsewhere nothing is printed. Each line names a unit, or one of the
# SOURCEs, and all headers and sources that it includes.
#
# A unit includes up to fifteen sources of one folder of src/core, or of the glue to R. The headers that these share,
# Eigen above all, are read and instantiated once: the build takes less than half the time. A source that sets macros or
# needs other flags says so in a comment that begins with "A unit of its own", and is compiled alone.
#
# A unit is written only where it changes. make therefore compiles again what a change concerns, and nothing else.
set -eu
export LC_ALL=C

mkdir -p "$1"
folder=$(cd "$1" && pwd)
shift
cd "$(dirname "$0")/../src"
most_sources=15

# "ROOM SOURCE" for each source that shares a unit. File names contain no blanks.
shared_sources() {
  grep -sL '^// A unit of its own' core/*/*.cpp core/*/*/*.cpp | sed 's|^core/\([^/]*\)/.*|\1 &|' | sort
  printf 'bind %s\n' bind_*.cpp
}

# "UNIT SOURCE" from "ROOM SOURCE": the sources of a room in units of about the same number.
assign_units() {
  awk -v most="$most_sources" '
    { room[NR] = $1; source[NR] = $2; ++count[$1] }
    function rounded_up(x) { return int(x) + (x > int(x)) }
    END {
      for (i = 1; i <= NR; ++i) {
        units = rounded_up(count[room[i]] / most)
        each = rounded_up(count[room[i]] / units)
        before = seen[room[i]]++
        print room[i] (units > 1 ? "_" (int(before / each) + 1) : ""), source[i]
      }
    }'
}

# Sources of the core are found from src/core, as headers are.
write_unit() {
  {
    echo '// Written by tools/write-units.sh.'
    printf '%s\n' "$assigned" | sed -n -e "s|^$1 core/\(.*\)|#include \"\1\"|p" -e "s|^$1 \(bind_.*\)|#include \"../\1\"|p"
  } > "$folder/$1.new"
  if cmp -s "$folder/$1.new" "$folder/$1.cpp"; then
    rm "$folder/$1.new"
  else
    mv "$folder/$1.new" "$folder/$1.cpp"
  fi
}

# Prints each file of the standard input with all that it includes, directly or not. A path is that of a file of src/, of
# src/core, or of the including file's folder.
print_dependencies() {
  {
    find . -name '*.h' -o -name '*.cpp' -o -name '*.cu' | sed 's|^\./|file |'
    grep -o '^#include "[^"]*"' -r --include='*.h' --include='*.cpp' --include='*.cu' . |
      sed 's|^\./\([^:]*\):#include "\(.*\)"|include \1 \2|'
    sed 's|^|print |'
  } | awk '
    function find(from, path) {
      if (("core/" path) in exists) return "core/" path
      sub("[^/]*$", "", from)
      while (sub("^\\.\\./", "", path)) sub("[^/]*/$", "", from)
      return ((from path) in exists) ? from path : path
    }
    function collect(file, i) {
      if (file in seen || !(file in exists)) return
      seen[file] = 1
      list = list " " file
      for (i = 1; i <= includes[file]; ++i) collect(find(file, included[file, i]))
    }
    $1 == "file" { exists[$2] = 1 }
    $1 == "include" { included[$2, ++includes[$2]] = $3 }
    $1 == "print" {
      split("", seen)
      list = ""
      collect($2)
      print substr(list, 2)
    }'
}

assigned=$(shared_sources | assign_units)
units=$(printf '%s\n' "$assigned" | cut -d ' ' -f 1 | uniq)
for unit in $units; do write_unit "$unit"; done
for written in "$folder"/*.cpp; do
  name=$(basename "$written" .cpp)
  printf '%s\n' "$units" | grep -qx "$name" || rm -f "$written" "$folder/$name.o"
done

case $folder in "$PWD"/*) ;; *) exit 0 ;; esac
{
  for unit in $units; do echo "${folder#"$PWD"/}/$unit.cpp"; done
  for source in RcppExports.cpp "$@"; do echo "$source"; done
  grep -sl '^// A unit of its own' core/*/*.cpp core/*/*/*.cpp
} | print_dependencies
