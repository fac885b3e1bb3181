// SPDX-License-Identifier: Apache-2.0
// The core group as a target of the ring: HBM and registers side by side.

#include <fmt/format.h>

#include <cstring>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "Vtb_cg.h"
#include "card_regs.hpp"
#include "card_regs_table.hpp"
#include "sim/board/hbm/hbm_cells.hpp"
#include "verif/rtl/group/hbm_model.hpp"
#include "verif/rtl/group/hbm_timing.hpp"
#include "verif/rtl/group/traffic.hpp"
#include "verif/rtl/lib/bench.hpp"
#include "verif/rtl/lib/test_main.hpp"

namespace swai::cg {
namespace {

using verif::check;
using verif::Random;
namespace r = regs::cg;

constexpr uint64_t kHbmBytes = uint64_t{64} << 20;  // in tb_cg.sv
constexpr uint64_t kSets = 0x12'0000'0000;

// The registers of the launch hardware have a test of their own (launch).
bool own(const regs::RegisterInfo& info) {
  return info.base == r::kBase &&
         (info.offset < r::launch_mask::kOffset ||
          (info.offset >= r::launches::kOffset && info.offset < r::launch_cycles::kOffset));
}

class CgBench : public verif::Bench<Vtb_cg>, private verif::Agent {
 public:
  explicit CgBench(uint64_t seed) : Bench(seed), cells(4), group(static_cast<unsigned>(random().below(4))) {
    cells.make_current();
    top().group_i = static_cast<CData>(group);
    top().req_valid_i = 0;
    top().rsp_ready_i = 0;
    add(*this);
  }

  verif::StreamPins request_pins() {
    return {Field(top().req_valid_i, 0, 1), Field(top().req_ready_o, 0, 1), Field(top().req_i, 0, kReqBits)};
  }
  verif::StreamPins response_pins() {
    return {Field(top().rsp_valid_o, 0, 1), Field(top().rsp_ready_i, 0, 1), Field(top().rsp_o, 0, kRspBits)};
  }

  uint64_t hbm() const { return regs::kHbmRegion.base + group * HbmCells::kGroupBytes; }
  uint64_t reg(uint64_t offset) const { return r::kBase + group * r::kSize + offset; }

  // One request, and its answer.
  Response ask(const Request& request) {
    Field whole(top().req_i, 0, kReqBits);
    store(whole, request);
    top().req_valid_i = 1;
    settle();
    until([&] { return top().req_ready_o != 0; }, 1000, "a request");
    step();
    top().req_valid_i = 0;
    whole.scramble(random());
    settle();
    top().rsp_ready_i = 1;
    until([&] { return top().rsp_valid_o != 0; }, 1000, "a response");
    Response response;
    load(Field(top().rsp_o, 0, kRspBits), response);
    step();
    top().rsp_ready_i = 0;
    check(response.tag == request.tag && response.dest == request.source, "an answer to somebody else");
    return response;
  }

  Response read_at(uint64_t addr, unsigned size) {
    Request request{.source = 3, .tag = static_cast<uint8_t>(random().next())};
    request.size = static_cast<uint8_t>(size);
    request.addr = addr;
    return ask(request);
  }
  Response write_at(uint64_t addr, uint64_t value, uint64_t strobe) {
    Request request{.op = MbusOp::kWrite, .source = 5, .tag = static_cast<uint8_t>(random().next())};
    request.addr = addr;
    request.strb = strobe;
    for (unsigned lane = 0; lane < 64; lane += 8) std::memcpy(&request.data[lane], &value, 8);
    return ask(request);
  }

  uint64_t read(uint64_t offset) {
    const Response response = read_at(reg(offset), 3);
    check(response.status == Status::kOk, fmt::format("reading register {:#x} was refused", offset));
    uint64_t value = 0;
    std::memcpy(&value, &response.data[offset % 64], 8);
    return value;
  }
  void write(uint64_t offset, uint64_t value) {
    const Response response = write_at(reg(offset), value, uint64_t{0xff} << offset % 64);
    check(response.status == Status::kOk, fmt::format("writing register {:#x} was refused", offset));
  }
  void refused(const Response& response, Status status, const std::string& what) {
    check(response.status == status, fmt::format("{}: status {}", what, static_cast<int>(response.status)));
  }

  HbmCells cells;
  HbmTiming timing;
  const unsigned group;

 private:
  void drive() override {}
  void sample() override {
    HbmCommands commands;
    load(Field(top().cmd_o, 0, kCmdBits), commands);
    timing.step(commands);
  }
};

void test_registers(uint64_t seed, uint64_t) {
  CgBench bench(seed);
  auto& random = bench.random();
  bench.reset();
  for (const auto& info : regs::kRegisters) {
    if (!own(info) || info.offset == r::hbm_refreshes::kOffset) continue;
    const uint64_t value = bench.read(info.offset);
    check((value & info.reset_known) == info.reset, fmt::format("{} is {:#x} after reset", info.name, value));
  }
  check(r::identity::kGroup.get(bench.read(r::identity::kOffset)) == bench.group, "wrong group");
  check(r::config::kHbmKib.get(bench.read(r::config::kOffset)) == kHbmBytes / 1024, "wrong size");

  // Parts of a word, natural alignment.
  for (unsigned size = 0; size < 4; ++size) {
    for (unsigned at = 0; at < 8; at += 1U << size) {
      const Response response = bench.read_at(bench.reg(r::identity::kOffset + at), size);
      check(response.status == Status::kOk && response.data[1] == 2, "a part of a register");
    }
  }

  // What registers do not take.
  const uint64_t control = bench.reg(r::control::kOffset);
  bench.refused(bench.read_at(control, 4), Status::kDenied, "16 bytes");
  bench.refused(bench.read_at(control, 6), Status::kDenied, "a line");
  bench.refused(bench.read_at(control + 1, 1), Status::kDenied, "unaligned");
  bench.refused(bench.read_at(control + 4, 3), Status::kDenied, "unaligned word");
  bench.refused(bench.read_at(bench.reg(0x38), 3), Status::kDenied, "no register there");
  bench.refused(bench.write_at(control, 0, 0x5'0000), Status::kDenied, "holes in the strobes");
  bench.refused(bench.write_at(control, 0, 0x1'0001), Status::kDenied, "two words");
  bench.refused(bench.write_at(control, 0, uint64_t{3} << 17), Status::kDenied, "unaligned strobes");
  bench.refused(bench.read_at(kSets + 0xf00'0000 + r::control::kOffset, 3), Status::kDenied, "reading a set");
  Request atomic{.op = MbusOp::kSwap, .size = 3};
  atomic.addr = control;
  bench.refused(bench.ask(atomic), Status::kDenied, "an atomic");
  bench.refused(bench.write_at(control, 0, 0), Status::kOk, "a write of nothing");
  bench.refused(bench.read_at(r::kBase + (bench.group ^ 1) * r::kSize, 3), Status::kNobody, "another group");
  bench.refused(bench.read_at(bench.hbm() ^ HbmCells::kGroupBytes, 6), Status::kNobody,
                "HBM of another group");
  bench.refused(bench.read_at(bench.hbm() + kHbmBytes, 6), Status::kNobody, "beyond the HBM");
  bench.refused(bench.write_at(bench.hbm() + kHbmBytes, 0, 1), Status::kNobody, "writing beyond the HBM");
  bench.refused(
      bench.write_at(kSets + (uint64_t{~(1U << bench.group) & 15} << 24) + r::control::kOffset, 0, 0xff),
      Status::kNobody, "a set without this group");
  bench.refused(bench.read_at(0x80, 3), Status::kNobody, "an address elsewhere");
  check(bench.read(r::control::kOffset) == 5, "a refused write took effect");

  // A set with this group.
  const uint64_t set = uint64_t{(1U << bench.group) | (random.below(16) & 15)} << 24;
  bench.refused(bench.write_at(kSets + set + r::control::kOffset, 0, uint64_t{0xff} << 16), Status::kOk,
                "a set");
  check(bench.read(r::control::kOffset) == 0, "the write to a set had no effect");
  bench.write(r::control::kOffset, 1);

  // Damaged memory.
  check(!bench.top().fault_o, "a fault out of nothing");
  const uint64_t bad = 64 * random.below(kHbmBytes / 64);
  const uint64_t worse = bad ^ 0x4040;
  bench.cells.poison(bench.group, bad);
  bench.cells.poison(bench.group, worse);
  const auto poisoned = [&](uint64_t address) {
    bench.refused(bench.read_at(bench.hbm() + address, 5), Status::kPoison, "damaged memory");
    bench.steps(2);
  };
  poisoned(bad);
  check(bench.top().fault_o, "no fault");
  poisoned(worse);
  check(bench.read(r::poison_address::kOffset) == bench.hbm() + bad, "not the first address");
  check(bench.read(r::poison_reads::kOffset) == 2, "not two damaged reads");
  bench.write(r::poison::kOffset, 0);
  check(bench.top().fault_o && bench.read(r::poison::kOffset) == 1, "cleared by writing 0");
  bench.write(r::poison::kOffset, 1);
  check(!bench.top().fault_o && bench.read(r::poison::kOffset) == 0, "not cleared");
  bench.write(r::control::kOffset, 0);
  poisoned(worse);
  check(!bench.top().fault_o && bench.read(r::poison_address::kOffset) == bench.hbm() + worse,
        "the second address");
  bench.write(r::control::kOffset, 1);
  check(bench.top().fault_o, "no fault after it was allowed");
  // A part of the line does not heal it, an atomic neither; the whole does.
  bench.refused(bench.write_at(bench.hbm() + bad, 1, 0xff), Status::kOk, "a partial write");
  poisoned(bad);
  atomic.addr = bench.hbm() + bad;
  bench.refused(bench.ask(atomic), Status::kPoison, "an atomic on damaged memory");
  bench.refused(bench.write_at(bench.hbm() + bad, 2, ~uint64_t{0}), Status::kOk, "a whole write");
  bench.refused(bench.read_at(bench.hbm() + bad, 6), Status::kOk, "healed memory");
  check(bench.read(r::poison_reads::kOffset) == 5, "not five damaged reads");

  // Counters. While the group is idle their clock stands, and refreshes are not counted.
  const uint64_t awake = bench.timing.refreshes();
  bench.steps(100);
  const uint64_t idle = bench.timing.refreshes() - awake;
  const auto counters = [&] {
    check(bench.read(r::hbm_reads::kOffset) == bench.timing.reads(), "reads are counted wrongly");
    check(bench.read(r::hbm_writes::kOffset) == bench.timing.writes(), "writes are counted wrongly");
    check(bench.read(r::hbm_activations::kOffset) == bench.timing.activations(), "rows are counted wrongly");
    const uint64_t refreshes = bench.read(r::hbm_refreshes::kOffset);
    check(refreshes <= bench.timing.refreshes() && refreshes + idle + 1 >= bench.timing.refreshes(),
          fmt::format("{} refreshes are counted, not {}", refreshes, bench.timing.refreshes()));
  };
  counters();
  check(bench.read(r::hbm_atomics::kOffset) == 1, "not one atomic");
  const uint64_t busy = bench.read(r::hbm_busy::kOffset);
  check(busy > 100 && busy < bench.cycle(), "busy cycles are counted wrongly");
  check(bench.read(r::hbm_hits::kOffset) + bench.read(r::hbm_activations::kOffset) >= bench.timing.reads(),
        "hits are counted wrongly");
  bench.write(r::control::kOffset, 3);
  for (const auto& info : regs::kRegisters) {
    if (!own(info) || info.offset < r::poison_reads::kOffset || info.offset == r::hbm_refreshes::kOffset)
      continue;
    check(bench.read(info.offset) == 0, fmt::format("{} was not cleared", info.name));
  }
  check(bench.read(r::control::kOffset) == 1, "control after clearing");

  // Hits and conflicts: one row of a bank again and again, then another one.
  HbmPlace place{1, 7, 1, 0};
  const uint64_t hits = 10;
  bench.steps(10);
  for (place.row = 1; place.row < 3; ++place.row) {
    for (place.col = 0; place.col < hits; ++place.col) bench.read_at(bench.hbm() + 64 * line_of(place), 6);
  }
  check(bench.read(r::hbm_conflicts::kOffset) <= 2, "conflicts are counted wrongly");
  check(bench.read(r::hbm_reads::kOffset) == 2 * hits, "reads are counted wrongly");
  check(bench.read(r::hbm_hits::kOffset) + bench.read(r::hbm_activations::kOffset) >= 2 * hits,
        "hits of rows");
  check(bench.read(r::hbm_hits::kOffset) <= 2 * hits - 2, "hits that are none");
}

// HBM and registers at once.
void test_random(uint64_t seed, uint64_t cycles) {
  CgBench bench(seed);
  auto& random = bench.random();
  HbmModel model(kHbmBytes);
  Addresses addresses(random, kHbmBytes);
  bool draining = false;
  uint64_t control = 5;
  Traffic traffic(
      bench.request_pins(), bench.response_pins(), random,
      [&]() -> std::optional<Request> {
        if (draining) return std::nullopt;
        Request request;
        request.source = static_cast<uint8_t>(random.below(6));
        for (auto& byte : request.data) byte = static_cast<uint8_t>(random.next());
        request.strb = random.next();
        request.op = random.chance(50) ? MbusOp::kRead : MbusOp::kWrite;
        request.size = 6;
        if (random.chance(10)) {
          request.addr = bench.reg(8 * random.below(17) + random.below(8));
          request.strb = uint64_t{1} << request.addr % 64;
          request.size = 0;
          // The counters are not to be cleared, only their being read is a matter of this test.
          request.data[r::control::kOffset % 64] &= 0xfd;
          return request;
        }
        request.addr = bench.hbm() + 64 * addresses.next_line();
        if (random.chance(2)) request.addr += kHbmBytes;
        if (random.chance(1)) request.addr ^= uint64_t{1} << random.between(34, 39);
        return request;
      },
      [&](const Request& request) -> Expected {
        if (request.addr / HbmCells::kGroupBytes == bench.hbm() / HbmCells::kGroupBytes) {
          return model.access(request);
        }
        const uint64_t offset = (request.addr - bench.reg(0)) & ~uint64_t{7};
        if (offset > 8 * 16) return {Status::kNobody};
        if (offset > r::hbm_busy::kOffset ||
            (offset > r::poison_reads::kOffset && offset < r::hbm_reads::kOffset)) {
          return {Status::kDenied};
        }
        Expected expected{Status::kOk, offset == r::control::kOffset && request.op == MbusOp::kRead, {}};
        if (offset == r::control::kOffset) {
          expected.data[r::control::kOffset] = static_cast<uint8_t>(control);
          const bool low = request.addr % 8 == 0;
          if (request.op == MbusOp::kWrite && low) control = request.data[request.addr % 64] & 5;
        }
        return expected;
      });
  bench.add(traffic);
  bench.reset();
  bench.steps(cycles);
  draining = true;
  bench.until([&] { return traffic.idle() && !bench.top().busy_o; }, 20000, "draining");
  for (const auto& [line, data] : model.lines()) {
    Line got{};
    bench.cells.read_line(bench.group, line, got.data());
    check(got == data, fmt::format("line {:#x} of the memory is wrong", line));
  }
  fmt::print("{} requests, longest wait {}\n", traffic.requests(), traffic.longest());
  check(traffic.requests() > cycles / 20, "too few requests");
}

// The cells alone.
void test_cells(uint64_t seed, uint64_t) {
  Random random(seed);
  HbmCells zeros(4);
  HbmCells patterned(2, seed);
  HbmCells same(2, seed);
  check(zeros.bytes_used() < 100'000, "untouched memory costs something");
  Line line{};
  Line other{};
  check(!zeros.read_line(3, 0xfff'ffff, line.data()) && line == other, "untouched memory is not zero");
  patterned.read_line(1, 12345, line.data());
  same.read_line(1, 12345, other.data());
  check(line == other && line != Line{}, "the pattern is not the seed's");
  const uint8_t byte = 0x5a;
  same.write(1, 64 * 12345 + 3, {&byte, 1});
  same.read_line(1, 12345, other.data());
  line[3] = byte;
  check(line == other, "the pattern around a written byte is lost");
  // The back door across chunks.
  std::vector<uint8_t> bytes(40'000);
  std::vector<uint8_t> got(bytes.size());
  for (auto& value : bytes) value = static_cast<uint8_t>(random.next());
  const uint64_t at = HbmCells::kGroupBytes - bytes.size();
  zeros.write(2, at, bytes);
  zeros.read(2, at, got);
  check(got == bytes, "the back door lost something");
  for (const auto& action : {std::function<void()>([&] { zeros.write(2, at + 1, bytes); }),
                             std::function<void()>([&] { zeros.read(4, 0, got); }),
                             std::function<void()>([&] { HbmCells five(5); })}) {
    bool thrown = false;
    try {
      action();
    } catch (const std::exception&) {
      thrown = true;
    }
    check(thrown, "an access beyond the memory");
  }
  zeros.poison(2, at + 70);
  check(zeros.poisoned(2, at + 64) == (at % 64 == 0) && zeros.poisoned(2, at + 70), "poison");
  zeros.heal(2, at + 70);
  check(!zeros.poisoned(2, at + 70), "healed");
  // Memory that is cleared, in any order, takes no host memory any more, except where untouched memory is not
  // zero.
  const uint64_t used = zeros.bytes_used();
  const Line nothing{};
  std::vector<uint64_t> lines(bytes.size() / HbmCells::kLineBytes);
  std::iota(lines.begin(), lines.end(), at / HbmCells::kLineBytes);
  for (size_t i = lines.size(); i > 1; --i) std::swap(lines[i - 1], lines[random.below(i)]);
  for (const uint64_t number : lines) {
    zeros.write_line(2, number, nothing.data(), ~uint64_t{0});
    same.write_line(1, number, nothing.data(), ~uint64_t{0});
  }
  check(used - zeros.bytes_used() >= bytes.size(), "cleared memory costs as much as before");
  zeros.read(2, at, got);
  check(got == std::vector<uint8_t>(got.size()), "cleared memory is not zero");
  same.read(1, at, got);
  check(got == std::vector<uint8_t>(got.size()), "cleared memory with a pattern is not zero");
  zeros.write(2, at, bytes);
  zeros.clear();
  zeros.read(2, at, got);
  check(got == std::vector<uint8_t>(got.size()) && zeros.bytes_used() < 100'000, "cleared");
}

std::vector<verif::TestCase> tests() {
  return {{"registers", test_registers}, {"random", test_random}, {"cells", test_cells}};
}

}  // namespace
}  // namespace swai::cg

int main(int argc, char** argv) { return swai::verif::test_main(argc, argv, swai::cg::tests()); }
