#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Names of functions as GCC writes them for -fcallgraph-info, read by cpe-kernels/sdk/compiler/stack_use.py; GCC itself writes them here."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, "cpe-kernels/sdk/compiler")
import stack_use  # noqa: E402

COMPILER = ["riscv64-unknown-elf-g++", "-march=rv32im", "-mabi=ilp32", "-std=c++20", "-O1", "-fcallgraph-info=su", "-c"]
SOURCE = """
#define APART __attribute__((noinline, noclone))
struct A {
  int v;
  bool operator<(const A&) const;
  A& operator<<(int);
  A* operator->();
  int operator()(int);
  explicit operator bool() const;
  operator unsigned long() const;
};
bool A::operator<(const A& other) const { return v < other.v; }
A& A::operator<<(int x) { v = x; return *this; }
A* A::operator->() { return this; }
int A::operator()(int x) { return x; }
A::operator bool() const { return v; }
A::operator unsigned long() const { return v; }
void* operator new(unsigned, A* place) noexcept { return place; }
template <typename T> APART bool operator>(const T& a, int b) { return a.v > b; }
bool above(const A& a) { return a > 3; }
void (*gives_function(int))(float) { return nullptr; }
int numbers[3];
int (&gives_array(int))[3] { return numbers; }
int takes_function(int (*f)(int), int (&)[3]) { return f(1); }
template <typename T> APART decltype(auto) decides(T t) { return t + 1; }
int decided(int x) { return decides(x); }
namespace space {
template <int N, bool B> struct C { APART static int of(int x) { return x * N; } };
}
int filled(int x) { return space::C<3, (4 > 2)>::of(x); }
int with_lambda(int x) { return [](int y) APART { return y * 3; }(x); }
auto with_class(int x) {
  struct Local { int x; APART int times(int y) { return x * y; } };
  return Local{x};
}
int of_class(int x) { return with_class(x).times(3); }
namespace {
APART int hidden(int x) { return x * x; }
}
int shown(int x) { return hidden(x); }
extern "C" int plain() { return 1; }
"""
NAMES = {
    "A::operator<", "A::operator<<", "A::operator->", "A::operator()", "A::operator bool", "A::operator long unsigned int",
    "operator new", "operator>", "above", "gives_function", "gives_array", "takes_function", "decides", "decided", "space::C<N, B>::of",
    "filled", "with_lambda", "with_lambda::<lambda(int)>", "with_class", "with_class::Local::times", "of_class", "{anonymous}::hidden",
    "shown", "plain",
}


# A kernel that goes on elsewhere, where a function begins that nobody calls.
OTHER_STACK = """
extern "C" void swai_switch(void** leave, void* enter);
void begins_there() {
  volatile char large[800];
  large[0] = 0;
  swai_switch(nullptr, nullptr);
}
void (*first)() = begins_there;
extern "C" void kernel() { swai_switch(nullptr, nullptr); }
"""


def graph_of(text):
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder, "source.cpp")
        source.write_text(text)
        subprocess.run([*COMPILER, "-o", source.with_suffix(".o"), source], check=True)
        return source.with_suffix(".ci").read_text()


class StackUseTest(unittest.TestCase):
    def test_names(self):
        functions = stack_use.read([graph_of(SOURCE)], str)
        self.assertEqual({one.name for one in functions.values()}, NAMES)

    def test_other_stacks(self):
        graph = graph_of(OTHER_STACK)
        self.assertEqual(stack_use.check([graph], {"kernel"}, 2000, str), ([], []))
        wrong, _ = stack_use.check([graph], {"kernel"}, 700, str)
        self.assertEqual(len(wrong), 1)
        self.assertIn("kernel begins_there needs", wrong[0])


if __name__ == "__main__":
    unittest.main()
