// What CUDA's names give, on the card.
#include <numeric>

#include "verif/sdaa/kernels.hpp"
#include "verif/sdaa/on_card.hpp"
#include "verif/sdaa/tools.hpp"

using namespace swai;
using namespace swai::sdaa;

TEST_CASE("on the card: memory in the order of a stream, filled with words, added up, fetched as a box") {
  const OnCard card;
  constexpr uint32_t kCount = 96;
  constexpr size_t kBytes = kCount * sizeof(int32_t);
  sdaaModule_t module = nullptr;
  REQUIRE_OK(sdaaModuleLoad(&module, "build/cpe-kernels/sdaa-tests.elf"));
  sdaaStream_t stream = nullptr;
  REQUIRE_OK(sdaaStreamCreate(&stream, sdaaStreamNonBlocking));
  int32_t* x = nullptr;
  REQUIRE_OK(sdaaMallocAsync(&x, kBytes, stream));
  int32_t* const before = x;
  for (int32_t round = 1; round < 3; ++round) {
    int32_t* y = nullptr;
    REQUIRE_OK(sdaaMallocAsync(&y, kBytes, stream));
    CHECK_OK(sdaaMemsetD32Async(x, 0x12345, kCount, stream));
    CHECK_OK(sdaaMemsetD16Async(y, 0x0203, 2 * kCount, stream));
    const AxpyIntArgs args = {global<int32_t>(y), global<const int32_t>(x), kCount, round};
    CHECK_OK(sdaaLaunchKernel(kernel(module, "axpy_int"), &args, 0, stream));
    int32_t found[kCount] = {};
    sdaaMemcpy3DParms box = {};
    box.srcPtr = make_sdaaPitchedPtr(y, 32, 32, 4);
    box.dstPtr = make_sdaaPitchedPtr(found, 32, 32, 4);
    box.extent = make_sdaaExtent(32, 4, 3);
    box.kind = sdaaMemcpyDeviceToHost;
    CHECK_OK(sdaaMemcpy3DAsync(&box, stream));
    // The kernel may still run: what comes next in the stream may have its memory all the same.
    CHECK_OK(sdaaFreeAsync(x, stream));
    CHECK_OK(sdaaFreeAsync(y, stream));
    CHECK_OK(sdaaMallocAsync(&x, kBytes, stream));
    CHECK(x == before);
    CHECK_OK(sdaaStreamSynchronize(stream));
    for (uint32_t i = 0; i < kCount; ++i) REQUIRE(found[i] == 0x02030203 + round * 0x12345);
  }
  CHECK_OK(sdaaFree(x));
  CHECK_OK(sdaaStreamDestroy(stream));
  CHECK_OK(sdaaModuleUnload(module));
}
