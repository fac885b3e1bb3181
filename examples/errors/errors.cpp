// SPDX-License-Identifier: Apache-2.0
// What happens when things go wrong: a kernel writes where it may not, through a null pointer. Its stream
// stops, says why, and goes on after a reset; the other stream does not notice.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "../check.hpp"

namespace {

sdaaFunction_t fill;

sdaaError_t launch(void* to, uint32_t count, int32_t value, sdaaStream_t stream) {
  const void* args[] = {&to, &count, &value};
  return sdaaLaunchKernel(fill, args, 0, stream);
}

bool all_are(const std::vector<int32_t>& numbers, int32_t value) {
  return std::count(numbers.begin(), numbers.end(), value) == static_cast<long>(numbers.size());
}

}  // namespace

int main() {
  const uint32_t count = 5000;
  std::vector<int32_t> numbers(count);
  const size_t bytes = count * sizeof(int32_t);

  sdaaModule_t module;
  sdaaStream_t stream;
  sdaaStream_t other;
  void* memory;
  CHECK(sdaaModuleLoad(&module, "kernel.elf"));
  CHECK(sdaaModuleGetFunction(&fill, module, "fill"));
  CHECK(sdaaStreamCreateWithFlags(&stream, sdaaStreamNonBlocking));
  CHECK(sdaaStreamCreateWithFlags(&other, sdaaStreamNonBlocking));
  CHECK(sdaaMalloc(&memory, bytes));

  // Some errors are known at once: the call returns them, and nothing else has happened.
  const sdaaError_t at_once = sdaaMemcpy(memory, numbers.data(), bytes + 1, sdaaMemcpyHostToDevice);
  std::printf("a copy that is too long:  %s: %s\n", sdaaGetErrorName(at_once), sdaaGetLastErrorMessage());

  // A kernel's are not: it was launched well, and fails later. Whoever waits for the stream hears of it.
  CHECK(launch(nullptr, count, 1, stream));
  const sdaaError_t later = sdaaStreamSynchronize(stream);
  std::printf("a kernel without memory:  %s: %s\n", sdaaGetErrorName(later), sdaaGetLastErrorMessage());

  // The stream does nothing more and repeats its error; others go on.
  const sdaaError_t stopped = launch(memory, count, 2, stream);
  std::printf("the stream, used again:  %s\n", sdaaGetErrorName(stopped));
  CHECK(launch(memory, count, 3, other));
  CHECK(sdaaMemcpyAsync(numbers.data(), memory, bytes, sdaaMemcpyDeviceToHost, other));
  CHECK(sdaaStreamSynchronize(other));
  const bool other_works = all_are(numbers, 3);

  // After a reset it works again.
  CHECK(sdaaStreamReset(stream));
  CHECK(launch(memory, count, 4, stream));
  CHECK(sdaaMemcpyAsync(numbers.data(), memory, bytes, sdaaMemcpyDeviceToHost, stream));
  CHECK(sdaaStreamSynchronize(stream));
  const bool works_again = all_are(numbers, 4);

  CHECK(sdaaFree(memory));
  CHECK(sdaaStreamDestroy(stream));
  CHECK(sdaaStreamDestroy(other));
  CHECK(sdaaModuleUnload(module));
  const bool good = at_once == sdaaErrorInvalidValue && later == sdaaErrorIllegalAddress &&
                    stopped == sdaaErrorIllegalAddress && other_works && works_again;
  std::printf("errors: %s\n",
              good ? "all as documented; after the reset the stream works again" : "NOT as documented");
  return good ? 0 : 1;
}
