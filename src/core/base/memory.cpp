#include "base/memory.h"

#include <cmath>
#include <cstdio>
#include <limits>

#ifdef _WIN32
#include <windows.h>
#else
#include <unistd.h>
#endif
#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace neargp {

namespace {

std::string gibibytes(double bytes) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g GiB", bytes / std::ldexp(1.0, 30));
  return text;
}

}  // namespace

double physical_memory() {
#ifdef _WIN32
  MEMORYSTATUSEX status;
  status.dwLength = sizeof status;
  if (GlobalMemoryStatusEx(&status)) return double(status.ullTotalPhys);
#else
  const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
  if (pages > 0 && page > 0) return double(pages) * double(page);
#endif
  return std::numeric_limits<double>::infinity();
}

void return_free_memory() {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

void check_memory(const std::string& table, double rows, double columns, double size) {
  const double wanted = rows * columns * size, available = physical_memory();
  if (wanted <= available) return;
  char shape[64];
  std::snprintf(shape, sizeof shape, "%.12g x %.12g", rows, columns);
  throw MemoryError(table + ", " + shape + ", would take " + gibibytes(wanted) + " of memory; this machine has " +
                    gibibytes(available) + ".");
}

}  // namespace neargp
