// SPDX-License-Identifier: Apache-2.0
// The card through a client that is made by hand: messages, registers and descriptors byte by byte, from the
// vfio-user specification and the register map. Nothing of host/transport.

#include <doctest/doctest.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>

#include "sim/common/random.hpp"
#include "verif/host/transport/raw_client.hpp"
#include "verif/kit/doctest_main.hpp"
#include "verif/system/rig.hpp"

namespace swai::system {
namespace {

using socket::number_at;
using socket::Pack;
using socket::RawBytes;
using socket::RawClient;

constexpr unsigned kConfig = 7;
constexpr unsigned kVendor = 9;
constexpr uint64_t kSram = uint64_t{64} << 30;  // in BAR0
constexpr uint64_t kRing = 0x8003'8000;
constexpr uint64_t kIova = 0x3'4560'0000;
constexpr uint64_t kBytes = 1 << 20;
constexpr uint64_t kRecords = kBytes - 4096;

class RawSession {
 public:
  RawSession(const std::string& path, bool deterministic, uint64_t seed)
      : client_(RawClient::connect_to(path), {}), deterministic_(deterministic), random_(seed) {
    CHECK(!client_.hello().is_error());
    if (deterministic) client_.write64(kVendor, 0x40, 1);
    file_ = ::memfd_create("raw", 0);
    REQUIRE(::ftruncate(file_, kBytes) == 0);
    memory_ = static_cast<uint8_t*>(::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_SHARED, file_, 0));
    event_ = ::eventfd(0, EFD_NONBLOCK);
    // DEVICE_SET_IRQS: eventfd, trigger; MSI-X; vector 5.
    client_.done(8, Pack().u32(20).u32(4 | 32).u32(2).u32(5).u32(1), {event_});
    client_.map(kIova, kBytes, {file_});
  }
  ~RawSession() {
    ::munmap(memory_, kBytes);
    ::close(file_);
    ::close(event_);
  }

  void look() {
    const RawBytes info = client_.done(4, Pack().u32(16).u32(0).u32(0).u32(0));
    CHECK(number_at(info, 4, 4) == 3);   // PCI, can be reset
    CHECK(number_at(info, 8, 4) == 10);  // regions
    CHECK(number_at(info, 12, 4) == 5);  // interrupt types
    const RawBytes irqs = client_.done(7, Pack().u32(16).u32(0).u32(2).u32(0));
    CHECK(number_at(irqs, 12, 4) == 32);
    const RawBytes bar = client_.done(5, Pack().u32(32).u32(0).u32(0).u32(0).u64(0).u64(0));
    CHECK(number_at(bar, 16, 8) == uint64_t{128} << 30);
    const RawBytes header = client_.read(kConfig, 0, 64);
    CHECK(number_at(header, 0, 4) == 0x4149'5357);
    CHECK((number_at(header, 4, 2) & 6) == 6);       // memory and bus mastering are on
    CHECK((number_at(header, 0x10, 4) & 15) == 12);  // BAR0: 64 bits, prefetchable
    CHECK(client_.read(kConfig, number_at(header, 0x34, 1), 1).size() == 1);
    CHECK((client_.read64(4, 0) & 0xFFFF'FFFF) == 0x4350'5753);
  }

  // One copy each way on channel 3.
  void copy() {
    const uint32_t length = static_cast<uint32_t>(random_.between(1, 100'000));
    const uint64_t from = random_.below(100'000);
    const uint64_t to = 300'000 + random_.below(100'000);
    const uint64_t card = 0x80'1000'0000 + random_.below(1 << 20);
    for (uint64_t i = 0; i < kRecords; ++i) memory_[i] = static_cast<uint8_t>(random_.next());
    const RawBytes before(memory_, memory_ + kRecords);
    channel(0x000, 1 << 9);  // clear
    while ((client_.read64(4, 0x1'0308) & 7) != 0) {
    }
    channel(0x010, kRing);
    channel(0x018, 4);
    channel(0x030, kIova + kRecords);
    channel(0x038, 5);
    channel(0x000, 3);
    descriptor(0, kIova + from, card, length, 2 | 4);         // to the card, record, interrupt
    descriptor(1, kIova + to, card, length, 1 | 2 | 4 | 16);  // to the host, when the other one is done
    channel(0x020, 1);
    interrupt();
    record(0, length);
    CHECK(std::memcmp(memory_, before.data(), kRecords) == 0);
    channel(0x020, 2);
    interrupt();
    record(1, length);
    RawBytes expected = before;
    std::copy_n(before.begin() + static_cast<std::ptrdiff_t>(from), length,
                expected.begin() + static_cast<std::ptrdiff_t>(to));
    CHECK(std::memcmp(memory_, expected.data(), kRecords) == 0);
    CHECK((client_.read64(4, 0x1'0328) & 0xFFFF) == 2);
  }

  void reset() { client_.done(13, {}); }

 private:
  void channel(uint64_t offset, uint64_t value) { client_.write64(4, 0x1'0300 + offset, value); }
  void descriptor(unsigned index, uint64_t host, uint64_t card, uint32_t length, uint32_t flags) {
    client_.write(0, kSram + 0x3'8000 + 32 * index,
                  Pack().u64(host).u64(card).u32(length).u32(flags).u32(1000 + index).u32(0));
  }
  void record(unsigned index, uint32_t length) {
    const RawBytes want = Pack().u32(1000 + index).u16(index).u8(3).u8(1).u32(length).u32(0);
    CHECK(std::memcmp(memory_ + kRecords + 16 * index, want.data(), 16) == 0);
  }
  void interrupt() {
    if (deterministic_) {
      client_.write(kVendor, 0x80, Pack().u64(1 << 5).u64(1'000'000).u64(1));
      const RawBytes result = client_.read(kVendor, 0xA0, 24);
      CHECK(number_at(result, 0, 8) == 1);
      CHECK(number_at(result, 8, 8) == 1 << 5);
    }
    pollfd ready{event_, POLLIN, 0};
    CHECK(::poll(&ready, 1, deterministic_ ? 5'000 : 60'000) == 1);
    uint64_t count = 0;
    CHECK(::read(event_, &count, 8) == 8);
    CHECK(count == 1);
  }

  RawClient client_;
  bool deterministic_;
  verif::Random random_;
  int file_ = -1;
  int event_ = -1;
  uint8_t* memory_ = nullptr;
};

void sessions(bool deterministic) {
  const Rig rig;
  for (uint64_t i = 0; i < 2; ++i) {
    RawSession session(rig.socket(), deterministic, test_seed() + i);
    for (int round = 0; round < 3; ++round) {
      session.look();
      session.copy();
      session.copy();
      session.reset();
    }
  }
}

}  // namespace

TEST_CASE("raw: a client of bytes copies both ways, in deterministic time") { sessions(true); }
TEST_CASE("raw: a client of bytes copies both ways, in free time") { sessions(false); }

}  // namespace swai::system
