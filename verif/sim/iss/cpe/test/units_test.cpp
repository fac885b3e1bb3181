// SPDX-License-Identifier: Apache-2.0
// Each unit by itself: checks of segments, DMA, channels, synchronisation.
#include <deque>
#include <map>
#include <optional>

#include "verif/sim/iss/cpe/test/bench.hpp"

namespace swai::iss::cpe {
namespace {

using Answer = Environment::Answer;

constexpr uint16_t kTableEntries = 24;

// A random segment table over a small memory, and what it should say byte by byte.
struct Segments {
  verif::Random& random;
  SparseMemory memory{kHbmBase, 1 << 20};
  Port port{memory};
  std::vector<std::optional<segment::Entry>> entries{kTableEntries};
  static constexpr uint64_t kTable = kHbmBase + 0xf'0000;
  static constexpr uint8_t kContext = 3;

  explicit Segments(verif::Random& source) : random(source) {
    for (uint16_t i = 0; i < kTableEntries; ++i) {
      const segment::Entry entry{.base = kHbmBase + random.below(236) * segment::kGranuleBytes,
                                 .size = random.below(4) * segment::kGranuleBytes,
                                 .permissions = static_cast<uint8_t>(random.below(8)),
                                 .owner = static_cast<uint8_t>(random.chance(50) ? 0 : 2 + random.below(3))};
      uint64_t word = segment::encode(entry);
      if (random.chance(15)) {
        word &= ~(uint64_t{1} << 55);
      } else {
        entries[i] = entry;
      }
      memory.poke(kTable + 8 * i, {reinterpret_cast<uint8_t*>(&word), sizeof word});
    }
    port.set_table(kTable, kTableEntries);
    port.set_launch(0, 0, kContext);
  }

  Cause expect(uint16_t number, uint64_t offset, uint64_t bytes, uint8_t permission) const {
    if (number >= kTableEntries || !entries[number]) return Cause::kNoSegment;
    const segment::Entry& entry = *entries[number];
    if (entry.owner != 0 && entry.owner != kContext) return Cause::kOwner;
    if ((entry.permissions & permission) == 0) return Cause::kPermission;
    for (uint64_t i = 0; i < bytes; ++i) {
      if (offset + i >= entry.size) return Cause::kLimit;
    }
    return Cause::kNone;
  }
};

TEST_CASE("segments: checks, and their order") {
  verif::Random random(test_seed());
  for (unsigned table = 0; table < 50; ++table) {
    Segments segments(random);
    for (unsigned i = 0; i < 400; ++i) {
      const auto number = static_cast<uint16_t>(random.below(kTableEntries + 4));
      const uint64_t bytes = random.between(1, 64);
      uint64_t offset = random.below(3 * segment::kGranuleBytes);
      if (random.chance(50)) offset = random.between(1, 3) * segment::kGranuleBytes - random.below(80);
      if (random.chance(10)) offset = random.next() & segment::kOffsetMask;
      const std::map<Access, uint8_t> accesses = {{Access::kRead, segment::kRead},
                                                  {Access::kWrite, segment::kWrite},
                                                  {Access::kFetch, segment::kExecute}};
      for (const auto& [access, permission] : accesses) {
        uint64_t address = 0;
        const Cause cause = segments.port.translate(number, offset, bytes, access, address);
        CHECK(cause == segments.expect(number, offset, bytes, permission));
        if (cause == Cause::kNone) CHECK(address == segments.entries[number]->base + offset);
      }
    }
  }
}

TEST_CASE("segments: what memory says comes last; a table that cannot be read") {
  SparseMemory memory;
  Port port(memory);
  uint64_t entry = segment::encode({kHbmBase + 0x1000, 0x1000, segment::kRead | segment::kWrite});
  memory.poke(kHbmBase, {reinterpret_cast<uint8_t*>(&entry), sizeof entry});
  port.set_table(kHbmBase, 1);
  std::vector<uint8_t> bytes(4);
  memory.poison(kHbmBase + 0x1040);
  CHECK(port.read(0, 0, bytes) == Cause::kNone);
  CHECK(port.read(0, 0x7c, bytes) == Cause::kPoison);
  CHECK(port.write(0, 0x7c, bytes) == Cause::kNone);  // heals nothing: the rest is still damaged
  CHECK(port.read(0, 0x40, bytes) == Cause::kPoison);
  CHECK(port.write(0, 0x40, std::vector<uint8_t>(64)) == Cause::kNone);
  CHECK(port.read(0, 0x40, bytes) == Cause::kNone);
  port.set_table(0x1000, 1);
  CHECK(port.read(0, 0, bytes) == Cause::kBus);
  port.set_table(kHbmBase, 1);
  memory.poison(kHbmBase);
  CHECK(port.read(0, 0, bytes) == Cause::kPoison);
}

TEST_CASE("memory: only one range, zero at first, the back door takes any bytes") {
  SparseMemory memory(0x1000, 0x40000);
  verif::Random random(test_seed());
  std::vector<uint8_t> bytes(64);
  CHECK(memory.read(0xfc0, bytes) == MemoryStatus::kNobody);
  CHECK(memory.write(0x41000, bytes) == MemoryStatus::kNobody);
  CHECK(memory.read(0x40fc0, bytes) == MemoryStatus::kOk);
  CHECK(bytes == std::vector<uint8_t>(64));
  std::vector<uint8_t> model(0x40000);
  for (unsigned i = 0; i < 200; ++i) {
    const uint64_t at = random.below(model.size());
    std::vector<uint8_t> part(random.below(std::min<uint64_t>(model.size() - at, 0x20000) + 1));
    for (uint8_t& byte : part) byte = static_cast<uint8_t>(random.next());
    memory.poke(0x1000 + at, part);
    std::ranges::copy(part, model.begin() + static_cast<long>(at));
  }
  std::vector<uint8_t> all(model.size());
  memory.peek(0x1000, all);
  CHECK(all == model);
  CHECK_THROWS(memory.peek(0x1001, all));
}

// ---------------------------------------------------------------------------------------------------- DMA

struct DmaBench : Segments {
  std::vector<uint8_t> ldm = std::vector<uint8_t>(kLdmBytes);
  Dma dma{port, ldm};

  explicit DmaBench(verif::Random& source) : Segments(source) {
    std::vector<uint8_t> content(0xf'0000);
    for (uint8_t& byte : content) byte = static_cast<uint8_t>(random.next());
    memory.poke(kHbmBase, content);
    for (uint8_t& byte : ldm) byte = static_cast<uint8_t>(random.next());
  }
  Answer issue(uint8_t op, uint32_t rs1 = 0, uint32_t rs2 = 0) {
    return dma.issue({.unit = unit::kDma, .op = op, .rs1 = rs1, .rs2 = rs2, .pc = 0x5000'1234});
  }
  std::vector<uint8_t> snapshot() {
    std::vector<uint8_t> all(1 << 20);
    memory.peek(kHbmBase, all);
    return all;
  }
};

struct Move {
  bool store;
  uint16_t segment;
  uint64_t offset;
  uint32_t ldm, rows, ldm_stride, bytes;
  int32_t global_stride;
};

// Byte by byte, on copies; returns the fault.
Fault naive(const DmaBench& bench, const Move& move, std::vector<uint8_t>& ldm,
            std::vector<uint8_t>& memory) {
  for (uint32_t row = 0; row < move.rows; ++row) {
    const auto start = static_cast<int64_t>(move.offset) + int64_t{row} * move.global_stride;
    for (uint32_t i = 0; i < move.bytes; ++i) {
      const uint64_t offset = static_cast<uint64_t>(start + i) & segment::kOffsetMask;
      const Cause cause =
          bench.expect(move.segment, offset, 1, move.store ? segment::kWrite : segment::kRead);
      if (cause != Cause::kNone) {
        return {.cause = cause,
                .access = move.store ? Access::kWrite : Access::kRead,
                .dma = true,
                .pc = 0x5000'1234,
                .segment = move.segment,
                .offset = offset};
      }
      uint8_t& global = memory[bench.entries[move.segment]->base + offset - kHbmBase];
      uint8_t& local = ldm[move.ldm + row * move.ldm_stride + i];
      (move.store ? global : local) = move.store ? local : global;
    }
  }
  return {};
}

TEST_CASE("DMA: any shape moves what a plain loop moves, and faults where it does") {
  verif::Random random(test_seed());
  unsigned faults = 0;
  for (unsigned round = 0; round < 20; ++round) {
    DmaBench bench(random);
    for (unsigned i = 0; i < 40; ++i) {
      Move move{};
      move.store = random.chance(50);
      move.segment = static_cast<uint16_t>(random.below(kTableEntries + 1));
      // Mostly such as allow it.
      for (unsigned tries = 0; tries < 20; ++tries) {
        if (bench.expect(move.segment, 0, 1, move.store ? segment::kWrite : segment::kRead) == Cause::kNone)
          break;
        move.segment = static_cast<uint16_t>(random.below(kTableEntries));
      }
      const bool two = random.chance(60);
      move.rows = two ? static_cast<uint32_t>(random.between(1, 20)) : 1;
      move.bytes =
          static_cast<uint32_t>(random.chance(80) ? random.between(1, 200) : random.between(1, 9000));
      move.ldm_stride = two ? static_cast<uint32_t>(random.below(2000)) : 0;
      move.global_stride = two ? static_cast<int32_t>(random.below(1200)) - 400 : 0;
      move.offset = random.chance(5) ? random.next() & segment::kOffsetMask : random.below(0x2c00);
      const uint32_t span = (move.rows - 1) * move.ldm_stride + move.bytes;
      move.ldm = static_cast<uint32_t>(random.below(kLdmBytes - span + 1));
      // In a store, rows may overlap in memory; the last one wins. In a load, likewise in the LDM.

      std::vector<uint8_t> ldm = bench.ldm;
      std::vector<uint8_t> memory = bench.snapshot();
      const Fault fault = naive(bench, move, ldm, memory);
      bench.issue(dma_op::kGlobal, static_cast<uint32_t>(move.offset),
                  static_cast<uint32_t>(segment::pointer(move.segment, move.offset) >> 32));
      if (two) {
        bench.issue(dma_op::kShape, move.rows << 16 | move.ldm_stride,
                    static_cast<uint32_t>(move.global_stride));
      }
      const bool background = random.chance(50);
      bench.issue(dma_op::kClass, background ? dma_class::kBackground : dma_class::kForeground);
      const uint64_t of_background = bench.dma.bytes_of_background();
      const uint32_t before = bench.dma.begun();
      const Answer answer =
          bench.issue(move.store ? dma_op::kStore : dma_op::kLoad, kLdmBase + move.ldm, move.bytes);
      REQUIRE(answer.kind == Answer::kDone);
      CHECK(answer.data == before + 1);
      CHECK(bench.issue(dma_op::kWait, answer.data).kind == Answer::kDone);
      CHECK(bench.issue(dma_op::kWait, answer.data + 1).kind == Answer::kWait);
      CHECK(bench.issue(dma_op::kPoll, answer.data).data == 1);
      CHECK(bench.issue(dma_op::kPoll, answer.data + 1).data == 0);
      CHECK(text(bench.dma.fault()) == text(fault));
      CHECK(bench.dma.fault() == fault);
      CHECK(bench.ldm == ldm);
      CHECK(bench.snapshot() == memory);
      if (fault.cause == Cause::kNone) {
        CHECK(bench.dma.bytes_of_background() - of_background ==
              (background ? uint64_t{move.rows} * move.bytes : 0));
      }
      if (fault.cause != Cause::kNone) {
        ++faults;
        bench.dma.reset();
      }
    }
  }
  CHECK(faults > 20);
}

TEST_CASE("DMA: the shape holds for one transfer, the global pointer until the next one") {
  verif::Random random(test_seed());
  SparseMemory memory;
  Port port(memory);
  std::vector<uint8_t> ldm(kLdmBytes);
  uint64_t entry = segment::encode({kHbmBase + 0x1000, 0x1000, segment::kRead | segment::kWrite});
  memory.poke(kHbmBase + 8, {reinterpret_cast<uint8_t*>(&entry), sizeof entry});
  port.set_table(kHbmBase, 2);
  Dma dma(port, ldm);
  std::vector<uint8_t> content(0x1000);
  for (uint8_t& byte : content) byte = static_cast<uint8_t>(random.next());
  memory.poke(kHbmBase + 0x1000, content);
  dma.issue({.op = dma_op::kGlobal, .rs1 = 0x100, .rs2 = 1 << 16});
  dma.issue({.op = dma_op::kShape, .rs1 = 2 << 16 | 8, .rs2 = 0x40});
  dma.issue({.op = dma_op::kLoad, .rs1 = kLdmBase, .rs2 = 4});
  dma.issue({.op = dma_op::kLoad, .rs1 = kLdmBase + 0x100, .rs2 = 16});
  CHECK(std::equal(&ldm[0], &ldm[4], &content[0x100]));
  CHECK(std::equal(&ldm[8], &ldm[12], &content[0x140]));
  CHECK(std::equal(&ldm[0x100], &ldm[0x110], &content[0x100]));
  CHECK(std::all_of(&ldm[0x110], &ldm[0x200], [](uint8_t byte) { return byte == 0; }));
}

TEST_CASE("DMA: the class of transfers ends with the launch, and a refused one changes nothing") {
  verif::Random random(test_seed());
  DmaBench bench(random);
  uint16_t number = 0;
  while (bench.expect(number, 0, 1, segment::kRead) != Cause::kNone) ++number;
  const auto load = [&] {
    const uint64_t before = bench.dma.bytes_of_background();
    bench.issue(dma_op::kGlobal, 0, static_cast<uint32_t>(segment::pointer(number, 0) >> 32));
    bench.issue(dma_op::kLoad, kLdmBase, 64);
    return bench.dma.bytes_of_background() - before;
  };
  CHECK(load() == 0);
  bench.issue(dma_op::kClass, dma_class::kBackground);
  CHECK(bench.issue(dma_op::kClass, 2).kind == Answer::kBad);
  CHECK(load() == 64);
  bench.dma.end_launch();
  CHECK(load() == 0);
}

TEST_CASE("DMA: commands that make no sense") {
  verif::Random random(test_seed());
  SparseMemory memory;
  Port port(memory);
  std::vector<uint8_t> ldm(kLdmBytes);
  const uint32_t end = kLdmBase + kLdmBytes;
  struct Case {
    uint32_t rows, stride, at, bytes;
  };
  for (const auto& [rows, stride, at, bytes] : std::initializer_list<Case>{
           {1, 0, kLdmBase, 0},
           {0, 0, kLdmBase, 4},
           {1, 0, kLdmBase - 1, 4},
           {1, 0, end, 1},
           {1, 0, end - 3, 4},
           {1, 0, kLdmBase, kLdmBytes + 1},
           {1, 0, kLdmBase, 0xffff'ffff},
           {2, 8, end - 11, 4},
           {0xffff, 0xffff, kLdmBase, 1},
           {1, 0, 0x2000'0000, 4},
           {1, 0, 0, 4},
       }) {
    for (const uint8_t op : {dma_op::kLoad, dma_op::kStore}) {
      Dma dma(port, ldm);
      dma.issue({.op = dma_op::kShape, .rs1 = rows << 16 | stride});
      CHECK(dma.issue({.op = op, .rs1 = at, .rs2 = bytes}).kind == Answer::kBad);
      CHECK(dma.begun() == 0);
    }
  }
  Dma dma(port, ldm);
  for (unsigned op = dma_op::kClass + 1; op < 128; ++op) {
    CHECK(dma.issue({.op = static_cast<uint8_t>(op)}).kind == Answer::kBad);
  }
  for (const uint32_t none : {2U, 0x8000'0000U, 0xffff'ffffU})
    CHECK(dma.issue({.op = dma_op::kClass, .rs1 = none}).kind == Answer::kBad);
  // The very end is still good: the fault is that there is no segment.
  CHECK(dma.issue({.op = dma_op::kShape, .rs1 = 2 << 16 | 8}).kind == Answer::kDone);
  CHECK(dma.issue({.op = dma_op::kLoad, .rs1 = end - 12, .rs2 = 4}).kind == Answer::kDone);
  CHECK(dma.fault().cause == Cause::kNoSegment);
}

// ----------------------------------------------------------------------------------------------- channels

struct Row {
  std::vector<std::vector<uint8_t>> ldm;
  Channel channel;
  explicit Row(unsigned positions)
      : ldm(positions, std::vector<uint8_t>(kLdmBytes)), channel({ldm.begin(), ldm.end()}) {
    channel.set_participants(static_cast<uint8_t>((1u << positions) - 1));
  }
  Answer issue(unsigned position, uint8_t op, uint32_t at, uint32_t bytes, uint8_t peer) {
    const Command command{.op = op, .rs1 = kLdmBase + at, .rs2 = uint32_t{peer} << 24 | bytes};
    const Answer answer = channel.issue(position, command);
    channel.move();
    return answer;
  }
  Answer wait(unsigned position, uint8_t op, uint32_t ticket) {
    return channel.issue(position, {.op = op, .rs1 = ticket});
  }
};

struct Part {
  uint8_t op;
  uint32_t at, bytes;
  uint8_t peer;
};

// One long stream after the other, each cut at random at both ends; the parts are issued in any order that
// the queues allow.
TEST_CASE("channels: streams, however they are cut") {
  verif::Random random(test_seed());
  for (unsigned round = 0; round < 60; ++round) {
    const auto positions = static_cast<unsigned>(random.between(2, 8));
    Row row(positions);
    for (auto& ldm : row.ldm) {
      for (uint8_t& byte : ldm) byte = static_cast<uint8_t>(random.next());
    }
    std::vector<std::vector<uint8_t>> expected(positions);
    for (unsigned i = 0; i < positions; ++i) expected[i] = row.ldm[i];
    // Sends are read from the lower half, receives go to the upper one.
    std::vector<std::deque<Part>> parts(positions);
    std::vector<uint32_t> filled(positions, kLdmBytes / 2);
    const auto cut = [&](unsigned position, uint8_t op, uint32_t at, uint32_t bytes, uint8_t peer) {
      auto& queue = parts[position];
      while (bytes != 0) {
        const auto part = static_cast<uint32_t>(32 * random.between(1, std::min<uint32_t>(bytes / 32, 20)));
        // A command may also end one message and begin the next.
        if (!queue.empty() && queue.back().op == op && queue.back().peer == peer &&
            queue.back().at + queue.back().bytes == at && random.chance(30)) {
          queue.back().bytes += part;
          at += part;
          bytes -= part;
          continue;
        }
        queue.push_back({op, at, part, peer});
        at += part;
        bytes -= part;
      }
    };
    for (unsigned message = 0; message < 20; ++message) {
      const auto sender = static_cast<unsigned>(random.below(positions));
      auto mask = static_cast<uint8_t>(random.below(1u << positions) & ~(1u << sender));
      const auto bytes = static_cast<uint32_t>(32 * random.between(1, 60));
      const auto from = static_cast<uint32_t>(32 * random.below((kLdmBytes / 2 - bytes) / 32 + 1));
      for (unsigned i = 0; i < positions; ++i) {
        if (filled[i] + bytes > kLdmBytes) mask &= static_cast<uint8_t>(~(1u << i));
      }
      if (mask == 0) continue;
      cut(sender, channel_op::kSend, from, bytes, mask);
      for (unsigned i = 0; i < positions; ++i) {
        if ((mask >> i & 1) == 0) continue;
        cut(i, channel_op::kReceive, filled[i], bytes, static_cast<uint8_t>(sender));
        std::memcpy(&expected[i][filled[i]], &expected[sender][from], bytes);
        filled[i] += bytes;
      }
    }
    std::vector<uint32_t> sends(positions), receives(positions);
    const auto left = [&] {
      return std::ranges::any_of(parts, [](const auto& queue) { return !queue.empty(); });
    };
    unsigned stuck = 0;
    while (left()) {
      const auto position = static_cast<unsigned>(random.below(positions));
      if (parts[position].empty()) continue;
      const Part part = parts[position].front();
      const Answer answer = row.issue(position, part.op, part.at, part.bytes, part.peer);
      REQUIRE(answer.kind != Answer::kBad);
      if (answer.kind == Answer::kWait) {
        REQUIRE(++stuck < 100'000);
        continue;
      }
      CHECK(answer.data == ++(part.op == channel_op::kSend ? sends : receives)[position]);
      parts[position].pop_front();
    }
    for (unsigned i = 0; i < positions; ++i) {
      CHECK(!row.channel.busy(i));
      CHECK(row.wait(i, channel_op::kWaitSend, sends[i]).kind == Answer::kDone);
      CHECK(row.wait(i, channel_op::kWaitReceive, receives[i]).kind == Answer::kDone);
      CHECK(row.wait(i, channel_op::kWaitReceive, receives[i] + 1).kind == Answer::kWait);
      CHECK(row.ldm[i] == expected[i]);
    }
  }
}

TEST_CASE("channels: nothing moves before all receivers have named the sender") {
  Row row(4);
  row.ldm[0][5] = 55;
  row.issue(0, channel_op::kSend, 0, 64, 0b1110);
  row.issue(1, channel_op::kReceive, 0, 32, 0);
  row.issue(2, channel_op::kReceive, 0, 32, 3);  // somebody else first
  row.issue(2, channel_op::kReceive, 32, 64, 0);
  row.issue(3, channel_op::kReceive, 0, 64, 0);
  CHECK(row.wait(1, channel_op::kWaitReceive, 1).kind == Answer::kWait);
  CHECK(row.channel.describe(0) == "send 1 to 1-3 has 64 bytes left, 2 does not receive it");
  CHECK(row.channel.describe(2) == "receive 1 from 3 has 32 bytes left, which sends nothing");
  row.ldm[3][0] = 33;
  row.issue(3, channel_op::kSend, 0, 32, 0b0100);
  CHECK(row.ldm[2][0] == 33);
  // Now one beat goes; 1 has room for no more.
  CHECK(row.ldm[1][5] == 55);
  CHECK(row.ldm[2][37] == 55);
  CHECK(row.wait(1, channel_op::kWaitReceive, 1).kind == Answer::kDone);
  CHECK(row.wait(3, channel_op::kWaitReceive, 1).kind == Answer::kWait);
  CHECK(row.channel.describe(0) == "send 1 to 1-3 has 32 bytes left, 1 does not receive it");
  CHECK(row.channel.describe(3) == "receive 1 from 0 has 32 bytes left");
  row.issue(1, channel_op::kReceive, 32, 64, 0);
  CHECK(row.wait(0, channel_op::kWaitSend, 1).kind == Answer::kDone);
  CHECK(row.channel.describe(1) == "receive 2 from 0 has 32 bytes left, which sends nothing");
  row.channel.reset(1);
  CHECK(!row.channel.busy(1));
}

TEST_CASE("channels: commands that make no sense") {
  Row row(4);
  row.channel.set_participants(0b0111);
  using namespace channel_op;
  struct Case {
    uint8_t op;
    uint32_t at, bytes;
    uint8_t peer;
  };
  for (const auto& [op, at, bytes, peer] : std::initializer_list<Case>{
           {kSend, 0, 32, 0},
           {kSend, 0, 32, 0b0011},  // to itself
           {kSend, 0, 32, 0b1010},  // 3 takes no part
           {kSend, 0, 32, 0b1'0010},
           {kSend, 0, 0, 0b0010},
           {kSend, 0, 33, 0b0010},
           {kSend, 16, 32, 0b0010},
           {kSend, kLdmBytes, 32, 0b0010},
           {kSend, kLdmBytes - 32, 64, 0b0010},
           {kSend, 0, 0xff'ffe0, 0b0010},
           {kSend, 0x1000'0000, 32, 0b0010},
           {kReceive, 0, 32, 0},  // from itself
           {kReceive, 0, 32, 3},
           {kReceive, 0, 32, 4},
           {kReceive, 0, 32, 129},
           {kReceive, 0, 0, 1},
           {kReceive, 8, 32, 1},
           {kReceive, kLdmBytes - 32, 64, 1},
           {4, 0, 32, 1},
           {127, 0, 32, 1},
       }) {
    CHECK(row.issue(0, op, at, bytes, peer).kind == Answer::kBad);
  }
  CHECK(row.channel.issue(0, {.op = kSend, .rs1 = 0x40, .rs2 = 2 << 24 | 32}).kind == Answer::kBad);
  CHECK(!row.channel.busy(0));
  for (unsigned i = 0; i < Channel::kQueue; ++i) {
    CHECK(row.issue(0, kSend, kLdmBytes - 32, 32, 0b0110).kind == Answer::kDone);
  }
  CHECK(row.issue(0, kSend, 0, 32, 0b0110).kind == Answer::kWait);
  CHECK(row.issue(0, kReceive, 0, 32, 2).kind == Answer::kDone);
}

// --------------------------------------------------------------------------------------- synchronisation

TEST_CASE("sync: released when all of the launch in the scope have come, and not before") {
  verif::Random random(test_seed());
  for (unsigned round = 0; round < 100; ++round) {
    const auto rows = static_cast<unsigned>(random.between(1, 4));
    const auto columns = static_cast<unsigned>(random.between(1, 8));
    const unsigned size = rows * columns;
    Sync sync(rows, columns);
    const auto active = static_cast<uint32_t>(random.next() & ((uint64_t{1} << size) - 1));
    sync.set_active(active);
    // How often each has passed; in a scope all must pass equally often, give or take the round under way.
    std::vector<std::array<unsigned, 3>> arrivals(size), passed(size);
    std::vector<int> waits(size, -1);
    for (unsigned step = 0; step < 2000; ++step) {
      const auto cpe = static_cast<unsigned>(random.below(size));
      const unsigned scope =
          waits[cpe] < 0 ? static_cast<unsigned>(random.below(3)) : static_cast<unsigned>(waits[cpe]);
      if (waits[cpe] < 0) ++arrivals[cpe][scope];
      waits[cpe] = static_cast<int>(scope);
      bool expected = (active >> cpe & 1) != 0;
      for (unsigned other = 0; other < size; ++other) {
        const bool in = scope == Sync::kAll || (scope == Sync::kRow && other / columns == cpe / columns) ||
                        (scope == Sync::kColumn && other % columns == cpe % columns);
        if (in && (active >> other & 1) != 0 && arrivals[other][scope] < arrivals[cpe][scope])
          expected = false;
      }
      bool released = sync.wait(cpe, static_cast<Sync::Scope>(scope));
      if (!released) {
        CHECK(sync.release([](uint32_t) {}) == expected);
        released = sync.wait(cpe, static_cast<Sync::Scope>(scope));
      }
      CHECK(released == expected);
      if (expected) waits[cpe] = -1;
    }
  }
}

}  // namespace
}  // namespace swai::iss::cpe
