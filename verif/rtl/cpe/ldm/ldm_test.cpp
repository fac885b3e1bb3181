// SPDX-License-Identifier: Apache-2.0
// The local memory of a CPE against an array of bytes: all ports at once, at random; clearing; who waits for
// whom.

#include <fmt/format.h>

#include <array>
#include <cstring>
#include <optional>
#include <vector>

#include "Vtb_ldm.h"
#include "sim/common/field.hpp"
#include "verif/rtl/lib/bench.hpp"
#include "verif/rtl/lib/test_main.hpp"

namespace swai::cpe {
namespace {

using verif::check;
using verif::Field;
using verif::Random;
using verif::Stalls;

constexpr unsigned kEngines = 6;  // in tb_ldm.sv
constexpr unsigned kBytes = 128 * 1024;
constexpr unsigned kWord = 32;
constexpr unsigned kBanks = 8;

// A port that accesses an aligned word of a fixed size: scalar core, engine, access port.
struct WordPort {
  std::string name;
  unsigned bytes;
  Field valid, ready, write, addr, wdata, strb, rdata;
  bool holds;  // what was read stays until the next read
  bool writes = true;
  bool reads = true;
  bool narrow = false;  // writes the same 32 bits at every place
};

class Ldm : public verif::Bench<Vtb_ldm>, private verif::Agent {
 public:
  explicit Ldm(uint64_t seed) : Bench(seed), memory(kBytes) {
    auto& t = top();
    settle();
    serial = t.serial_o != 0;
    ports.push_back({.name = "scalar",
                     .bytes = 4,
                     .valid = Field(t.s_valid_i, 0, 1),
                     .ready = Field(t.s_ready_o, 0, 1),
                     .write = Field(t.s_write_i, 0, 1),
                     .addr = Field(t.s_addr_i, 0, 15),
                     .wdata = Field(t.s_wdata_i, 0, 32),
                     .strb = Field(t.s_strb_i, 0, 4),
                     .rdata = Field(t.s_rdata_o, 0, 32),
                     .holds = false});
    for (unsigned i = 0; i < kEngines; ++i) {
      ports.push_back({.name = fmt::format("engine {}", i),
                       .bytes = kWord,
                       .valid = Field(t.e_valid_i, i, 1),
                       .ready = Field(t.e_ready_o, i, 1),
                       .write = Field(t.e_write_i, i, 1),
                       .addr = Field(t.e_addr_i, 12 * i, 12),
                       .wdata = Field(t.e_wdata_i, 256 * i, 256),
                       .strb = Field(t.e_strb_i, 32 * i, 32),
                       .rdata = Field(t.e_rdata_o, 256 * i, 256),
                       .holds = (t.holds_o >> i & 1) != 0,
                       .writes = (t.writes_o >> i & 1) != 0,
                       .reads = (t.reads_o >> i & 1) != 0,
                       .narrow = (t.narrow_o >> i & 1) != 0});
    }
    ports.push_back({.name = "access",
                     .bytes = 8,
                     .valid = Field(t.a_valid_i, 0, 1),
                     .ready = Field(t.a_ready_o, 0, 1),
                     .write = Field(t.a_write_i, 0, 1),
                     .addr = Field(t.a_addr_i, 0, 14),
                     .wdata = Field(t.a_wdata_i, 0, 64),
                     .strb = Field(t.a_strb_i, 0, 8),
                     .rdata = Field(t.a_rdata_o, 0, 64),
                     .holds = !serial});
    states.resize(ports.size());
    for (size_t i = 0; i <= ports.size() + 1; ++i) stalls.emplace_back(random());
    add(*this);
    reset();
    clear();
  }

  // Everything is 0 afterwards.
  void clear() {
    quiet = true;
    until([&] { return idle(); }, 1000, "the ports");
    top().clear_i = 1;
    step();
    top().clear_i = 0;
    std::fill(memory.begin(), memory.end(), 0);
    check(top().clearing_o && top().busy_o, "clearing begins");
    quiet = false;
    uint64_t cycles = 0;
    for (; top().clearing_o; ++cycles) step();
    check(cycles == (serial ? 2048 : 512), fmt::format("clearing took {} cycles", cycles));
    check(!top().busy_o, "busy after clearing");
  }

  // The serial one serves one access at a time: a memory of one bank.
  unsigned bank_of(unsigned address) const { return serial ? 0 : address / kWord % kBanks; }

  // The banks of `bytes` bytes from `address` on, one bit each.
  unsigned banks_of(unsigned address, unsigned bytes) const {
    unsigned banks = 0;
    for (unsigned at = address / kWord; at <= (address + bytes - 1) / kWord; ++at) {
      banks |= 1U << bank_of(at * kWord);
    }
    return banks;
  }

  bool idle() const {
    for (const auto& state : states) {
      if (state.pending) return false;
    }
    return !line_read_pending;
  }

  // Lets the outputs follow and looks at the whole memory through the access port.
  void compare_all() {
    quiet = true;
    until([&] { return idle(); }, 1000, "the ports");
    step();  // the last one's request is still at the pins
    auto& port = ports.back();
    for (unsigned at = 0; at < kBytes; at += 8) {
      port.valid.set(1);
      port.write.set(0);
      port.addr.set(at / 8);
      tick();
      port.valid.set(0);
      settle();
      uint64_t expected = 0;
      std::memcpy(&expected, &memory[at], 8);
      check(port.rdata.get() == expected, fmt::format("byte {:#x} and the next seven are wrong", at));
    }
    states.back().shown.reset();
    quiet = false;
  }

  struct Pending {
    bool write = false;
    unsigned address = 0;
    std::vector<uint8_t> data;
    uint64_t strb = 0;
    unsigned age = 0;
    unsigned waited = 0;  // but for clearing
    unsigned waited_for_engines = 0;
  };
  struct PortState {
    std::optional<Pending> pending;
    std::optional<std::vector<uint8_t>> shown;  // what it shows from now on
    bool fresh = false;
    uint64_t taken = 0;
    unsigned longest = 0;
  };

  std::vector<uint8_t> memory;
  std::vector<WordPort> ports;
  std::vector<PortState> states;
  std::vector<Stalls> stalls;
  bool serial = false;
  bool quiet = false;     // nobody asks for anything new
  unsigned hot = kBanks;  // the bank that everybody likes; kBanks: none
  bool line_read_pending = false;
  uint64_t line_writes = 0, line_reads = 0, conflicts = 0;
  unsigned longest_for_engines = 0;

 private:
  // Who goes before the engines leaves them something of a memory that serves one at a time.
  bool leaves_some() { return !serial || random().chance(20); }

  unsigned random_address(unsigned align) {
    auto& random = this->random();
    unsigned address = static_cast<unsigned>(random.below(kBytes));
    if (random.chance(30)) address = static_cast<unsigned>(random.below(1024));  // meet often
    if (random.chance(2)) address = kBytes - 1 - static_cast<unsigned>(random.below(128));
    if (hot < kBanks && random.chance(70)) address = (address & ~0xe0U) | hot << 5;
    return address & ~(align - 1);
  }

  void random_line(Field addr, Field bytes) {
    auto& random = this->random();
    unsigned address = random_address(1);
    unsigned size = static_cast<unsigned>(random.chance(40) ? 64 : random.between(1, 64));
    if (random.chance(30)) address &= ~63U;
    size = std::min(size, serial ? 64 - address % 64 : kBytes - address);
    addr.set(address);
    bytes.set(size);
  }

  void drive() override {
    auto& t = top();
    auto& random = this->random();
    for (size_t i = 0; i < ports.size(); ++i) {
      auto& port = ports[i];
      auto& state = states[i];
      if (!state.pending) {
        port.wdata.scramble(random);
        for (unsigned at = 32; port.narrow && at < 8 * kWord; at += 32) {
          port.wdata.set(at, 32, port.wdata.get(0, 32));
        }
        port.strb.scramble(random);
        port.addr.scramble(random);
        port.write.scramble(random);
        const bool go = !quiet && stalls[i].go() && (i > 0 || leaves_some());
        port.valid.set(go);
        if (!go) continue;
        Pending pending{.write = port.writes && (!port.reads || random.chance(50)),
                        .address = random_address(port.bytes)};
        if (random.chance(50)) port.strb.set(~uint64_t{0} >> (64 - port.bytes));
        port.write.set(pending.write);
        port.addr.set(pending.address / port.bytes);
        pending.strb = port.strb.get();
        pending.data.resize(port.bytes);
        port.wdata.get_bytes(pending.data);
        state.pending = pending;
      }
    }
    t.line_we_i = !quiet && !t.clearing_o && !t.clear_i && stalls[ports.size()].go() && leaves_some();
    Field(t.line_wdata_i, 0, 512).scramble(random);
    random_line(Field(t.line_waddr_i, 0, 17), Field(t.line_wbytes_i, 0, 7));
    if (!line_read_pending) {
      line_read_pending = !quiet && stalls[ports.size() + 1].go() && leaves_some();
      t.line_re_i = line_read_pending;
      random_line(Field(t.line_raddr_i, 0, 17), Field(t.line_rbytes_i, 0, 7));
    }
  }

  void sample() override {
    auto& t = top();
    check_reads();
    // Everybody's reads see the memory as it is before this cycle's writes; no two touch the same bank
    // anyway.
    const auto before_line_write = [&] {
      if (!t.line_we_i) return 0U;
      return banks_of(t.line_waddr_i, t.line_wbytes_i);
    }();
    unsigned used = before_line_write;
    bool waits = false;
    if (t.line_re_i) {
      const unsigned banks = banks_of(t.line_raddr_i, t.line_rbytes_i);
      const bool can = (banks & used) == 0 && !t.clearing_o;
      check(t.line_re_ready_o == can, fmt::format("a line read is taken: {}", t.line_re_ready_o));
      if (can) {
        used |= banks;
        line_expected = std::vector<uint8_t>(memory.begin() + t.line_raddr_i,
                                             memory.begin() + t.line_raddr_i + t.line_rbytes_i);
        line_lane = t.line_raddr_i % 64;
        line_read_pending = false;
        ++line_reads;
      }
      waits |= !can;
    }
    const unsigned line_banks = t.clearing_o ? 0xff : used;
    unsigned engine_banks = 0;
    for (size_t i = 0; i < ports.size(); ++i) {
      auto& state = states[i];
      if (!state.pending) {
        continue;
      }
      if (!ports[i].ready.get()) continue;
      const unsigned bank = 1U << bank_of(state.pending->address);
      check((used & bank) == 0 && !t.clearing_o, fmt::format("{} and another have bank {} at once",
                                                             ports[i].name, bank_of(state.pending->address)));
      used |= bank;
      if (i > 0 && i <= kEngines) engine_banks |= bank;
    }
    for (size_t i = 0; i < ports.size(); ++i) {
      auto& state = states[i];
      if (!state.pending) continue;
      auto& pending = *state.pending;
      const unsigned bank = 1U << bank_of(pending.address);
      if (!ports[i].ready.get()) {
        check(t.clearing_o || (used & bank) != 0, ports[i].name + " waits for nobody");
        waits = true;
        ++pending.age;
        if (t.clearing_o) continue;
        ++pending.waited;
        if (i > 0 && i <= kEngines && (engine_banks & bank) != 0) ++pending.waited_for_engines;
        if (i == 0) {
          const auto& access = states.back().pending;
          const bool access_first = access && ports.back().ready.get() &&
                                    1U << bank_of(access->address) == bank && access->age >= 15;
          check((line_banks & bank) != 0 || access_first, "the scalar core waits for somebody less urgent");
        }
        continue;
      }
      ++state.taken;
      state.longest = std::max(state.longest, pending.waited);
      longest_for_engines = std::max(longest_for_engines, pending.waited_for_engines);
      if (pending.write) {
        for (unsigned b = 0; b < ports[i].bytes; ++b) {
          if (pending.strb >> b & 1) memory[pending.address + b] = pending.data[b];
        }
        state.fresh = false;
      } else {
        const auto at = memory.begin() + pending.address;
        state.shown = std::vector<uint8_t>(at, at + ports[i].bytes);
        state.fresh = true;
      }
      state.pending.reset();
    }
    if (t.line_we_i) {
      std::array<uint8_t, 64> data{};
      Field(t.line_wdata_i, 0, 512).get_bytes(data);
      for (unsigned i = 0; i < t.line_wbytes_i; ++i) {
        memory[t.line_waddr_i + i] = data[(t.line_waddr_i + i) % 64];
      }
      ++line_writes;
    }
    check(t.event_conflict_o == waits, "event_conflict_o");
    conflicts += waits;
  }

  // What the reads of the last cycle, or before, brought.
  void check_reads() {
    for (size_t i = 0; i < ports.size(); ++i) {
      auto& state = states[i];
      if (!state.shown) continue;
      if (!state.fresh && !ports[i].holds) continue;
      std::vector<uint8_t> got(ports[i].bytes);
      ports[i].rdata.get_bytes(got);
      check(got == *state.shown, ports[i].name + " reads wrong data");
      if (!ports[i].holds) state.shown.reset();
    }
    if (!line_expected.empty()) {
      std::array<uint8_t, 64> got{};
      Field(top().line_rdata_o, 0, 512).get_bytes(got);
      for (size_t i = 0; i < line_expected.size(); ++i) {
        check(got[(line_lane + i) % 64] == line_expected[i],
              fmt::format("byte {} of a line of {} from lane {} on is wrong", i, line_expected.size(),
                          line_lane));
      }
      line_expected.clear();
    }
  }

  std::vector<uint8_t> line_expected;
  unsigned line_lane = 0;
};

void test_random(uint64_t seed, uint64_t cycles) {
  Ldm ldm(seed);
  auto& random = ldm.random();
  constexpr unsigned kRounds = 4;
  for (unsigned round = 0; round < kRounds; ++round) {
    for (uint64_t done = 0; done < cycles / kRounds;) {
      const uint64_t some = random.between(1, 400);
      ldm.hot = static_cast<unsigned>(random.chance(50) ? kBanks : random.below(kBanks));
      ldm.steps(some);
      done += some;
    }
    ldm.compare_all();
    if (round % 2 == 1) ldm.clear();
  }
  fmt::print("{} line writes, {} line reads, {} cycles with conflicts", ldm.line_writes, ldm.line_reads,
             ldm.conflicts);
  for (size_t i = 0; i < ldm.ports.size(); ++i) {
    fmt::print(", {} {} (longest wait {})", ldm.ports[i].name, ldm.states[i].taken, ldm.states[i].longest);
    check(ldm.states[i].taken > cycles / (ldm.serial ? 100 : 20), "too few accesses: " + ldm.ports[i].name);
  }
  fmt::print("\nan engine waited at most {} times for engines\n", ldm.longest_for_engines);
  check(ldm.longest_for_engines < kEngines, "an engine waited too often for others");
}

// Everybody wants the same bank all the time, but the line port and, every other time, the scalar core.
void test_turns(uint64_t seed, uint64_t cycles) {
  Ldm ldm(seed);
  for (auto& stalls : ldm.stalls) stalls.never();
  const auto everybody = [&](bool scalar) {
    for (auto& port : ldm.ports) {
      port.valid.set(1);
      port.write.set(!port.reads);
      port.addr.set(0);
    }
    ldm.ports[0].valid.set(scalar);
    ldm.top().line_we_i = 0;
    ldm.top().line_re_i = 0;
    ldm.settle();
  };
  std::vector<uint64_t> taken(ldm.ports.size());
  for (uint64_t i = 0; i < cycles; ++i) {
    everybody(i % 2 == 1);
    unsigned ready = 0;
    for (size_t p = 0; p < ldm.ports.size(); ++p) {
      if (!ldm.ports[p].valid.get() || !ldm.ports[p].ready.get()) continue;
      ++ready;
      ++taken[p];
    }
    check(ready == 1, fmt::format("{} have the same bank", ready));
    ldm.tick();
  }
  for (size_t p = 0; p < taken.size(); ++p) fmt::print("{} {}\n", ldm.ports[p].name, taken[p]);
  const uint64_t fair = (cycles - taken.front() - taken.back()) / kEngines;
  for (unsigned p = 1; p <= kEngines; ++p) {
    check(taken[p] + 2 >= fair && taken[p] <= fair + 2, "engines do not share alike");
  }
  check(taken.back() >= cycles / 17, "the access port starves");
}

// Nobody waits where banks are different: what the units of a CPE can have at once.
void test_together(uint64_t seed, uint64_t cycles) {
  Ldm ldm(seed);
  for (uint64_t i = 0; i < cycles; ++i) {
    auto& t = ldm.top();
    t.line_we_i = 1;
    t.line_waddr_i = 64 * (4 * i % 2048);
    t.line_wbytes_i = 64;
    t.line_re_i = 0;
    for (unsigned p = 0; p < ldm.ports.size(); ++p) {
      ldm.ports[p].valid.set(p > 0 && p <= kEngines);
      ldm.ports[p].write.set(p % 2);
      ldm.ports[p].addr.set((8 * i + 1 + p) % 4096);
      ldm.ports[p].strb.set(~uint64_t{0} >> (64 - ldm.ports[p].bytes));
    }
    ldm.settle();
    for (unsigned p = 1; p <= kEngines; ++p) {
      check(ldm.ports[p].ready.get(), fmt::format("engine {} waits", p - 1));
    }
    check(!t.event_conflict_o, "a conflict");
    ldm.tick();
  }
  fmt::print("line writes of 64 bytes and {} engines: {} bytes a cycle\n", kEngines, 64 + 32 * kEngines);
}

std::vector<verif::TestCase> tests() {
  return {{"random", test_random}, {"turns", test_turns}, {"together", test_together}};
}

}  // namespace
}  // namespace swai::cpe

int main(int argc, char** argv) { return swai::verif::test_main(argc, argv, swai::cpe::tests()); }
