// SPDX-License-Identifier: Apache-2.0
// Random use of the memory port: segments of all kinds, data near and far, code, others who use the HBM over
// the ring; what is wrong on purpose; and what moves or is invalidated meanwhile.
#pragma once

#include "verif/rtl/group/memory/memory_stubs.hpp"
#include "verif/rtl/group/traffic.hpp"

namespace swai::cg {

inline constexpr unsigned kSegments = 64;
inline constexpr uint16_t kMoving = 3;  // a segment that is rewritten while it is used
inline constexpr uint64_t kPage = kGranule;
inline constexpr uint64_t kOwnTable = kOwnBase + 0x10'0000;
inline constexpr uint64_t kFarTable = kFarBase + 0x10'0000;
inline constexpr uint64_t kOwnData = kOwnBase + 0x20'0000;
inline constexpr uint64_t kFarData = kFarBase + 0x20'0000;
inline constexpr uint64_t kDataPages = 8;
inline constexpr uint64_t kOwnFixed =
    kOwnBase + 0x30'0000;  // nobody writes here: where the moving segment may lie, and code
inline constexpr uint64_t kFarFixed = kFarBase + 0x30'0000;
inline constexpr uint64_t kFixedPages = 4;
inline constexpr uint64_t kOthersLine = 0x80'0000 / 64;  // what is used over the ring
inline constexpr uint64_t kOthersLines = 4096;

class Scenario {
 public:
  explicit Scenario(uint64_t seed)
      : bench(seed),
        random(bench.random()),
        far(bench, random),
        cpes(
            bench, random, [this](unsigned) { return next_request(); },
            [this](unsigned) { return next_line(); }),
        others_model(HbmCells::kGroupBytes),
        others(
            {Field(bench.top().tgt_req_valid_i, 0, 1), Field(bench.top().tgt_req_ready_o, 0, 1),
             Field(bench.top().tgt_req_i, 0, kReqBits)},
            {Field(bench.top().tgt_rsp_valid_o, 0, 1), Field(bench.top().tgt_rsp_ready_i, 0, 1),
             Field(bench.top().tgt_rsp_o, 0, kRspBits)},
            random, [this] { return next_other(); },
            [this](const Request& request) { return others_model.access(request); }) {
    model.table.resize(kSegments);
    cpes.on_taken = [this](const MemRequest& request) { return answers_to(request); };
    cpes.on_fetched = [this](uint32_t line, uint64_t since) { return answers_to(line, since); };
    for (const uint64_t base : {kOwnData, kFarData}) fill(base, kDataPages);
    for (const uint64_t base : {kOwnFixed, kFarFixed}) fill(base, kFixedPages);
    bench.add(far);
    bench.add(cpes);
    bench.add(others);
    bench.reset();
    configure();
  }

  // A new table, context, code; only while nothing is under way.
  void configure() {
    auto& space = model.space;
    space.table_base = random.chance(70) ? kOwnTable : kFarTable;
    space.table_entries = static_cast<uint32_t>(random.between(20, kSegments));
    space.owner = static_cast<uint8_t>(random.between(1, 3));
    space.daemon_segment = static_cast<uint16_t>(random.chance(90) ? 1 : random.below(kSegments));
    space.code_segment = static_cast<uint16_t>(random.chance(90) ? 2 : random.below(kSegments));
    far.delay = static_cast<unsigned>(random.chance(80) ? 20 : 300);
    far_percent_ = random.chance(50) ? 5 : 40;
    spread_percent_ = random.chance(70) ? 1 : 30;
    restless_ = random.chance(30);
    cpes.fetch_percent = random.chance(30) ? 100 : 2;
    others_percent_ = random.chance(20) ? 100 : 3;
    model.lost.clear();
    for (unsigned i = 0; i < kSegments; ++i) {
      heal(space.table_base + uint64_t{8} * i);
      put_entry(static_cast<uint16_t>(i), random_segment());
    }
    for (uint16_t i = 1; i <= 2; ++i) {
      put_entry(i, {.valid = true,
                    .execute = true,
                    .size = static_cast<uint32_t>(random.between(1, 3)),
                    .base = granule(random.chance(70) ? kOwnFixed : kFarFixed)});
    }
    put_entry(kMoving, moving_segment());
    if (random.chance(20)) {
      const auto first = static_cast<uint16_t>(random.between(3, kSegments / 8 - 1) * 8);
      for (uint16_t i = 0; i < 8; ++i) model.lost.insert(static_cast<uint16_t>(first + i));
      poison(space.table_base + uint64_t{8} * first);
    }
    for (unsigned i = 0; i < 5; ++i) {
      const uint64_t addr = (random.chance(60) ? kOwnData : kFarData) + random.below(kDataPages * kPage);
      poison(addr);
      model.memory.poison(addr);
    }
    if (random.chance(50)) {
      hot_.clear();
      for (unsigned i = 0; i < 10; ++i) hot_.push_back(random_line());
    }
    bench.set_space(space);
    invalidate_ = 3;
    in_motion_ = false;
    step();
  }

  // One cycle; now and then something is invalidated or moves.
  void step() {
    auto& top = bench.top();
    const bool may = !cpes.stopped && (restless_ || random.below(10) == 0);
    if (may && !in_motion_ && random.below(400) == 0) move_segment();
    if (may && random.below(100) == 0) move_code();
    if (may && random.below(500) == 0) invalidate_ |= 1;
    if (may && random.below(500) == 0) invalidate_ |= 2;
    top.dslb_invalidate_i = invalidate_ & 1;
    top.icache_invalidate_i = (invalidate_ & 2) != 0;
    bench.step();
    if (invalidate_ & 1) in_motion_ = false;
    if (invalidate_ & 2) code_pulses_.push_back(cpes.now());
    invalidate_ = 0;
  }

  bool idle() const { return cpes.idle() && far.idle() && others.idle(); }

  void drain() {
    cpes.stopped = true;
    others_stopped = true;
    for (uint64_t i = 0; !idle() || bench.top().busy_o || bench.top().hbm_busy_o; ++i) {
      check(i < 20000, "something is never answered");
      step();
    }
  }

  void go() {
    cpes.stopped = false;
    others_stopped = false;
  }

  void compare_memory() {
    for (const auto& [number, data] : model.memory.lines()) {
      const uint64_t addr = number * 64;
      Line got = far.memory.read(addr);
      bool poisoned = far.memory.poisoned(addr);
      if (is_own(addr)) poisoned = bench.cells.read_line(kGroup, (addr - kOwnBase) / 64, got.data());
      check(got == data && poisoned == model.memory.poisoned(addr),
            fmt::format("memory is wrong at {:#x}", addr));
    }
  }

  MemoryBench bench;
  Random& random;
  MemoryModel model;
  FarEnd far;
  Cpes cpes;
  HbmModel others_model;
  Traffic others;
  bool others_stopped = false;
  uint64_t legal_writes = 0;

 private:
  static uint32_t granule(uint64_t addr) { return static_cast<uint32_t>(addr / kGranule); }

  // The back door of all memories.
  void put_line(uint64_t addr, const Line& data) {
    if (is_own(addr)) {
      bench.cells.write(kGroup, addr - kOwnBase, data);
    } else {
      far.memory.write(addr, data, ~uint64_t{0});
    }
  }
  void poison(uint64_t addr) {
    if (is_own(addr)) {
      bench.cells.poison(kGroup, addr - kOwnBase);
    } else {
      far.memory.poison(addr);
    }
  }
  void heal(uint64_t addr) {
    if (is_own(addr)) {
      bench.cells.heal(kGroup, addr - kOwnBase);
    } else {
      far.memory.write(addr, far.memory.read(addr), ~uint64_t{0});
    }
  }
  Line random_data() {
    Line line;
    for (auto& byte : line) byte = static_cast<uint8_t>(random.next());
    return line;
  }
  void fill(uint64_t base, uint64_t pages) {
    for (uint64_t addr = base; addr < base + pages * kPage; addr += 64) {
      const Line data = random_data();
      put_line(addr, data);
      model.memory.write(addr, data, ~uint64_t{0});
    }
  }

  void put_entry(uint16_t number, const Segment& entry) {
    model.table[number] = entry;
    const uint64_t addr = model.space.table_base + uint64_t{8} * number;
    Line line{};
    if (is_own(addr)) {
      bench.cells.read(kGroup, addr / 64 * 64 - kOwnBase, line);
    } else {
      line = far.memory.read(addr);
    }
    const uint64_t word = entry.packed();
    std::copy_n(reinterpret_cast<const uint8_t*>(&word), 8, line.begin() + addr % 64);
    put_line(addr / 64 * 64, line);
  }

  Segment random_segment() {
    Segment entry;
    entry.owner = static_cast<uint8_t>(random.chance(75) ? 0 : random.below(4));
    entry.valid = random.chance(98);
    entry.write = random.chance(80);
    entry.read = random.chance(95);
    entry.size = static_cast<uint32_t>(random.below(random.chance(10) ? 2 : kDataPages));
    entry.base = granule(random.chance(far_percent_) ? kFarData : kOwnData);
    const auto kind = random.below(30);
    if (kind == 0) entry.base = granule(0x90'0000'0000);
    if (kind == 1) entry.base = granule(0x90'1000'0000);
    if (kind == 2) {  // ends beyond the last address
      entry.base = 0xfff'ffff;
      entry.size = static_cast<uint32_t>(random.below(1 << 24));
    }
    if (kind > 2 && entry.size < kDataPages) {
      entry.base += static_cast<uint32_t>(random.below(kDataPages - entry.size));
    }
    if (random.chance(20)) {  // code: nobody may write what the cache keeps
      entry = moving_segment();
      entry.execute = true;
    }
    return entry;
  }

  Segment moving_segment() {
    return {.valid = random.chance(90),
            .read = random.chance(90),
            .size = static_cast<uint32_t>(random.between(1, 2)),
            .base = granule(random.chance(70) ? kOwnFixed : kFarFixed) + 1 +
                    static_cast<uint32_t>(random.below(2))};
  }

  // From here to the invalidation either entry may count.
  void move_segment() {
    before_ = model.table[kMoving];
    put_entry(kMoving, moving_segment());
    in_motion_ = true;
    cpes.also(kMoving, [this](const MemRequest& request) { return model.access(request); });
    if (random.chance(50)) invalidate_ |= 1;
  }

  // Lines of code change behind everybody's back; they are in the first page, which nobody reads as data.
  void move_code() {
    const uint64_t addr = kOwnFixed + random.below(16) * 64;
    auto& history = history_[addr];
    if (history.empty()) history.push_back({0, model.memory.read(addr)});
    history.push_back({cpes.now() + 1, random_data()});
    put_line(addr, history.back().second);
    model.memory.write(addr, history.back().second, ~uint64_t{0});
  }

  std::vector<Answer> answers_to(const MemRequest& request) {
    Cause cause{};
    model.translate(request.segment, request.offset, Access::kWrite, cause);
    legal_writes += request.write && cause == Cause::kNone;
    std::vector<Answer> answers{model.access(request)};
    if (request.segment == kMoving && in_motion_) {
      std::swap(model.table[kMoving], before_);
      answers.push_back(model.access(request));
      std::swap(model.table[kMoving], before_);
    }
    return answers;
  }

  // What the line held at any time since the last invalidation before the fetch.
  std::vector<Answer> answers_to(uint32_t line, uint64_t since) {
    std::vector<Answer> answers{model.fetch(line)};
    if (line & kAhead) {
      // Nobody hears why it cannot be had.
      if (!answers[0].compare) return {{Cause::kVacant}};
      answers.push_back({Cause::kVacant});
    }
    if (!answers[0].compare) return answers;
    Cause cause{};
    const uint64_t addr =
        model.translate((line >> 22 & 7) == 4 ? model.space.daemon_segment : model.space.code_segment,
                        uint64_t{line & 0x3f'ffff} * 64, Access::kFetch, cause);
    const auto found = history_.find(addr);
    if (found == history_.end()) return answers;
    uint64_t pulse = 0;
    for (const uint64_t cycle : code_pulses_) {
      if (cycle < since) pulse = cycle;
    }
    const auto& history = found->second;
    for (size_t i = 0; i + 1 < history.size(); ++i) {
      if (history[i + 1].first >= pulse) answers.push_back({Cause::kNone, true, history[i].second});
    }
    return answers;
  }

  MemRequest next_request() {
    MemRequest request;
    request.segment = static_cast<uint16_t>(3 + random.below(10));
    if (random.chance(spread_percent_)) {
      request.segment = static_cast<uint16_t>(random.below(model.space.table_entries + 3));
    }
    if (random.below(500) == 0) request.segment = static_cast<uint16_t>(random.next());
    if (random.chance(10)) request.segment = kMoving;
    const Segment entry = request.segment < kSegments ? model.table[request.segment] : Segment{};
    request.write = random.chance(request.segment == kMoving ? 5 : 40);
    request.offset = random.below((entry.size + (random.chance(10) ? 1U : 0U)) * kPage + 1);
    if (random.chance(1)) request.offset = random.next() & 0xffff'ffff'ffff;
    if (random.chance(1)) request.offset = 0xffff'ffff'ffff - random.below(64);
    request.scalar = random.chance(15);
    if (request.scalar) {
      request.bytes = static_cast<uint8_t>(1 << random.below(3));
      request.offset &= ~uint64_t{request.bytes - 1U};
    } else {
      const uint64_t room = 64 - request.offset % 64;
      request.bytes = static_cast<uint8_t>(random.chance(50) ? room : 1 + random.below(room));
      request.lane = static_cast<uint8_t>(random.chance(40) ? request.offset % 64 : random.below(64));
      request.tag = static_cast<uint8_t>(random.below(kMemTags));
    }
    request.data = random_data();
    return request;
  }

  uint32_t random_line() {
    const auto name = static_cast<uint32_t>(random.chance(97) ? 4 + random.below(2) : random.below(8));
    return name << 22 | static_cast<uint32_t>(random.chance(97) ? random.below(random.chance(90) ? 64 : 200)
                                                                : random.below(1 << 22));
  }
  uint32_t next_line() { return wanted_line() | (random.chance(30) ? kAhead : 0); }
  uint32_t wanted_line() {
    if (random.below(30) == 0) common_line_ = random_line();
    if (random.chance(40)) return common_line_;
    if (random.chance(60) && !hot_.empty()) return hot_[random.below(hot_.size())];
    return random_line();
  }

  std::optional<Request> next_other() {
    if (others_stopped || !random.chance(others_percent_)) return std::nullopt;
    Request request;
    request.source = static_cast<uint8_t>(random.below(6));
    request.op = random.chance(50) ? MbusOp::kRead : MbusOp::kWrite;
    request.size = 6;
    request.strb = random.next();
    request.data = random_data();
    request.addr = kOwnBase + 64 * (kOthersLine + random.below(kOthersLines));
    return request;
  }

  unsigned invalidate_ = 0;  // in the next cycle: 1 segments, 2 code
  unsigned far_percent_ = 50;
  unsigned spread_percent_ = 50;
  unsigned others_percent_ = 0;
  bool restless_ = true;
  bool in_motion_ = false;
  Segment before_;
  uint32_t common_line_ = 4U << 22;
  std::vector<uint32_t> hot_;
  std::vector<uint64_t> code_pulses_;
  std::unordered_map<uint64_t, std::vector<std::pair<uint64_t, Line>>> history_;
};

}  // namespace swai::cg
