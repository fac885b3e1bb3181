// SPDX-License-Identifier: Apache-2.0
// What the simulated card tells about itself, and how it comes back from a firmware that has ended and from a
// group that does not answer.
#include <algorithm>
#include <cstring>

#include "abi/fault.hpp"
#include "abi/kernel_arguments.hpp"
#include "abi/launch.hpp"
#include "card_regs.hpp"
#include "host/lib/elf.hpp"
#include "host/runtime/runtime.hpp"
#include "verif/host/runtime/kernels.hpp"
#include "verif/host/runtime/tools.hpp"
#include "verif/system/bar_debug.hpp"
#include "verif/system/rig.hpp"

namespace {

using namespace swai;
using swai::sdaa::kernel;
using swai::sdaa::kModule;

constexpr unsigned kControlBar = 4;

// A card, and the connection that the library has to it.
class OnCard {
 public:
  OnCard() {
    begin_anew();
    REQUIRE_OK(sdaaDeviceSynchronize());
  }
  ~OnCard() { swai::sdaa::Runtime::get().use({}); }
  OnCard(const OnCard&) = delete;
  OnCard& operator=(const OnCard&) = delete;

  link::Card& link() const { return *card_; }
  // As another program would.
  void begin_anew(const swai::sdaa::Limits& limits = {}) {
    swai::sdaa::Runtime::get().use({[this] {
                                     auto card = rig_.open();
                                     card_ = card.get();
                                     return card;
                                   }},
                                   limits);
    swai::sdaa::Runtime::current_number() = 0;
  }

 private:
  system::Rig rig_;
  link::Card* card_ = nullptr;
};

std::vector<std::string> read_log() {
  sdaaLogRecord_t records[32];
  unsigned count = 0;
  uint64_t position = 0;
  uint64_t lost = 0;
  REQUIRE_OK(sdaaDeviceReadLog(records, 32, &count, &position, &lost, 0));
  CHECK(lost == 0);
  std::vector<std::string> lines;
  for (unsigned i = 0; i < count; ++i) lines.emplace_back(records[i].text);
  return lines;
}

sdaaFaultRecord_t one_fault(uint64_t& position) {
  sdaaFaultRecord_t records[8];
  unsigned count = 0;
  uint64_t lost = 0;
  REQUIRE_OK(sdaaDeviceReadFaults(records, 8, &count, &position, &lost, 0));
  REQUIRE(count == 1);
  return records[0];
}

// Cores and copies work.
void prove() {
  sdaaModule_t module = nullptr;
  REQUIRE_OK(sdaaModuleLoad(&module, kModule));
  void* memory = nullptr;
  REQUIRE_OK(sdaaMalloc(&memory, 256));
  const swai::sdaa::WhoArgs who = {cpe::GlobalPtr<uint32_t>(swai::sdaa::bits(memory))};
  REQUIRE_OK(sdaaLaunchKernel(kernel(module, "who"), &who, 0, nullptr));
  uint32_t numbers[64] = {};
  REQUIRE_OK(sdaaMemcpy(numbers, memory, sizeof numbers, sdaaMemcpyDeviceToHost));
  for (uint32_t core = 0; core < 4; ++core) CHECK(numbers[core * 16] == core);
  REQUIRE_OK(sdaaFree(memory));
  REQUIRE_OK(sdaaModuleUnload(module));
}

// What the firmware has left, which is of this kind.
sdaaFirmwareFault_t fault_of(swai::fault::Kind kind) {
  sdaaFirmwareFault_t fault;
  REQUIRE_OK(sdaaDeviceGetFirmwareFault(&fault, 0));
  CHECK(fault.kind == static_cast<int>(kind));
  CHECK(fault.build[0] != 0);
  return fault;
}
// A reset brings the card back, and the next firmware has noted how the last one ended.
void comes_back(swai::fault::Kind kind, uint64_t& position) {
  REQUIRE_OK(sdaaDeviceReset());
  prove();
  const auto noted = one_fault(position);
  CHECK(noted.kind == sdaaFaultFirmware);
  CHECK(noted.cause == static_cast<int>(kind));
}

}  // namespace

TEST_CASE("on the card: the log, and the faults of a kernel and of a transfer") {
  const OnCard card;
  const auto log = read_log();
  REQUIRE(log.size() >= 3);
  CHECK(log[0] == "self-test passed");
  CHECK(log[1] == "serving the host");
  CHECK(log[2] == "ready, booted from slot A");

  uint64_t position = 0;
  sdaaModule_t faults = nullptr;
  REQUIRE_OK(sdaaModuleLoad(&faults, "build/cpe-kernels/faults.elf"));
  sdaaStream_t stream = nullptr;
  REQUIRE_OK(sdaaStreamCreate(&stream));
  const cpe::FaultArgs culprit = {cpe::GlobalPtr<void>(uint64_t{0}), 2, 0};
  REQUIRE_OK(sdaaLaunchKernel(kernel(faults, "read_nowhere"), &culprit, 0, stream));
  CHECK_ERROR(sdaaStreamSynchronize(stream), sdaaErrorIllegalAddress);
  auto fault = one_fault(position);
  CHECK(fault.kind == sdaaFaultKernel);
  CHECK(fault.cause == static_cast<int>(launch::Cause::kVacant));
  CHECK(fault.group == 0);
  CHECK(fault.core == 2);
  CHECK(fault.segment == -1);
  CHECK(fault.pc != 0);
  CHECK(fault.count == 1);
  CHECK(card.link().interrupts().take(uint64_t{1} << protocol::kLogVector) != 0);
  REQUIRE_OK(sdaaStreamReset(stream));

  const sdaaLaunchConfig_t config = {sizeof config, 0x2, sdaaAnyGroup, 5'000, 0};
  const cpe::FaultArgs second = {cpe::GlobalPtr<void>(uint64_t{0}), 1, 0};
  REQUIRE_OK(sdaaLaunch(kernel(faults, "endless_loop"), &config, &second, sizeof second, stream));
  CHECK_ERROR(sdaaStreamSynchronize(stream), sdaaErrorLaunchTimeOut);
  fault = one_fault(position);
  CHECK(fault.kind == sdaaFaultKernelTimeout);
  CHECK(fault.core == 1);
  REQUIRE_OK(sdaaStreamReset(stream));

  void* host = nullptr;
  void* memory = nullptr;
  REQUIRE_OK(sdaaMallocHost(&host, 4096));
  REQUIRE_OK(sdaaMalloc(&memory, 4096));
  sdaaPointerAttribute_t attributes;
  REQUIRE_OK(sdaaPointerGetAttributes(&attributes, host));
  card.link().backend().unmap(swai::sdaa::bits(attributes.devicePointer), 4096);
  REQUIRE_OK(sdaaMemcpyAsync(memory, host, 4096, sdaaMemcpyHostToDevice, stream));
  CHECK_ERROR(sdaaStreamSynchronize(stream), sdaaErrorTransferFailure);
  fault = one_fault(position);
  CHECK(fault.kind == sdaaFaultTransfer);
  CHECK(fault.cause == regs::dma::error::kCauseUnsupported);
  CHECK(fault.channel >= 0);
  CHECK((fault.address & ~uint64_t{4095}) == swai::sdaa::bits(attributes.devicePointer));
}

TEST_CASE(
    "on the card: firmware that ends is a lost device; its record can be read; a reset brings it back") {
  OnCard card;
  sdaaDeviceProp_t properties;
  REQUIRE_OK(sdaaGetDeviceProperties(&properties, 0));
  void* memory = nullptr;
  REQUIRE_OK(sdaaMalloc(&memory, 1 << 20));
  sdaaFirmwareFault_t fault;
  CHECK_ERROR(sdaaDeviceGetFirmwareFault(&fault, 0), sdaaErrorNotFound);

  // Where no code is.
  constexpr unsigned kPc = 32;
  {
    system::Halted halted(card.link());
    halted.target().write_register(kPc, 0x40);
  }
  std::vector<uint8_t> bytes(1 << 20);
  CHECK_ERROR(sdaaMemcpy(memory, bytes.data(), bytes.size(), sdaaMemcpyHostToDevice), sdaaErrorDeviceLost);
  CHECK(std::string(sdaaGetLastErrorMessage()).find("unexpected exception, pc 0x40") != std::string::npos);
  CHECK_ERROR(sdaaMalloc(&memory, 64), sdaaErrorDeviceLost);
  REQUIRE_OK(sdaaDeviceGetFirmwareFault(&fault, 0));
  CHECK(fault.kind == static_cast<int>(swai::fault::Kind::kException));
  CHECK(std::string(swai::fault::cause_text(fault.cause)) == "fetch page fault");
  CHECK(fault.pc == 0x40);
  CHECK(fault.value == 0x40);
  CHECK(fault.registers[2] - regs::kLocalRegion.base < regs::kSramBytes);
  CHECK(fault.build[0] != 0);
  CHECK(std::string(properties.firmwareCommit).starts_with(fault.build));
  const size_t before = read_log().size();

  // Another program finds it as it is.
  card.begin_anew();
  CHECK_ERROR(sdaaDeviceSynchronize(), sdaaErrorDeviceLost);
  CHECK(std::string(sdaaGetLastErrorMessage()).find("unexpected exception, pc 0x40") != std::string::npos);
  CHECK(read_log().size() == before);
  REQUIRE_OK(sdaaDeviceReset());
  prove();
  const auto log = read_log();
  REQUIRE(log.size() == before + 4);
  CHECK(log[before] == "an earlier run ended: unexpected exception, pc 0x40");
  uint64_t position = 0;
  const auto noted = one_fault(position);
  CHECK(noted.kind == sdaaFaultFirmware);
  CHECK(noted.cause == static_cast<int>(swai::fault::Kind::kException));
  CHECK(noted.pc == 0x40);
  REQUIRE_OK(sdaaDeviceGetFirmwareFault(&fault, 0));
  CHECK(fault.pc == 0x40);
}

TEST_CASE(
    "on the card: firmware that does not answer is a timeout, not a lost device; a reset brings it back") {
  OnCard card;
  swai::sdaa::Limits limits;
  limits.request_cycles = 200'000;
  card.begin_anew(limits);
  void* memory = nullptr;
  REQUIRE_OK(sdaaMalloc(&memory, 64));
  namespace control = regs::debug::control;
  card.link().post<uint64_t>(kControlBar, control::kAddr - regs::kCardRegion.base, control::kHalt.put(1));
  CHECK_ERROR(sdaaMalloc(&memory, 64), sdaaErrorTimedOut);
  sdaaFirmwareFault_t fault;
  CHECK_ERROR(sdaaDeviceGetFirmwareFault(&fault, 0), sdaaErrorNotFound);
  const size_t before = read_log().size();
  REQUIRE_OK(sdaaDeviceReset());
  prove();
  CHECK(read_log().size() == before + 3);
}

TEST_CASE(
    "on the card: records of a non-maskable interrupt whose cause has gone, and of a self-test that fails") {
  const OnCard card;
  uint64_t faults = 0;
  namespace watchdog = regs::system;
  {
    // The watchdog runs out while the processor stands still, and is switched off before it goes on.
    system::Halted halted(card.link());
    constexpr uint64_t kClocks = 400'000;  // longer than it takes to look
    halted.write(watchdog::watchdog_timeout::kAddr, kClocks);
    halted.write(watchdog::watchdog_control::kAddr, watchdog::watchdog_control::kEnable.put(1));
    const auto expired = [&] {
      return watchdog::watchdog_control::kExpired.get(halted.read(watchdog::watchdog_control::kAddr)) != 0;
    };
    for (unsigned looks = 0; !expired(); ++looks) REQUIRE(looks < kClocks);
    halted.write(watchdog::watchdog_control::kAddr, 0);
    halted.write(watchdog::watchdog_kick::kAddr, watchdog::watchdog_kick::kKeyKick);
    REQUIRE(!expired());
  }
  void* memory = nullptr;
  CHECK_ERROR(sdaaMalloc(&memory, 64), sdaaErrorDeviceLost);
  sdaaFirmwareFault_t fault = fault_of(swai::fault::Kind::kNmi);
  CHECK(std::string(swai::fault::cause_text(fault.cause)) == "interrupt");
  // Where it stood still: in the kernel's code, the rarely used part of which lies apart.
  const auto elf = common::load_elf("build/firmware/kernel.elf");
  const auto cold = elf.symbol("__cold_start"), cold_end = elf.symbol("__cold_end");
  REQUIRE((cold && cold_end));
  CHECK(
      (fault.pc - regs::kLocalRegion.base < regs::kSramBytes || (fault.pc >= *cold && fault.pc < *cold_end)));
  CHECK(std::string(fault.message).empty());
  comes_back(swai::fault::Kind::kNmi, faults);

  const auto run = elf.symbol("_ZN4swai6kernel8selftest3runEv");
  const auto table = elf.symbol("_ZN4swai6kernel3mmu12_GLOBAL__N_110device_gibE");
  REQUIRE(run);
  REQUIRE(table);
  {
    system::Halted halted(card.link());
    REQUIRE(halted.target().set_hardware_breakpoint(*run));
    halted.target().resume();
    namespace request = regs::pcie::reset_request;
    card.link().post<uint64_t>(kControlBar, request::kOffset,
                               request::kKey.put(request::kKeyGo) | request::kProcessor.put(1));
    unsigned waits = 0;
    while (!halted.reached()) REQUIRE(++waits < 1000);
    CHECK(halted.reg(32) == *run);
    REQUIRE(halted.target().clear_hardware_breakpoint(*run));
    // A word of the page tables is damaged: where nothing may be there is a page.
    CHECK(halted.read(*table) == 0);
    halted.write(*table, 0xc7);
  }
  CHECK_ERROR(sdaaMalloc(&memory, 64), sdaaErrorDeviceLost);
  fault = fault_of(swai::fault::Kind::kSelfTest);
  CHECK(std::string(fault.message) == "protection");
  CHECK(std::string(fault.text).find("self-test failed: protection") != std::string::npos);
  comes_back(swai::fault::Kind::kSelfTest, faults);
}

TEST_CASE("on the card: a group that is reset behind the kernel's back is given up; copies go on") {
  const OnCard card;
  prove();
  sdaaModule_t module = nullptr;
  REQUIRE_OK(sdaaModuleLoad(&module, kModule));
  sdaaStream_t lost = nullptr;
  REQUIRE_OK(sdaaStreamCreateWithFlags(&lost, sdaaStreamNonBlocking));
  const sdaaLaunchConfig_t config = {sizeof config, 0, 0, 20'000, 0};
  REQUIRE_OK(sdaaLaunch(kernel(module, "hang"), &config, nullptr, 0, lost));
  CHECK_ERROR(sdaaStreamQuery(lost), sdaaErrorNotReady);
  namespace request = regs::pcie::reset_request;
  card.link().post<uint64_t>(kControlBar, request::kOffset,
                             request::kKey.put(request::kKeyGo) | request::kGroups.put(1));
  CHECK_ERROR(sdaaStreamSynchronize(lost), sdaaErrorDeviceFirmware);
  CHECK(std::string(sdaaGetLastErrorMessage()).find("core group does not answer") != std::string::npos);
  uint64_t position = 0;
  const auto fault = one_fault(position);
  CHECK(fault.kind == sdaaFaultGroupLost);
  CHECK(fault.group == 0);

  void* memory = nullptr;
  REQUIRE_OK(sdaaMalloc(&memory, 5000));
  std::vector<uint8_t> from(5000, 0x3c);
  std::vector<uint8_t> to(5000);
  REQUIRE_OK(sdaaMemcpy(memory, from.data(), from.size(), sdaaMemcpyHostToDevice));
  REQUIRE_OK(sdaaMemcpy(to.data(), memory, to.size(), sdaaMemcpyDeviceToHost));
  CHECK(from == to);
  sdaaStream_t other = nullptr;
  REQUIRE_OK(sdaaStreamCreateWithFlags(&other, sdaaStreamNonBlocking));
  REQUIRE_OK(sdaaLaunch(kernel(module, "hang"), &config, nullptr, 0, other));
  CHECK_ERROR(sdaaStreamSynchronize(other), sdaaErrorDeviceFirmware);
  REQUIRE_OK(sdaaDeviceReset());
  prove();
}
