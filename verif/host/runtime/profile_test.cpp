// SPDX-License-Identifier: Apache-2.0
// A program of two threads with ranges, run by profile_test.py with SWAI_PROFILE; and without.
#include <array>
#include <thread>

#include "verif/host/runtime/kernels.hpp"
#include "verif/host/runtime/tools.hpp"

using namespace swai;
using namespace swai::sdaa;

TEST_CASE("profile: ranges, calls, commands") {
  const Fakes fakes;
  const bool traced = Profile::get() != nullptr;
  CHECK_ERROR(sdaaRangePop(), sdaaErrorIllegalState);
  CHECK_ERROR(sdaaRangePush(nullptr), sdaaErrorInvalidValue);
  uint64_t range = 0;
  CHECK_ERROR(sdaaRangeStart(nullptr, "none"), sdaaErrorInvalidValue);
  CHECK_ERROR(sdaaRangeEnd(77), sdaaErrorInvalidHandle);
  CHECK_OK(sdaaRangePush("outer"));
  CHECK_OK(sdaaRangeStart(&range, "background"));
  CHECK((range != 0) == traced);
  const sdaaModule_t module = load_fake_module();
  void* memory = allocate(4096);
  const AxpyIntArgs args = {cpe::GlobalPtr<int32_t>(bits(memory)),
                            cpe::GlobalPtr<const int32_t>(bits(memory) + 2048), 64, 2};
  sdaaStream_t stream = nullptr;
  CHECK_OK(sdaaStreamCreateWithFlags(&stream, sdaaStreamNonBlocking));
  CHECK_OK(sdaaRangePush("inner"));
  for (int i = 0; i < 3; ++i) CHECK_OK(sdaaLaunchKernel(kernel(module, "axpy_int"), &args, 0, stream));
  CHECK_OK(sdaaMemsetAsync(memory, 0, 100, stream));
  CHECK_OK(sdaaStreamSynchronize(stream));
  CHECK_OK(sdaaRangePop());
  std::thread([] {
    CHECK_OK(sdaaRangePush("elsewhere"));
    CHECK_OK(sdaaRangePop());
  }).join();
  CHECK_OK(sdaaRangeEnd(range));
  CHECK_OK(sdaaProfilerStart());
  if (traced) {
    CHECK_OK(sdaaProfilerStop());
    CHECK_OK(sdaaRangePush("unseen"));
    CHECK_OK(sdaaMemsetAsync(memory, 0, 100, stream));
    CHECK_OK(sdaaProfilerStart());
    CHECK_OK(sdaaRangePop());
  }
  std::array<uint8_t, 64> host = {};
  CHECK_OK(sdaaMemcpy(host.data(), memory, host.size(), sdaaMemcpyDeviceToHost));
  CHECK_OK(sdaaRangePop());
  CHECK_OK(sdaaRangePush("open at the end"));
  if (!traced) CHECK_OK(sdaaRangePop());
}
