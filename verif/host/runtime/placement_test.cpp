// SPDX-License-Identifier: Apache-2.0
// Whose memory it is, and where it lies: memory of one side is refused to the other, and memory of a group is
// that group's. Against a played card.
#include "abi/kernel_arguments.hpp"
#include "abi/launch.hpp"
#include "firmware/memory/layout.hpp"
#include "verif/host/runtime/kernels.hpp"
#include "verif/host/runtime/tools.hpp"

using namespace swai;
using namespace swai::sdaa;

namespace {

constexpr unsigned kGroups = 2;

void* allocate_in(size_t bytes, unsigned flags, int group) {
  void* pointer = nullptr;
  REQUIRE_OK(sdaaMallocWithFlags(&pointer, bytes, flags, group));
  return pointer;
}
// In which group's memory the card has put it.
unsigned group_of(const void* pointer) {
  const auto device = Runtime::get().current();
  const Device::Lock lock = device->enter();
  const uint64_t physical = device->connection().ask(protocol::Operation::kPointerInfo, {bits(pointer)})[3];
  return static_cast<unsigned>((physical - regs::kHbmRegion.base) / memory::kMaxGroupBytes);
}
uint64_t free_in(unsigned group) {
  const auto device = Runtime::get().current();
  const Device::Lock lock = device->enter();
  return device->connection().ask(protocol::Operation::kMemoryInfo, {group})[0];
}

}  // namespace

TEST_CASE("memory of one side: kernels fault on the processor's, the processor does not take the kernels'") {
  const Fakes fakes;
  const sdaaModule_t module = load_fake_module();
  const auto file = fake_module();
  for (const size_t bytes : {size_t{4096}, size_t{3} << 20}) {
    for (const unsigned flags : {sdaaMallocCores, sdaaMallocProcessor, sdaaMallocShared}) {
      CAPTURE(bytes);
      CAPTURE(flags);
      void* memory = allocate_in(bytes, flags, sdaaAnyGroup);
      const bool for_cores = flags != sdaaMallocProcessor;
      const bool for_processor = flags != sdaaMallocCores;
      sdaaStream_t stream = nullptr;
      REQUIRE_OK(sdaaStreamCreateWithFlags(&stream, sdaaStreamNonBlocking));
      const WhoArgs who = {cpe::GlobalPtr<uint32_t>(bits(memory))};
      REQUIRE_OK(sdaaLaunchKernel(kernel(module, "who"), &who, 0, stream));
      CHECK_ERROR(sdaaStreamSynchronize(stream), for_cores ? sdaaSuccess : sdaaErrorIllegalAddress);
      if (!for_cores)
        CHECK(std::string(sdaaGetLastErrorMessage()).find("no such segment") != std::string::npos);
      REQUIRE_OK(sdaaStreamReset(stream));

      // The processor is to read a module there.
      REQUIRE_OK(sdaaMemcpy(memory, file.data(), file.size(), sdaaMemcpyHostToDevice));
      {
        auto use = Runtime::get().use_stream(stream);
        command::ModuleLoad command = {};
        command.file = bits(memory);
        command.bytes = file.size();
        use.writer().submit(command::Type::kModuleLoad, command);
      }
      CHECK_ERROR(sdaaStreamSynchronize(stream), for_processor ? sdaaSuccess : sdaaErrorInvalidDevicePointer);
      REQUIRE_OK(sdaaStreamReset(stream));
      // Nothing was harmed, and the host reaches all of it.
      std::vector<uint8_t> back(file.size());
      REQUIRE_OK(sdaaMemcpy(back.data(), memory, back.size(), sdaaMemcpyDeviceToHost));
      CHECK(back == file);
      REQUIRE_OK(sdaaStreamDestroy(stream));
      REQUIRE_OK(sdaaFree(memory));
    }
  }
}

TEST_CASE("memory in a group: it lies there, counts there, runs out there, and all groups reach it") {
  const Fakes fakes;
  const sdaaModule_t module = load_fake_module();
  for (const unsigned flags : {sdaaMallocCores, sdaaMallocProcessor, sdaaMallocShared}) {
    for (int group = 0; group < static_cast<int>(kGroups); ++group) {
      const unsigned other = kGroups - 1 - static_cast<unsigned>(group);
      const uint64_t before = free_in(other);
      for (const size_t bytes : {size_t{64}, size_t{100'000}, size_t{5} << 20}) {
        void* memory = allocate_in(bytes, flags, group);
        CHECK(group_of(memory) == static_cast<unsigned>(group));
        sdaaPointerAttribute_t attributes;
        REQUIRE_OK(sdaaPointerGetAttributes(&attributes, memory));
        CHECK(attributes.group == group);
        REQUIRE_OK(sdaaFree(memory));
      }
      CHECK(free_in(other) == before);
    }
  }

  void* near = allocate_in(256, sdaaMallocCores, 1);
  const WhoArgs who = {cpe::GlobalPtr<uint32_t>(bits(near))};
  for (int group = 0; group < static_cast<int>(kGroups); ++group) {
    REQUIRE_OK(sdaaMemset(near, 0xff, 256));
    const sdaaLaunchConfig_t config = {sizeof config, 0, group, 0, 0};
    REQUIRE_OK(sdaaLaunch(kernel(module, "who"), &config, &who, sizeof who, nullptr));
    uint32_t numbers[64] = {};
    REQUIRE_OK(sdaaMemcpy(numbers, near, sizeof numbers, sdaaMemcpyDeviceToHost));
    for (uint32_t core = 0; core < 4; ++core) CHECK(numbers[core * 16] == core);
  }

  // A full group does not take from the other one. Who does not mind gets it from there.
  void* pointer = nullptr;
  const uint64_t before = free_in(0);
  sdaaError_t result = sdaaSuccess;
  while ((result = sdaaMallocWithFlags(&pointer, 8 << 20, sdaaMallocCores, 1)) == sdaaSuccess) {
  }
  CHECK_ERROR(result, sdaaErrorOutOfMemory);
  CHECK(pointer == nullptr);
  CHECK(free_in(0) == before);
  // What is left is in pieces between what is taken, and can be had to the last block.
  while (sdaaMallocWithFlags(&pointer, 2 << 20, sdaaMallocCores, 1) == sdaaSuccess) {
  }
  CHECK(free_in(1) == 0);
  CHECK(group_of(allocate_in(8 << 20, sdaaMallocCores, sdaaAnyGroup)) == 0);
}
