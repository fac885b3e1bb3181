// SPDX-License-Identifier: Apache-2.0
// What doctest's macros stand for, for cppcheck, which does not read system headers.
#pragma once
#define TEST_CASE(name) void test_case()
#define TEST_CASE_FIXTURE(fixture, name) \
  struct Test : fixture {                \
    void run();                          \
  };                                     \
  void Test::run()
