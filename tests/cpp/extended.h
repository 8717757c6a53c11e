// Tests that take long. They run where the environment variable NEARGP_EXTENDED_TESTS is set: see main.cpp.
#pragma once

#include <doctest/doctest.h>

const doctest::test_suite extended("extended");
