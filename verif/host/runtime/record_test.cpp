// SPDX-License-Identifier: Apache-2.0
// A program that record_test.py runs with SWAI_RECORD, twice; and without.
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <numeric>

#include "host/runtime/recorder.hpp"
#include "verif/host/runtime/kernels.hpp"
#include "verif/host/runtime/tools.hpp"

using namespace swai;
using namespace swai::sdaa;

TEST_CASE("record: copies, launches, failures, graphs, what nobody waits for") {
  const Fakes fakes;
  constexpr size_t kBytes = 200'000;
  const sdaaModule_t module = load_fake_module();
  void* memory = allocate(kBytes);
  void* other = allocate(64);
  void* pinned = nullptr;
  REQUIRE_OK(sdaaMallocHost(&pinned, 4096));

  // Through buffers, in pieces, by the default stream.
  std::vector<uint8_t> bytes(kBytes);
  std::iota(bytes.begin(), bytes.end(), uint8_t{0});
  CHECK_OK(sdaaMemcpy(memory, bytes.data(), kBytes, sdaaMemcpyHostToDevice));
  CHECK_OK(sdaaMemcpy(bytes.data(), memory, kBytes, sdaaMemcpyDeviceToHost));

  // Rows with gaps between them, to pinned memory.
  const sdaaStream_t stream = new_stream(sdaaStreamNonBlocking);
  std::memset(pinned, 0xee, 4096);
  CHECK_OK(sdaaMemcpy2DAsync(pinned, 32, static_cast<uint8_t*>(memory) + 3, 256, 5, 4, sdaaMemcpyDeviceToHost,
                             stream));
  const sdaaEvent_t event = new_event();
  CHECK_OK(sdaaEventRecord(event, stream));
  CHECK_OK(sdaaEventSynchronize(event));
  // Two to the same place: nobody knows what the first one has brought.
  for (const int from : {0, 64})
    CHECK_OK(
        sdaaMemcpyAsync(pinned, static_cast<uint8_t*>(memory) + from, 8, sdaaMemcpyDeviceToHost, stream));
  CHECK_OK(sdaaStreamSynchronize(stream));

  // A failure, and what comes behind it.
  ManyArgs many = {global<uint32_t>(other), {7}};
  const sdaaFunction_t function = kernel(module, "many_arguments");
  CHECK_OK(sdaaLaunchKernel(kernel(module, "breakpoint"), nullptr, 0, stream));
  static_cast<void>(sdaaLaunchKernel(function, &many, 0, stream));
  CHECK_ERROR(sdaaStreamSynchronize(stream), sdaaErrorAssert);
  CHECK_OK(sdaaStreamReset(stream));
  CHECK_OK(sdaaLaunchKernel(function, &many, 0, stream));

  // A graph whose copy the host reads.
  sdaaGraph_t graph = nullptr;
  sdaaGraphExec_t exec = nullptr;
  CHECK_OK(sdaaStreamBeginCapture(stream, sdaaStreamCaptureModeGlobal));
  CHECK_OK(sdaaLaunchKernel(function, &many, 0, stream));
  CHECK_OK(sdaaMemcpyAsync(pinned, other, 4, sdaaMemcpyDeviceToHost, stream));
  CHECK_OK(sdaaStreamEndCapture(stream, &graph));
  CHECK_OK(sdaaGraphInstantiate(&exec, graph, 0));
  CHECK_OK(sdaaGraphLaunch(exec, stream));
  CHECK_OK(sdaaStreamSynchronize(stream));

  CHECK_OK(sdaaLaunchKernel(kernel(module, "slow"), nullptr, 0, stream));

  // Two that are the same where only UTF-8 is.
  if (Recorder* recorder = Recorder::get())
    for (const char* line : {"\xfe", "\xff"}) recorder->printed(0, "core 1", line);
  // A copy of the process writes nothing.
  const pid_t child = ::fork();
  if (child == 0) ::_exit(Recorder::get() == nullptr ? 0 : 1);
  int status = -1;
  CHECK(::waitpid(child, &status, 0) == child);
  CHECK(status == 0);
}

TEST_CASE("record of much: more than is kept") {
  const Fakes fakes;
  constexpr size_t kBytes = 4 << 20;
  void* memory = allocate(kBytes);
  void* pinned = nullptr;
  REQUIRE_OK(sdaaMallocHost(&pinned, kBytes));
  for (uint8_t i = 0; i < 17; ++i) {
    CHECK_OK(sdaaMemset(memory, i, kBytes));
    CHECK_OK(sdaaMemcpy(pinned, memory, kBytes, sdaaMemcpyDeviceToHost));
  }
  // A small one finds no room either.
  CHECK_OK(sdaaMemcpy(pinned, memory, 16, sdaaMemcpyDeviceToHost));
}

TEST_CASE("record without room: it is written no further, whatever room there is later") {
  const Fakes fakes;
  void* memory = allocate(16);
  void* pinned = nullptr;
  REQUIRE_OK(sdaaMallocHost(&pinned, 16));
  const auto copy = [&] { CHECK_OK(sdaaMemcpy(pinned, memory, 16, sdaaMemcpyDeviceToHost)); };
  copy();
  rlimit before = {};
  REQUIRE(::getrlimit(RLIMIT_FSIZE, &before) == 0);
  const rlimit none = {0, before.rlim_max};
  const auto earlier = ::signal(SIGXFSZ, SIG_IGN);
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &none) == 0);
  copy();
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &before) == 0);
  ::signal(SIGXFSZ, earlier);
  copy();
}
