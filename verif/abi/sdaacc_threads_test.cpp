// SPDX-License-Identifier: Apache-2.0
// Kernels that run in threads, as CUDA's do, and the stacks of all: what the compiler driver makes of them
// and refuses.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "abi/module_reader.hpp"
#include "host/lib/argument_types.hpp"
#include "verif/abi/sdaacc_runs.hpp"
#include "verif/firmware/test_tools.hpp"

namespace swai {
namespace {

// Whether one core alone runs it, which is in bit 0 of what its start tells run_blocks.
bool alone(const std::string& source) {
  const TempFolder folder;
  REQUIRE(sdaacc(folder, "#include \"swai/cuda.hpp\"\n" + source).code == 0);
  const Finished symbols = run_command(fmt::format("riscv64-unknown-elf-nm '{}'", folder / "out.elf"));
  const size_t at = symbols.out.find(" A swai_thread_stack_f\n");
  REQUIRE(at != std::string::npos);
  return (std::stoul(symbols.out.substr(at - 8, 8), nullptr, 16) & 1) != 0;
}

TEST_CASE("atomics: one core alone where they may be in memory that all cores see") {
  const std::string shared = "__global__ void f() { __shared__ int x; atomicAdd(&x, 1); ";
  CHECK(!alone(shared + "}"));
  CHECK(alone("__device__ int d; " + shared + "d = 3; }"));
  CHECK(alone("__global__ void f(Global<int> x) { atomicAdd(&x[0], 1); }"));
  CHECK(!alone("__device__ int d; __global__ void f() { d = 3; }"));
}

TEST_CASE("stack: what does not fit is refused, with function, line and the way there") {
  // Line 1 is the #include; what a function of another source needs counts, too.
  const std::string source = R"(using namespace swai::cpe;
int deep(volatile int* at);
[[gnu::noinline]] static int middle(volatile int* at) { volatile int here[25]; here[at[1]] = at[0]; return deep(at) + here[0]; }
__global__ void scale(uint32_t count) { volatile int numbers[3] = {1, 2, static_cast<int>(count)}; middle(numbers); }
__global__ void small() {}
)";
  const TempFolder folder;
  const std::string other = folder / "deep.cpp";
  std::ofstream(other)
      << "int deep(volatile int* at);\n\n"
         "int deep(volatile int* at) { volatile char big[8000]; big[at[0]] = 1; return big[at[1]]; }\n";
  const auto made = [&](const std::string& options) {
    return sdaacc(folder, source, "'" + other + "' " + options);
  };
  const Finished refused = made("");
  CHECK(refused.code == 1);
  CHECK(!std::filesystem::exists(folder / "out.elf"));
  CHECK(contains(refused.error, other + ":3: deep takes 80"));
  CHECK(contains(refused.error, "kernel scale needs 8"));
  CHECK(contains(refused.error, ", middle 1"));
  CHECK(contains(refused.error, ", and has 4096"));
  CHECK(refused.error.find("kernel small") == std::string::npos);
  // The number is exact: so much is enough, and no byte less.
  const size_t at = refused.error.find("give --stack ");
  REQUIRE(at != std::string::npos);
  const int need = std::stoi(refused.error.substr(at + 13));
  CHECK(made(fmt::format("--stack {}", need - 1)).code == 1);
  const Finished good = made(fmt::format("--stack {}", need));
  CHECK(good.code == 0);
  CHECK(good.error == "");
}

TEST_CASE("stack: recursion and arrays of unknown size are told apart") {
  const TempFolder folder;
  const Finished recursion = sdaacc(folder, R"(using namespace swai::cpe;
[[gnu::noinline]] static int sum(int n) { volatile int x = n; return n < 2 ? 1 : x * sum(n - 1) + sum(n - 2); }
[[gnu::noinline]] static int odd(int n);
[[gnu::noinline]] static int even(int n) { volatile int x = n; return x == 0 ? 1 : 1 + odd(x - 1); }
static int odd(int n) { volatile int x = n; return x == 0 ? 0 : 1 + even(x - 1); }
__global__ void f(uint32_t n) { volatile int result = sum(n) + even(n); (void)result; }
)");
  CHECK(recursion.code == 0);
  const std::string source = folder / "source.cpp";
  CHECK(contains(recursion.error, fmt::format("warning: kernel f: sum ({}:3) calls itself", source)));
  CHECK(contains(recursion.error, "calls itself: nobody knows whether 4096 bytes of stack are enough"));
  CHECK(contains(recursion.error, "kernel f: even ("));
  // They look for themselves as they run, and no others.
  const auto stops = stops_of(bytes_of(folder / "out.elf"));
  std::multiset<std::string> guards;
  for (const auto& [place, why] : stops) guards.insert(why);
  CHECK(guards == std::multiset<std::string>{"stack overflow in even", "stack overflow in odd",
                                             "stack overflow in sum"});
  CHECK(stops.contains(fmt::format("sum, {}:3", source)));
  const Finished array = sdaacc(folder, R"(using namespace swai::cpe;
__global__ void f(uint32_t n) { auto* a = static_cast<volatile char*>(__builtin_alloca(n)); a[0] = 1; }
)");
  CHECK(array.code == 0);
  CHECK(contains(array.error, "has an array whose size is not known before it runs"));
  CHECK(stops_of(bytes_of(folder / "out.elf")).size() == 1);
  // What is known needs no guard.
  REQUIRE(sdaacc(folder, R"(
[[gnu::noinline]] static int small(volatile int* at) { volatile int here[25]; here[at[1]] = at[0]; return here[0]; }
__global__ void f(int n) { volatile int numbers[3] = {1, 2, n}; small(numbers); }
)")
              .code == 0);
  CHECK(stops_of(bytes_of(folder / "out.elf")).empty());
  // What is known does not fit, whatever the rest takes.
  CHECK(contains(refusal(R"(using namespace swai::cpe;
[[gnu::noinline]] static int sum(int n) { volatile int x[2000]; x[n] = n; return n < 2 ? 1 : x[n] * sum(n - 1) + sum(n - 2); }
__global__ void f(uint32_t n) { volatile int result = sum(n); (void)result; }
)"),
                 "sum takes 80"));
}

// A module of kernels with threads.
std::vector<uint8_t> with_threads(const std::string& source) {
  const TempFolder folder;
  const Finished finished = sdaacc(folder, "#include \"swai/cuda.hpp\"\n" + source);
  CHECK(finished.error == "");
  REQUIRE(finished.code == 0);
  return bytes_of(folder / "out.elf");
}

std::string refused_with_threads(const std::string& source) {
  return refusal("#include \"swai/cuda.hpp\"\n" + source);
}

TEST_CASE(
    "threads: a grid behind the values, shared memory, and a stack for each thread that waits for others") {
  const auto file = with_threads(R"(
__global__ void alone(Global<const float> in, Global<float> out, int n) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) out[i] = in[i];
}
__device__ void meet(int* at) { __syncthreads(); ++*at; }
__global__ void together(Global<int> out) {
  __shared__ int some[100];
  extern __shared__ int more[];
  more[threadIdx.x] = some[threadIdx.y] = 1;
  meet(some);
  out[0] = more[1];
}
__kernel__ void plain() {}
)");
  module::Module made;
  REQUIRE(made.open(file).ok());
  const module::KernelView alone = *made.find("alone");
  CHECK(alone.parameters == 0x6'344);
  CHECK(alone.argument_bytes == 56);
  CHECK(made.find("plain")->parameters == 0);
  const module::ArgumentTypes types(file);
  const auto taken = types.of(alone).value();
  REQUIRE(taken.size() == 3);
  CHECK(taken[0].kind == module::Kind::kPointer);
  CHECK(taken[0].type == "GlobalPtr<const float>");
  CHECK(!types.stacks_of("alone"));
  CHECK(!types.stacks_of("plain"));
  const module::ThreadStacks stacks = types.stacks_of("together").value();
  CHECK(stacks.bytes % 16 == 0);
  CHECK(stacks.bytes >= 80);
  // All but the core's own stack, `some` and what threads.cpp has.
  CHECK(stacks.room < 131072 - 4096 - 400);
  CHECK(stacks.room > 131072 - 4096 - 400 - 256);
  CHECK(made.ldm_bytes() == 131072 - 4096 - stacks.room);
}

TEST_CASE("elements: what would mean something else than in CUDA is refused") {
  const auto refused = [](const std::string& use) {
    return refused_with_threads(
        "__global__ void f(Global<float> a, [[maybe_unused]] Global<int> b, int n) {\n" + use + "\n}\n");
  };
  // It would be an int.
  CHECK(contains(refused("a[0] = n > 0 ? a[1] : 0;"), "source.cpp:4:"));
  CHECK(contains(refused("b[0] = n > 0 ? b[1] : 'c';"), "source.cpp:4:"));
  // Both would have the second one's number.
  CHECK(contains(refused("auto kept = a[0]; a[0] = a[n]; a[1] = kept;"), "source.cpp:4:"));
  CHECK(contains(refused("auto kept = a[0]; float x = kept; a[n] = x;"), "source.cpp:4:"));
  with_threads(R"(
__global__ void f(Global<float> a, Global<const float> c, Global<int> b, int n) {
  a[0] = n > 0 ? c[1] : 0.0f;
  b[0] = n > 0 ? b[1] : 0;
  const double wide = c[1];
  a[1] = a[2] = c[3] + wide;
  b[2] = a[3];
  a[4] = a[4] * c[4] + b[3];
  if (!b[4] && b[5] == 3) b[6] = -b[7];
  static_assert(std::is_same_v<decltype(min(b[0], n)), int> && std::is_same_v<decltype(max(n, b[0])), int>);
  static_assert(std::is_same_v<decltype(min(c[0], 1.0f)), float>);
  b[8] = min(b[9], 16777217) + max(b[10], b[11]);
  atomicInc(&b[12], n);
  a[5] = __ldg(&c[5]);
}
)");
}

TEST_CASE("threads: what cannot be run right is refused, with its line") {
  // Lines 1 and 2 are #includes.
  const std::string recursion = refused_with_threads(
      R"(int f(int n) { if (n == 0) return 0; __syncthreads(); return f(n - 1) + n + f(n - 2); }
__global__ void k(Global<int> out) { out[0] = f(out[1]); }
)");
  CHECK(contains(recursion, "kernel k: f ("));
  CHECK(contains(recursion, "source.cpp:3) calls itself"));
  CHECK(contains(recursion, "nobody knows how large"));
  const std::string pointer = refused_with_threads(R"(using F = int (*)(int);
LDM F called;
__global__ void k(Global<int> out) { __syncthreads(); out[0] = called(1); }
)");
  CHECK(contains(pointer, "kernel k: k ("));
  CHECK(contains(pointer, "source.cpp:5) calls through a pointer"));
  CHECK(contains(
      refused_with_threads("__global__ void k(Global<int> to) { __shared__ int x = 5; to[0] = ++x; }"),
      "a __shared__ variable has an initial value"));
  const std::string plain = refused_with_threads("\n__global__ void k(float* to) { to[0] = 1; }");
  CHECK(contains(plain, "Global<T> in kernels for CUDA"));
  CHECK(contains(plain, "source.cpp:4:"));
  CHECK(contains(refused_with_threads("__global__ int k() { return 1; }"), "a kernel returns nothing"));
  const std::string warps = refused_with_threads("\n__global__ void k() { __syncwarp(); }");
  CHECK(contains(warps, "source.cpp:4:"));
  CHECK(contains(warps, "there are no warps here"));
  std::string many = "__global__ void k(int";
  for (int i = 1; i < 16; ++i) many += ", int";
  CHECK(contains(refused_with_threads(many + ") {}"), "a kernel with threads takes at most 15 values"));
}

}  // namespace
}  // namespace swai
