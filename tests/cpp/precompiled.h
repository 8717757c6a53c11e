// Headers that most tests include, compiled once for all tests (make PRECOMPILED=1).
#include "core_fixtures.h"
