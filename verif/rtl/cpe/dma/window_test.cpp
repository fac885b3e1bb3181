// SPDX-License-Identifier: Apache-2.0
// The scalar window of a CPE: random loads and stores through every space against an array of bytes, pointers
// of any alignment, segments that end.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "Vtb_window.h"
#include "sim/common/field.hpp"
#include "verif/rtl/lib/bench.hpp"
#include "verif/rtl/lib/test_main.hpp"
#include "wires.hpp"

namespace swai::cpe {
namespace {

using verif::check;
using verif::Field;
using verif::Random;
using verif::Stalls;

constexpr unsigned kLine = 64;
constexpr uint64_t kOffsets = uint64_t{1} << 48;
constexpr uint8_t kCauseVacant = 4;
constexpr uint8_t kCauseNoSegment = 8;
constexpr uint8_t kCauseLimit = 9;
constexpr uint16_t kNoSegment = 0xffff;

struct Access {
  bool write = false;
  uint32_t address = 0;
  unsigned bytes = 4;
  uint32_t data = 0;
  // What follows from them
  bool vacant = false;
  uint16_t segment = 0;
  uint64_t offset = 0;
};

class WindowBench : public verif::Bench<Vtb_window>, private verif::Agent {
 public:
  explicit WindowBench(uint64_t seed)
      : Bench(seed), core_stalls_(random()), ready_stalls_(random()), answer_stalls_(random()) {
    for (auto& segment : actual) {
      segment.resize(kSegmentBytes);
      for (auto& byte : segment) byte = static_cast<uint8_t>(random().next());
    }
    expected = actual;
    top().win_valid_i = 0;
    top().rsp_valid_i = 0;
    add(*this);
    reset();
  }

  static constexpr uint64_t kSegmentBytes = 4096;
  std::array<std::vector<uint8_t>, 4> actual, expected;
  uint64_t loads = 0, stores = 0, faults = 0, vacant = 0, splits = 0;
  uint64_t fastest = ~uint64_t{0};

 private:
  // Segment n is at `number + n` and has memory from its beginning.
  static constexpr uint16_t kFirst = 0x1230;

  static bool inside(uint16_t segment, uint64_t offset, unsigned bytes) {
    return segment >= kFirst && segment < kFirst + 4 && offset < kSegmentBytes &&
           bytes <= kSegmentBytes - offset;
  }

  Access random_access() {
    auto& random = this->random();
    auto& t = top();
    Access access;
    access.write = random.chance(50);
    access.bytes = 1U << random.below(3);
    access.data = static_cast<uint32_t>(random.next());
    // The CSRs change between accesses only.
    t.daemon_segment_i = static_cast<uint16_t>(kFirst + random.below(4));
    t.code_segment_i = static_cast<uint16_t>(kFirst + random.below(4));
    t.argument_segment_i = static_cast<uint16_t>(kFirst + random.below(5));
    auto offset = static_cast<uint32_t>(random.below(kSegmentBytes));
    if (random.chance(5)) offset = static_cast<uint32_t>(kSegmentBytes - 8 + random.below(16));
    if (random.chance(10)) offset |= 60;
    static constexpr uint32_t kSpaces[] = {4, 5, 8, 8, 8, 8, 12};
    uint32_t space = kSpaces[random.below(std::size(kSpaces))];
    if (random.chance(5)) space = static_cast<uint32_t>(random.below(16));
    const uint16_t window = static_cast<uint16_t>(kFirst + random.below(random.chance(5) ? 5 : 4));
    uint64_t base = random.below(kOffsets);
    // The pointer and the address together make the offset, with whatever carries there are.
    const auto low =
        static_cast<uint32_t>(random.chance(50) ? random.below(kSegmentBytes) : random.below(1 << 28));
    access.address = space << 28 | ((space == 8 ? low : offset) & ~(access.bytes - 1));
    if (random.chance(95)) base = (uint64_t{offset} - (access.address & 0xfff'ffff)) % kOffsets;
    if (random.chance(1)) base = (kOffsets - 1 - random.below(4) - (access.address & 0xfff'ffff)) % kOffsets;
    t.pointer_i = uint64_t{window} << 48 | base;

    access.offset = access.address & 0xfff'ffff;
    switch (space) {
      case 4:
        access.segment = t.daemon_segment_i;
        break;
      case 5:
        access.segment = t.code_segment_i;
        break;
      case 8:
        access.segment = window;
        access.offset = (access.offset + base) % kOffsets;
        break;
      case 12:
        access.segment = t.argument_segment_i;
        break;
      default:
        access.vacant = true;
        access.segment = kNoSegment;
        access.offset = access.address;
    }
    return access;
  }

  void drive() override {
    auto& t = top();
    auto& random = this->random();
    t.halt_i = random.chance(50);
    if (!access_) {
      Field(t.win_addr_i, 0, 32).scramble(random);
      Field(t.win_wdata_i, 0, 32).scramble(random);
      Field(t.pointer_i, 0, 64).scramble(random);
      Field(t.win_write_i, 0, 1).scramble(random);
      t.win_size_i = static_cast<uint8_t>(random.below(3));
      if (core_stalls_.go()) {
        access_ = random_access();
        began_ = cycle();
        t.win_write_i = access_->write;
        t.win_addr_i = access_->address;
        t.win_size_i = static_cast<uint8_t>(access_->bytes / 2);
        t.win_wdata_i = access_->data;
      }
    }
    t.win_valid_i = access_.has_value();
    t.mem_ready_i = ready_stalls_.go();
    t.rsp_valid_i = open_ && answer_stalls_.go();
    Field rsp(t.rsp_i, 0, wires::cpe::mem_rsp::kBits);
    rsp.scramble(random);
    if (!t.rsp_valid_i) return;
    rsp.set(wires::cpe::mem_rsp::kKind, wires::cpe::mem_kind::kMemScalar);
    rsp.set(wires::cpe::mem_rsp::kTag, 0);
    rsp.set(wires::cpe::mem_rsp::kCause, open_->cause);
    for (unsigned i = 0; open_->cause == 0 && !open_->write && i < open_->bytes; ++i) {
      rsp.set(8 * i, 8, actual[open_->segment - kFirst][open_->offset + i]);
    }
  }

  void sample() override {
    auto& t = top();
    check(t.quiet_o == !(open_ || t.mem_valid_o), "quiet_o");
    if (t.rsp_valid_i) open_.reset();
    check(t.mem_valid_o || !offered_, "a request was withdrawn");
    offered_ = t.mem_valid_o && !t.mem_ready_i;
    if (access_ && cycle() == began_ + 1 && !access_->vacant) check(t.mem_valid_o, "the request comes late");
    if (t.mem_valid_o) sample_request();
    if (t.win_done_o) sample_done();
  }

  void sample_request() {
    auto& t = top();
    const Field mem(t.mem_o, 0, wires::cpe::mem_req::kBits);
    check(access_ && !open_ && !access_->vacant, "a request that nobody asked for");
    Request request{.write = mem.get(wires::cpe::mem_req::kWrite) == 1,
                    .segment = static_cast<uint16_t>(mem.get(wires::cpe::mem_req::kSegment)),
                    .offset = mem.get(wires::cpe::mem_req::kOffset),
                    .bytes = static_cast<unsigned>(mem.get(wires::cpe::mem_req::kBytes)),
                    .cause = 0};
    check(mem.get(wires::cpe::mem_req::kScalar) == 1 && mem.get(wires::cpe::mem_req::kTag) == 0 &&
              mem.get(wires::cpe::mem_req::kLane) == 0,
          "not as scalar requests are");
    check(request.bytes >= 1 && request.offset % kLine + request.bytes <= kLine, "a request crosses a line");
    check(request.write == access_->write && request.segment == access_->segment, "another access");
    if (!t.mem_ready_i) return;
    const uint64_t from = request.offset - access_->offset;
    check(from + request.bytes <= access_->bytes || access_->offset + access_->bytes > kOffsets,
          "other bytes");
    covered_ += request.bytes;
    ++parts_;
    if (!inside(request.segment, request.offset, request.bytes)) {
      const bool exists = request.segment < kFirst + 4;
      request.cause = exists ? kCauseLimit : kCauseNoSegment;
    }
    for (unsigned i = 0; request.write && request.cause == 0 && i < request.bytes; ++i) {
      actual[request.segment - kFirst][request.offset + i] = static_cast<uint8_t>(mem.get(8 * i, 8));
    }
    open_ = request;
  }

  void sample_done() {
    auto& t = top();
    check(access_.has_value(), "done with nothing");
    const Access access = *access_;
    access_.reset();
    uint8_t cause = 0;
    if (access.vacant) {
      cause = kCauseVacant;
    } else if (!inside(access.segment, access.offset, access.bytes)) {
      cause = access.segment < kFirst + 4 ? kCauseLimit : kCauseNoSegment;
    }
    check(t.win_cause_o == cause, fmt::format("cause {}, expected {}", t.win_cause_o, cause));
    check(t.win_segment_o == access.segment && t.win_offset_o == access.offset,
          fmt::format("tells of segment {:#x} offset {:#x}, not {:#x} {:#x}", t.win_segment_o, t.win_offset_o,
                      access.segment, access.offset));
    if (cause == 0) {
      check(covered_ == access.bytes, "not all bytes were asked for");
      uint8_t* bytes = &expected[access.segment - kFirst][access.offset];
      uint32_t data = 0;
      for (unsigned i = 0; i < access.bytes; ++i) {
        if (access.write) bytes[i] = static_cast<uint8_t>(access.data >> (8 * i));
        data |= uint32_t{bytes[i]} << (8 * i);
      }
      check(access.write || t.win_rdata_o == data,
            fmt::format("read {:#x}, expected {:#x}", t.win_rdata_o, data));
      splits += parts_ == 2;
      ++(access.write ? stores : loads);
    } else {
      ++(access.vacant ? vacant : faults);
    }
    check(actual == expected || cycle() % 64 != 0, "memory is wrong");
    if (!access.vacant) fastest = std::min(fastest, cycle() - began_);
    covered_ = 0;
    parts_ = 0;
  }

  struct Request {
    bool write;
    uint16_t segment;
    uint64_t offset;
    unsigned bytes;
    uint8_t cause;
  };

  Stalls core_stalls_, ready_stalls_, answer_stalls_;
  std::optional<Access> access_;
  std::optional<Request> open_;
  uint64_t began_ = 0;
  bool offered_ = false;
  unsigned covered_ = 0;
  unsigned parts_ = 0;
};

void test_window(uint64_t seed, uint64_t cycles) {
  WindowBench bench(seed);
  bench.steps(cycles);
  check(bench.actual == bench.expected || bench.top().win_valid_i, "memory is wrong");
  fmt::print("{} loads, {} stores, {} in two parts, {} faults, {} vacant, fastest {} cycles\n", bench.loads,
             bench.stores, bench.splits, bench.faults, bench.vacant, bench.fastest);
  check(bench.loads > cycles / 30 && bench.stores > cycles / 30 && bench.splits > 100 && bench.faults > 20 &&
            bench.vacant > 20,
        "too few of a kind");
}

std::vector<verif::TestCase> tests() { return {{"window", test_window}}; }

}  // namespace
}  // namespace swai::cpe

int main(int argc, char** argv) { return swai::verif::test_main(argc, argv, swai::cpe::tests()); }
