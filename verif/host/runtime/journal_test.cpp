// SPDX-License-Identifier: Apache-2.0
// What the card tells about itself: every kind of fault is provoked and its record compared; and what becomes
// of programs when a group or the firmware does not answer any more. Against a played card.
#include <cstring>

#include "abi/command.hpp"
#include "abi/dma.hpp"
#include "abi/fault.hpp"
#include "abi/kernel_arguments.hpp"
#include "abi/launch.hpp"
#include "card_regs.hpp"
#include "verif/host/runtime/kernels.hpp"
#include "verif/host/runtime/tools.hpp"

using namespace swai;
using namespace swai::sdaa;

namespace {

constexpr unsigned kRoom = 16;

struct Faults {
  std::vector<sdaaFaultRecord_t> records;
  uint64_t lost = 0;
};
Faults read_faults(uint64_t& position) {
  Faults read;
  read.records.resize(kRoom);
  unsigned count = 0;
  REQUIRE_OK(sdaaDeviceReadFaults(read.records.data(), kRoom, &count, &position, &read.lost, 0));
  read.records.resize(count);
  return read;
}
// The only one that is new.
sdaaFaultRecord_t one_fault(uint64_t& position) {
  const Faults read = read_faults(position);
  REQUIRE(read.records.size() == 1);
  CHECK(read.lost == 0);
  CHECK(read.records[0].position + 1 == position);
  return read.records[0];
}
std::vector<sdaaLogRecord_t> read_log() {
  std::vector<sdaaLogRecord_t> records(kRoom);
  unsigned count = 0;
  uint64_t position = 0;
  uint64_t lost = 0;
  REQUIRE_OK(sdaaDeviceReadLog(records.data(), kRoom, &count, &position, &lost, 0));
  records.resize(count);
  return records;
}
bool says(const sdaaFaultRecord_t& record, const char* text) {
  INFO(record.text);
  const bool found = std::string(record.text).find(text) != std::string::npos;
  CHECK(found);
  return found;
}

// A card whose host side the test keeps.
class Kept {
 public:
  explicit Kept(const FakeOptions& options = {}) {
    Fakes::use({[this, options] {
      auto fresh = std::make_unique<link::Card>(make_fake_card(options));
      card_ = fresh.get();
      return fresh;
    }});
  }
  ~Kept() { Runtime::get().use({}); }
  Kept(const Kept&) = delete;
  Kept& operator=(const Kept&) = delete;

  link::Card* operator->() const { return card_; }

 private:
  link::Card* card_ = nullptr;
};

sdaaStream_t make_stream() {
  sdaaStream_t stream = nullptr;
  REQUIRE_OK(sdaaStreamCreateWithFlags(&stream, sdaaStreamNonBlocking));
  return stream;
}

}  // namespace

TEST_CASE("the log: what the firmware said, and arguments that make no sense") {
  const Fakes fakes;
  CHECK_OK(sdaaDeviceSynchronize());
  const auto log = read_log();
  REQUIRE(log.size() == 1);
  CHECK(std::string(log[0].text) == "serving the host");
  CHECK(log[0].severity == sdaaSeverityInfo);
  CHECK(log[0].position == 0);
  CHECK(log[0].cycle >= 100'000);
  unsigned count = 7;
  uint64_t position = 0;
  uint64_t lost = 0;
  sdaaLogRecord_t record;
  sdaaFirmwareFault_t fault;
  CHECK_ERROR(sdaaDeviceReadLog(nullptr, 1, &count, &position, &lost, 0), sdaaErrorInvalidValue);
  CHECK_ERROR(sdaaDeviceReadLog(&record, 1, nullptr, &position, &lost, 0), sdaaErrorInvalidValue);
  CHECK_ERROR(sdaaDeviceReadLog(&record, 1, &count, nullptr, &lost, 0), sdaaErrorInvalidValue);
  CHECK_ERROR(sdaaDeviceReadFaults(nullptr, 0, &count, &position, nullptr, 0), sdaaErrorInvalidValue);
  CHECK_ERROR(sdaaDeviceReadLog(&record, 1, &count, &position, &lost, 1), sdaaErrorInvalidDevice);
  CHECK_ERROR(sdaaDeviceGetFirmwareFault(nullptr, 0), sdaaErrorInvalidValue);
  CHECK_ERROR(sdaaDeviceGetFirmwareFault(&fault, 0), sdaaErrorNotFound);
  // Nothing is new, and nothing has become of a position that is still to come.
  CHECK_OK(sdaaDeviceReadLog(nullptr, 0, &count, &position, &lost, 0));
  CHECK(count == 0);
  position = 1000;
  CHECK_OK(sdaaDeviceReadLog(&record, 1, &count, &position, &lost, 0));
  CHECK(count == 0);
  CHECK(lost == 0);
}

TEST_CASE("a card on which nothing has served since power-on has no log") {
  FakeOptions options;
  options.serves = false;
  const Fakes fakes(1, options);
  unsigned count = 0;
  uint64_t position = 0;
  uint64_t lost = 0;
  CHECK_ERROR(sdaaDeviceReadLog(nullptr, 0, &count, &position, &lost, 0), sdaaErrorNotFound);
}

TEST_CASE("faults of kernels and transfers: whose, where and why") {
  const Kept card;
  const sdaaModule_t module = load_fake_module();
  const sdaaStream_t stream = make_stream();
  uint64_t position = 0;
  CHECK(read_faults(position).records.empty());

  const auto fail = [&](sdaaError_t error) {
    CHECK_ERROR(sdaaStreamSynchronize(stream), error);
    REQUIRE_OK(sdaaStreamReset(stream));
    return one_fault(position);
  };
  REQUIRE_OK(sdaaLaunchKernel(kernel(module, "breakpoint"), nullptr, 0, stream));
  auto fault = fail(sdaaErrorAssert);
  CHECK(fault.kind == sdaaFaultKernel);
  CHECK(fault.cause == static_cast<int>(launch::Cause::kBreakpoint));
  CHECK(std::string(fault.causeText) == "breakpoint");
  CHECK(fault.group == 0);
  CHECK(fault.core == 1);
  CHECK(fault.pc == 0x5000'0010);
  CHECK(fault.count == 1);
  CHECK(fault.channel == -1);
  CHECK(fault.queue >= 0);
  const int queue = fault.queue;
  const uint32_t command = fault.command;
  says(fault, "kernel failed on core 1 of group 0: breakpoint");

  // Memory that nobody has.
  const AxpyIntArgs outside = {cpe::GlobalPtr<int32_t>(uint64_t{3000} << 48 | 64),
                               cpe::GlobalPtr<const int32_t>(uint64_t{3000} << 48), 16, 1};
  REQUIRE_OK(sdaaLaunchKernel(kernel(module, "axpy_int"), &outside, 0, stream));
  fault = fail(sdaaErrorIllegalAddress);
  CHECK(fault.kind == sdaaFaultKernel);
  CHECK(fault.cause == static_cast<int>(launch::Cause::kNoSegment));
  CHECK(fault.segment == 3000);
  CHECK((fault.address >> 48) == 3000);
  CHECK(fault.count == 2);
  CHECK(fault.queue == queue);
  CHECK(fault.command > command);

  const sdaaLaunchConfig_t config = {sizeof config, 0x2, 1, 5'000, 0};
  REQUIRE_OK(sdaaLaunch(kernel(module, "hang"), &config, nullptr, 0, stream));
  fault = fail(sdaaErrorLaunchTimeOut);
  CHECK(fault.kind == sdaaFaultKernelTimeout);
  CHECK(fault.cause == static_cast<int>(launch::Cause::kWatchdog));
  CHECK(fault.group == 1);
  CHECK(fault.core == 1);
  CHECK(fault.count == 1);
  says(fault, "kernel ran too long; core 1 of group 1");

  // Memory of the host that was taken away under the card.
  void* host = nullptr;
  REQUIRE_OK(sdaaMallocHost(&host, 4096));
  sdaaPointerAttribute_t attributes;
  REQUIRE_OK(sdaaPointerGetAttributes(&attributes, host));
  card->backend().unmap(bits(attributes.devicePointer), 4096);
  REQUIRE_OK(sdaaMemcpyAsync(allocate(64), host, 64, sdaaMemcpyHostToDevice, stream));
  fault = fail(sdaaErrorTransferFailure);
  CHECK(fault.kind == sdaaFaultTransfer);
  CHECK(fault.cause > 0);
  CHECK(std::string(fault.causeText) == dma::text(static_cast<uint64_t>(fault.cause)));
  CHECK(fault.channel == 0);
  CHECK(fault.group == -1);
  CHECK(fault.queue == queue);
  CHECK(fault.address == bits(attributes.devicePointer));
}

TEST_CASE("garbage that was refused: commands, requests, a page for completions that is not there") {
  const Kept card;
  REQUIRE_OK(sdaaDeviceSynchronize());
  uint64_t position = 0;
  // As no program would: into the queue of the default stream, and into the words. Nothing was sent yet.
  const auto queue = Runtime::get().current()->streams().default_stream()->queue;
  const command::Header header = {queue->next, static_cast<command::Type>(99), 1, 0};
  const uint64_t slots = (uint64_t{64} << 30) + 0x2'8000 + queue->number * uint64_t{protocol::kQueueBytes};
  card->post_block(0, slots + queue->next % protocol::kSlots * protocol::kSlotBytes,
                   {reinterpret_cast<const uint8_t*>(&header), sizeof header});
  card->post<uint64_t>(4, regs::pcie::doorbell::kOffset, queue->number);
  card->run_until(0, 10'000);
  auto fault = one_fault(position);
  CHECK(fault.kind == sdaaFaultBadCommand);
  CHECK(fault.queue == static_cast<int>(queue->number));
  CHECK(fault.command == header.sequence);
  CHECK(fault.cause == -1);
  says(fault, "not a command");

  const auto word = [](unsigned number) { return regs::pcie::shared::kOffset + number * sizeof(uint64_t); };
  const auto ask = [&](protocol::Operation operation, uint64_t first, uint64_t second) {
    card->post<uint64_t>(4, word(protocol::word::kArguments), first);
    card->post<uint64_t>(4, word(protocol::word::kArguments + 1), second);
    card->post<uint64_t>(4, word(protocol::word::kRequest), protocol::request(operation, 77));
    card->post<uint64_t>(4, regs::pcie::doorbell::kOffset, protocol::kRequestDoorbell);
    card->run_until(0, 10'000);
    return protocol::status(card->read<uint64_t>(4, word(protocol::word::kReply)));
  };
  CHECK(ask(static_cast<protocol::Operation>(55), 1, 0) == protocol::Status::kBadOperation);
  fault = one_fault(position);
  CHECK(fault.kind == sdaaFaultBadRequest);
  says(fault, "operation 55 of context 1");

  // Another client takes over, with a page that is not mapped, and opens a queue: that is told.
  CHECK(ask(protocol::Operation::kAttach, protocol::kVersion, 0x7777'0000) == protocol::Status::kNoContext);
  card->run_until(0, 100'000);
  CHECK(ask(protocol::Operation::kAttach, protocol::kVersion, 0x7777'0000) == protocol::Status::kOk);
  CHECK(ask(protocol::Operation::kQueueOpen, 2, 0) == protocol::Status::kOk);
  card->run_until(0, 10'000);
  fault = one_fault(position);
  CHECK(fault.kind == sdaaFaultStatusPage);
  CHECK((fault.address >> 16) == 0x7777);
  CHECK(fault.cause > 0);
}

TEST_CASE("who reads too late knows how much is gone") {
  const Fakes fakes;
  const sdaaModule_t module = load_fake_module();
  const sdaaStream_t stream = make_stream();
  // The played card keeps 16.
  for (int i = 0; i < 21; ++i) {
    REQUIRE_OK(sdaaLaunchKernel(kernel(module, "breakpoint"), nullptr, 0, stream));
    CHECK_ERROR(sdaaStreamSynchronize(stream), sdaaErrorAssert);
    REQUIRE_OK(sdaaStreamReset(stream));
  }
  uint64_t position = 2;
  const Faults read = read_faults(position);
  CHECK(read.lost == 3);
  REQUIRE(read.records.size() == 16);
  for (size_t i = 0; i < read.records.size(); ++i) {
    CHECK(read.records[i].position == 5 + i);
    CHECK(read.records[i].kind == sdaaFaultKernel);
    if (i != 0) CHECK(read.records[i].cycle > read.records[i - 1].cycle);
  }
  CHECK(read.records[0].count == 21);
  CHECK(position == 21);
  // A few at a time.
  position = 10;
  sdaaFaultRecord_t few[3];
  unsigned count = 0;
  uint64_t lost = 0;
  CHECK_OK(sdaaDeviceReadFaults(few, 3, &count, &position, &lost, 0));
  CHECK(count == 3);
  CHECK(few[2].position == 12);
  CHECK(position == 13);
  CHECK(lost == 0);
}

TEST_CASE(
    "a group that does not answer any more: its launches fail, the other one goes on, a reset mends it") {
  const Fakes fakes;
  const sdaaModule_t module = load_fake_module();
  const sdaaStream_t dead = make_stream();
  const sdaaStream_t behind = make_stream();
  const sdaaStream_t good = make_stream();
  uint64_t position = 0;
  const sdaaLaunchConfig_t on_one = {sizeof on_one, 0, 1, 50'000, 0};
  REQUIRE_OK(sdaaLaunch(kernel(module, "dead"), &on_one, nullptr, 0, dead));
  REQUIRE_OK(sdaaLaunch(kernel(module, "nothing"), &on_one, nullptr, 0, behind));
  void* memory = allocate(256);
  const WhoArgs who = {cpe::GlobalPtr<uint32_t>(bits(memory))};
  const auto prove = [&] {
    REQUIRE_OK(sdaaMemsetAsync(memory, 0xff, 256, good));
    REQUIRE_OK(sdaaLaunchKernel(kernel(module, "who"), &who, 0, good));
    std::vector<uint32_t> numbers(64);
    REQUIRE_OK(sdaaMemcpyAsync(numbers.data(), memory, 256, sdaaMemcpyDeviceToHost, good));
    REQUIRE_OK(sdaaStreamSynchronize(good));
    for (uint32_t core = 0; core < 4; ++core) CHECK(numbers[core * 16] == core);
  };
  prove();
  uint64_t before = 0;
  uint64_t after = 0;
  CHECK_OK(sdaaDeviceGetTime(&before));
  CHECK_ERROR(sdaaStreamSynchronize(dead), sdaaErrorDeviceFirmware);
  CHECK(std::string(sdaaGetLastErrorMessage()).find("core group does not answer") != std::string::npos);
  CHECK_OK(sdaaDeviceGetTime(&after));
  CHECK(after - before > 1'000'000);
  CHECK(after - before < 4'000'000);
  CHECK_ERROR(sdaaStreamSynchronize(behind), sdaaErrorDeviceFirmware);
  const auto fault = one_fault(position);
  CHECK(fault.kind == sdaaFaultGroupLost);
  CHECK(fault.group == 1);
  says(fault, "is given up, with 2 launches");

  // It takes nothing any more; who does not mind which gets another one.
  REQUIRE_OK(sdaaStreamReset(behind));
  REQUIRE_OK(sdaaLaunch(kernel(module, "nothing"), &on_one, nullptr, 0, behind));
  CHECK_ERROR(sdaaStreamSynchronize(behind), sdaaErrorDeviceFirmware);
  for (int i = 0; i < 20; ++i) prove();
  CHECK(read_faults(position).records.empty());

  REQUIRE_OK(sdaaDeviceReset());
  const sdaaModule_t again = load_fake_module();
  REQUIRE_OK(sdaaLaunch(kernel(again, "nothing"), &on_one, nullptr, 0, nullptr));
  CHECK_OK(sdaaDeviceSynchronize());
}

TEST_CASE("a client that leaves while a group does not answer: the next one has the others and all memory") {
  const Kept card;
  size_t before = 0;
  size_t total = 0;
  REQUIRE_OK(sdaaMemGetInfo(&before, &total));
  const sdaaModule_t module = load_fake_module();
  allocate(5000);
  const sdaaLaunchConfig_t on_one = {sizeof on_one, 0, 1, 0, 0};  // a launch that may take a second
  REQUIRE_OK(sdaaLaunch(kernel(module, "dead"), &on_one, nullptr, 0, nullptr));
  REQUIRE_OK(sdaaDeviceReset());
  size_t after = 0;
  // Longer than a request may take in these tests.
  card->run_until(0, 3'000'000);
  REQUIRE_OK(sdaaMemGetInfo(&after, &total));
  CHECK(after == before);
  uint64_t position = 0;
  const auto fault = one_fault(position);
  CHECK(fault.kind == sdaaFaultGroupLost);
  const sdaaModule_t again = load_fake_module();
  REQUIRE_OK(sdaaLaunchKernel(kernel(again, "nothing"), nullptr, 0, nullptr));
  CHECK_OK(sdaaDeviceSynchronize());
}

TEST_CASE("firmware that ends: the device is lost, which is not a timeout, and a reset brings it back") {
  FakeOptions options;
  bool ends = false;
  options.ends = [&ends] { return std::exchange(ends, false); };
  const Fakes fakes(1, options);
  const sdaaModule_t module = load_fake_module();
  const sdaaStream_t stream = make_stream();
  void* memory = allocate(100);
  const auto lost = [&](sdaaError_t error) {
    CHECK(error == sdaaErrorDeviceLost);
    CHECK(std::string(sdaaGetLastErrorMessage()).find("assertion failed: played, pc 0x80001234") !=
          std::string::npos);
  };
  REQUIRE_OK(sdaaLaunchKernel(kernel(module, "slow"), nullptr, 0, stream));
  ends = true;
  SUBCASE("seen by who waits") { lost(sdaaStreamSynchronize(stream)); }
  SUBCASE("seen by who asks") { lost(sdaaMalloc(&memory, 64)); }
  // It stays so, and what is known can be read all the same.
  sdaaFirmwareFault_t fault;
  REQUIRE_OK(sdaaDeviceGetFirmwareFault(&fault, 0));
  CHECK(fault.kind == static_cast<int>(fault::Kind::kAssertion));
  CHECK(fault.pc == 0x8000'1234);
  CHECK(fault.registers[2] == 0x8002'0000);
  CHECK(std::string(fault.message) == "played");
  CHECK(std::string(fault.build) == "c0ffee");
  CHECK(std::string(fault.text).find("assertion failed: played") != std::string::npos);
  REQUIRE(!read_log().empty());

  REQUIRE_OK(sdaaDeviceReset());
  const sdaaModule_t again = load_fake_module();
  REQUIRE_OK(sdaaLaunchKernel(kernel(again, "nothing"), nullptr, 0, nullptr));
  CHECK_OK(sdaaDeviceSynchronize());
  CHECK_ERROR(sdaaStreamSynchronize(stream), sdaaErrorInvalidHandle);
}

TEST_CASE("after a restart the same card tells how its firmware ended") {
  FakeOptions options;
  bool ends = false;
  options.ends = [&ends] { return std::exchange(ends, false); };
  const Kept card(options);
  REQUIRE_OK(sdaaDeviceSynchronize());
  ends = true;
  void* memory = nullptr;
  CHECK_ERROR(sdaaMalloc(&memory, 64), sdaaErrorDeviceLost);
  // As sdaaDeviceReset does, but on this connection: a played card ends with its own.
  card->post<uint64_t>(4, regs::pcie::reset_request::kOffset, regs::pcie::reset_request::kKeyGo);
  card->run_until(0, 200'000);
  CHECK_ERROR(sdaaMalloc(&memory, 64), sdaaErrorDeviceLost);  // another life
  const auto log = read_log();
  REQUIRE(log.size() == 3);
  CHECK(std::string(log[1].text) == "an earlier run ended: assertion failed, pc 0x80001234");
  CHECK(log[1].severity == sdaaSeverityError);
  uint64_t position = 0;
  const auto fault = one_fault(position);
  CHECK(fault.kind == sdaaFaultFirmware);
  CHECK(fault.cause == static_cast<int>(fault::Kind::kAssertion));
  CHECK(fault.pc == 0x8000'1234);
}
