// SPDX-License-Identifier: Apache-2.0
// tier-dependent WHAT: a host program that does something else on the functional model of the card than on
// RTL, as compare_test.py wants it: what `swai compare` must find.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "host/runtime/include/sdaa_runtime.h"
#include "verif/host/runtime/kernels.hpp"

namespace {

using namespace swai::sdaa;

constexpr uint32_t kCount = 20'000;
constexpr size_t kBytes = kCount * sizeof(int32_t);
constexpr uint32_t kOther = 12'345;  // that number is another one

void check(sdaaError_t error) {
  if (error == sdaaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", sdaaGetErrorName(error), sdaaGetLastErrorMessage());
  std::exit(9);
}

bool is_fast() {
  sdaaDeviceProp_t card = {};
  check(sdaaGetDeviceProperties(&card, 0));
  return std::string_view(card.name).ends_with("fast tier");
}

sdaaFunction_t kernel(sdaaModule_t module, const char* name) {
  sdaaFunction_t function = nullptr;
  check(sdaaModuleGetFunction(&function, module, name));
  return function;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view what = argc == 2 ? argv[1] : "";
  const bool other = is_fast();
  int cards = 0;
  check(sdaaGetDeviceCount(&cards));
  check(sdaaSetDevice(cards - 1));
  sdaaModule_t module = nullptr;
  sdaaStream_t stream = nullptr;
  void* memory = nullptr;
  check(sdaaModuleLoad(&module, "build/cpe-kernels/sdaa-tests.elf"));
  check(sdaaStreamCreate(&stream));
  check(sdaaMalloc(&memory, kBytes));

  std::vector<int32_t> numbers(kCount, 3);
  check(sdaaMemcpyAsync(memory, numbers.data(), kBytes, sdaaMemcpyHostToDevice, stream));
  const ManyArgs many = {global<uint32_t>(static_cast<int32_t*>(memory) + kOther),
                         {what == "bits" && other ? 8u : 7u}};
  check(sdaaLaunchKernel(kernel(module, "many_arguments"), &many, 0, stream));
  if (what == "end") {
    const ManyArgs bad = {swai::cpe::GlobalPtr<uint32_t>(other ? 0 : many.to.bits()), {7}};
    check(sdaaLaunchKernel(kernel(module, "many_arguments"), &bad, 0, stream));
  }
  static_cast<void>(sdaaMemcpyAsync(numbers.data(), memory, kBytes, sdaaMemcpyDeviceToHost, stream));
  static_cast<void>(sdaaStreamSynchronize(stream));
  if (what == "missing" && other) check(sdaaMemcpy(numbers.data(), memory, 4, sdaaMemcpyDeviceToHost));
  if (what == "signal" && other) std::raise(SIGSEGV);
  std::puts("done");
  return what == "code" && other ? 4 : 0;
}
