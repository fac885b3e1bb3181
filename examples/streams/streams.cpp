// SPDX-License-Identifier: Apache-2.0
// Two streams and an event between them. One stream computes squares while the other one brings numbers to
// the card; then the other one adds the squares to them, for which it waits until the event says that they
// are there.
#include <cstdint>

#include "../check.hpp"

int main() {
  const uint32_t count = 20000;
  const size_t bytes = count * sizeof(int32_t);

  sdaaModule_t module;
  sdaaFunction_t squares;
  sdaaFunction_t add;
  CHECK(sdaaModuleLoad(&module, "kernel.elf"));
  CHECK(sdaaModuleGetFunction(&squares, module, "squares"));
  CHECK(sdaaModuleGetFunction(&add, module, "add"));

  // The card copies pinned memory by itself, so both copies below return at once.
  void* pinned;
  CHECK(sdaaMallocHost(&pinned, bytes));
  int32_t* const numbers = static_cast<int32_t*>(pinned);
  for (uint32_t i = 0; i < count; ++i) numbers[i] = 7;

  void* on_card_squares;
  void* on_card_numbers;
  CHECK(sdaaMalloc(&on_card_squares, bytes));
  CHECK(sdaaMalloc(&on_card_numbers, bytes));

  sdaaStream_t computing;
  sdaaStream_t copying;
  sdaaEvent_t ready;
  sdaaEvent_t begin;
  sdaaEvent_t end;
  CHECK(sdaaStreamCreate(&computing));
  CHECK(sdaaStreamCreate(&copying));
  CHECK(sdaaEventCreate(&ready));
  CHECK(sdaaEventCreate(&begin));
  CHECK(sdaaEventCreate(&end));

  CHECK(sdaaEventRecord(begin, computing));
  const void* squares_args[] = {&on_card_squares, &count};
  CHECK(sdaaLaunchKernel(squares, squares_args, 0, computing));
  CHECK(sdaaEventRecord(ready, computing));

  CHECK(sdaaMemcpyAsync(on_card_numbers, numbers, bytes, sdaaMemcpyHostToDevice, copying));
  CHECK(sdaaStreamWaitEvent(copying, ready, 0));
  const void* add_args[] = {&on_card_numbers, &on_card_squares, &count};
  CHECK(sdaaLaunchKernel(add, add_args, 0, copying));
  CHECK(sdaaMemcpyAsync(numbers, on_card_numbers, bytes, sdaaMemcpyDeviceToHost, copying));
  CHECK(sdaaEventRecord(end, copying));

  // Nothing has been waited for until here.
  CHECK(sdaaStreamSynchronize(copying));
  float squares_ms;
  float all_ms;
  CHECK(sdaaEventElapsedTime(&squares_ms, begin, ready));
  CHECK(sdaaEventElapsedTime(&all_ms, begin, end));

  uint32_t wrong = 0;
  for (uint32_t i = 0; i < count; ++i) wrong += numbers[i] != static_cast<int32_t>(i * i + 7);
  std::printf("streams: %u of %u numbers are right; squares took %.1f us of %.1f us on the card\n",
              count - wrong, count, squares_ms * 1000, all_ms * 1000);

  CHECK(sdaaEventDestroy(ready));
  CHECK(sdaaEventDestroy(begin));
  CHECK(sdaaEventDestroy(end));
  CHECK(sdaaStreamDestroy(computing));
  CHECK(sdaaStreamDestroy(copying));
  CHECK(sdaaFree(on_card_squares));
  CHECK(sdaaFree(on_card_numbers));
  CHECK(sdaaFreeHost(pinned));
  CHECK(sdaaModuleUnload(module));
  return wrong == 0 ? 0 : 1;
}
