// What most tests include, compiled once for all (make PRECOMPILED=1).
#include "core_fixtures.h"
