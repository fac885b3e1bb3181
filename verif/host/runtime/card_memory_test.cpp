// SPDX-License-Identifier: Apache-2.0
// Memory of one side on the simulated card: what the processor has no pages for, and cores no segment.
#include "firmware/kernel/mmu.hpp"
#include "host/runtime/runtime.hpp"
#include "verif/host/runtime/kernels.hpp"
#include "verif/host/runtime/tools.hpp"
#include "verif/system/bar_debug.hpp"
#include "verif/system/rig.hpp"

using namespace swai;
using namespace swai::sdaa;

TEST_CASE("on the card: memory of one side is refused to the other") {
  const system::Rig rig;
  link::Card* card = nullptr;
  Runtime::get().use({[&] {
    auto fresh = rig.open();
    card = fresh.get();
    return fresh;
  }});
  Runtime::current_number() = 0;
  sdaaModule_t module = nullptr;
  REQUIRE_OK(sdaaModuleLoad(&module, "build/cpe-kernels/sdaa-tests.elf"));
  for (const unsigned flags : {sdaaMallocCores, sdaaMallocProcessor, sdaaMallocShared}) {
    CAPTURE(flags);
    void* memory = nullptr;
    REQUIRE_OK(sdaaMallocWithFlags(&memory, 4 << 20, flags, sdaaAnyGroup));
    const std::vector<uint32_t> sent(64, 0x1234'5678);
    REQUIRE_OK(sdaaMemcpy(memory, sent.data(), 256, sdaaMemcpyHostToDevice));
    uint64_t physical = 0;
    {
      const auto device = Runtime::get().current();
      const Device::Lock lock = device->enter();
      physical = device->connection().ask(protocol::Operation::kPointerInfo, {bits(memory)})[3];
    }
    {
      // As a load of the kernel's own would go; it may have been stopped in a trap's machine mode.
      system::Halted halted(*card);
      std::vector<uint8_t> seen(8);
      const size_t read = halted.target().read_as_supervisor(kernel::mmu::virtual_of(physical), seen);
      CHECK(read == (flags == sdaaMallocCores ? 0 : 8));
      if (flags != sdaaMallocCores) CHECK(seen[0] == 0x78);
      CHECK(halted.read(physical) == 0x1234'5678'1234'5678);  // untranslated it is there
    }
    sdaaStream_t stream = nullptr;
    REQUIRE_OK(sdaaStreamCreateWithFlags(&stream, sdaaStreamNonBlocking));
    const WhoArgs who = {cpe::GlobalPtr<uint32_t>(bits(memory))};
    REQUIRE_OK(sdaaLaunchKernel(swai::sdaa::kernel(module, "who"), &who, 0, stream));
    CHECK_ERROR(sdaaStreamSynchronize(stream),
                flags == sdaaMallocProcessor ? sdaaErrorIllegalAddress : sdaaSuccess);
    REQUIRE_OK(sdaaStreamReset(stream));
    std::vector<uint32_t> back(64);
    REQUIRE_OK(sdaaMemcpy(back.data(), memory, 256, sdaaMemcpyDeviceToHost));
    for (uint32_t core = 0; core < 4; ++core)
      CHECK(back[core * 16] == (flags == sdaaMallocProcessor ? sent[0] : core));
    REQUIRE_OK(sdaaStreamDestroy(stream));
    REQUIRE_OK(sdaaFree(memory));
  }
  Runtime::get().use({});
}
