// SPDX-License-Identifier: Apache-2.0
// The remote serial protocol on plain bytes, with a target that is nothing but arrays: what gdb asks in a
// session, what it must never be able to break, and bytes that no gdb would send.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "sim/common/gdb_stub.hpp"
#include "verif/kit/doctest_main.hpp"

namespace swai::mpe {
namespace {

using common::GdbSession;
using common::GdbTarget;

class FakeTarget final : public GdbTarget {
 public:
  static constexpr uint64_t kBase = 0x8000'0000;
  static constexpr uint64_t kReadOnly = kBase + 0x8000;
  static constexpr size_t kBytes = 0x1'0000;

  std::string description() const override { return xml; }
  void attach(bool value) override { attached = value; }
  bool halted() const override { return is_halted; }
  StopReason stop_reason() const override { return reason; }
  void request_halt() override {
    is_halted = true;
    reason = StopReason::kHaltRequest;
  }
  void resume() override { is_halted = false; }
  void step() override {
    registers[32] += 4;
    reason = StopReason::kStep;
  }
  std::optional<uint64_t> read_register(unsigned number) override {
    REQUIRE(is_halted);
    const auto found = registers.find(number);
    if (found == registers.end()) return std::nullopt;
    return found->second;
  }
  bool write_register(unsigned number, uint64_t value) override {
    REQUIRE(is_halted);
    if (!registers.contains(number)) return false;
    registers[number] = value;
    return true;
  }
  size_t read_memory(uint64_t addr, std::span<uint8_t> to) override {
    REQUIRE(is_halted);
    size_t done = 0;
    while (done < to.size() && addr + done - kBase < kBytes) {
      to[done] = memory[addr + done - kBase];
      ++done;
    }
    return done;
  }
  bool write_memory(uint64_t addr, std::span<const uint8_t> from) override {
    REQUIRE(is_halted);
    if (addr - kBase >= kReadOnly - kBase || addr - kBase + from.size() > kReadOnly - kBase) return false;
    std::ranges::copy(from, &memory[addr - kBase]);
    return true;
  }
  bool set_hardware_breakpoint(uint64_t addr) override {
    return comparators.size() < 4 && comparators.insert(addr).second;
  }
  bool clear_hardware_breakpoint(uint64_t addr) override { return comparators.erase(addr) != 0; }
  void sync_code() override { ++syncs; }
  std::optional<std::string> monitor(std::string_view command) override {
    if (command == "nothing") return "";
    if (command == "text") return "abc";
    return std::nullopt;
  }

  std::string xml = "<target>" + std::string(40'000, 'x') + "</target>";
  bool attached = false;
  bool is_halted = true;
  StopReason reason = StopReason::kHaltRequest;
  std::map<unsigned, uint64_t> registers;
  std::vector<uint8_t> memory = std::vector<uint8_t>(kBytes);
  std::set<uint64_t> comparators;
  unsigned syncs = 0;
};

std::string packet(std::string_view payload) {
  uint8_t sum = 0;
  for (const char c : payload) sum = static_cast<uint8_t>(sum + static_cast<uint8_t>(c));
  return fmt::format("${}#{:02x}", payload, sum);
}

struct Fixture {
  Fixture() {
    for (unsigned n = 0; n <= 32; ++n) target.registers[n] = 0x1111 * n;
    target.registers[65 + 0x300] = 0xa0000;
    for (size_t i = 0; i < target.memory.size(); ++i) target.memory[i] = static_cast<uint8_t>(i * 7);
  }

  // The reply's payload, once acknowledged and framed as it should be.
  std::string ask(std::string_view request) {
    session.feed(packet(request));
    const std::string output = session.take_output();
    REQUIRE(output.starts_with("+"));
    if (output.size() == 1) return "(none)";
    const auto end = output.find('#');
    REQUIRE(end != std::string::npos);
    const std::string payload = output.substr(2, end - 2);
    CHECK(output == "+" + packet(payload));
    return payload;
  }

  FakeTarget target;
  GdbSession session{target};
};

std::string memory_hex(const FakeTarget& target, uint64_t addr, size_t length) {
  std::string text;
  for (size_t i = 0; i < length; ++i)
    text += fmt::format("{:02x}", target.memory[addr - FakeTarget::kBase + i]);
  return text;
}

TEST_CASE_FIXTURE(Fixture, "a session as gdb opens it") {
  CHECK(target.attached);
  CHECK(ask("qSupported:multiprocess+;swbreak+").find("qXfer:features:read+") != std::string::npos);
  CHECK(ask("vMustReplyEmpty").empty());
  CHECK(ask("Hg0") == "OK");
  CHECK(ask("qC") == "QC1");
  CHECK(ask("qfThreadInfo") == "m1");
  CHECK(ask("qsThreadInfo") == "l");
  CHECK(ask("?") == "T02thread:1;");
  std::string xml;
  for (std::string piece = "m"; piece[0] == 'm';) {
    piece = ask(fmt::format("qXfer:features:read:target.xml:{:x},1000", xml.size()));
    xml += piece.substr(1);
  }
  CHECK(xml == target.xml);
  CHECK(ask("qRcmd,74657874") == "616263");
  CHECK(ask("qRcmd,6e6f7468696e67") == "OK");
  CHECK(ask("qRcmd,78") == "E16");
  session.feed(packet("QStartNoAckMode"));
  CHECK(session.take_output() == "+" + packet("OK"));
  session.feed(packet("qC"));
  CHECK(session.take_output() == packet("QC1"));
}

TEST_CASE_FIXTURE(Fixture, "registers") {
  CHECK(ask("p20") == "2022020000000000");
  CHECK(ask("P20=0010008000000000") == "OK");
  CHECK(target.registers[32] == 0x8000'1000);
  CHECK(ask(fmt::format("p{:x}", 65 + 0x300)) == "00000a0000000000");
  CHECK(ask(fmt::format("p{:x}", 65 + 0x7ff)) == "xxxxxxxxxxxxxxxx");
  CHECK(ask(fmt::format("P{:x}=0000000000000000", 65 + 0x7ff)) == "E0e");
  const std::string all = ask("g");
  CHECK(all.size() == 33 * 16);
  CHECK(all.substr(16, 16) == "1111000000000000");
  std::string changed = all;
  changed.replace(16, 16, "efcdab8967452301");
  CHECK(ask("G" + changed) == "OK");
  CHECK(target.registers[1] == 0x0123'4567'89ab'cdef);
  CHECK(ask("G00") == "E16");
}

TEST_CASE_FIXTURE(Fixture, "memory") {
  CHECK(ask("m80000100,8") == memory_hex(target, 0x8000'0100, 8));
  CHECK(ask("M80000100,4:deadbeef") == "OK");
  CHECK(memory_hex(target, 0x8000'0100, 4) == "deadbeef");
  CHECK(ask("X80000104,3:a}\x03"
            "c") == "OK");  // the escaped byte is '#'
  CHECK(memory_hex(target, 0x8000'0104, 3) == "612363");
  CHECK(ask("X0,0:") == "OK");  // how gdb asks whether X is there
  CHECK(ask("m0,8") == "E0e");
  CHECK(ask("mffffffffffffffff,8") == "E0e");
  CHECK(ask("M0,1:00") == "E0e");
  CHECK(ask("m8000fffe,8") == memory_hex(target, 0x8000'fffe, 2));
  CHECK(ask("M80000100,4:dead") == "E16");
  CHECK(ask("m80000100,ffffffffffffffff").size() <= 0x4000);
}

TEST_CASE_FIXTURE(Fixture, "breakpoints hide under what they replace") {
  const std::string before = memory_hex(target, 0x8000'0200, 6);
  CHECK(ask("Z0,80000202,2") == "OK");
  CHECK(memory_hex(target, 0x8000'0202, 2) == "0290");
  CHECK(ask("m80000200,6") == before);
  CHECK(ask("m80000203,1") == before.substr(6, 2));
  CHECK(ask("M80000200,4:01020304") == "OK");
  CHECK(memory_hex(target, 0x8000'0200, 4) == "01020290");
  CHECK(ask("m80000200,4") == "01020304");
  CHECK(ask("z0,80000202,2") == "OK");
  CHECK(memory_hex(target, 0x8000'0200, 4) == "01020304");
  CHECK(ask("Z2,80000200,4").empty());
  CHECK(ask("Z0,80000201,2") == "E16");
  CHECK(ask("Z0,0,2") == "OK");  // nothing can be written there: a comparator stands in
  CHECK(target.comparators.contains(0));
  CHECK(ask("Z1,0,2") == "OK");
  CHECK(ask("z0,0,2") == "OK");
  CHECK(target.comparators.contains(0));
  CHECK(ask("z1,0,2") == "OK");
  CHECK(target.comparators.empty());
}

TEST_CASE_FIXTURE(Fixture, "comparators are four") {
  for (const char* addr : {"80008000", "80008002", "80008004", "80008006"}) {
    CHECK(ask(fmt::format("Z1,{},4", addr)) == "OK");
  }
  CHECK(ask("Z1,80008008,4") == "E0e");
  CHECK(ask("Z0,80008008,4") == "E0e");
  CHECK(ask("z1,80008002,4") == "OK");
  CHECK(ask("Z0,80008008,4") == "OK");
}

TEST_CASE_FIXTURE(Fixture, "running and stopping") {
  CHECK(ask("vCont?") == "vCont;c;C;s;S");
  CHECK(ask("vCont;s:1;c") == "(none)");
  session.poll();
  CHECK(session.take_output() == packet("T05thread:1;"));
  CHECK(target.syncs == 0);
  CHECK(ask("Z0,80000202,2") == "OK");
  CHECK(ask("c") == "(none)");
  CHECK(target.syncs == 1);
  CHECK(!target.is_halted);
  session.poll();
  CHECK(session.take_output().empty());
  CHECK(ask("m80000000,4") == "E10");  // not while it runs
  CHECK(ask("s") == "E10");
  target.is_halted = true;
  target.reason = GdbTarget::StopReason::kEbreak;
  session.poll();
  CHECK(session.take_output() == packet("T05swbreak:;thread:1;"));
  CHECK(ask("c80001000") == "(none)");
  CHECK(target.registers[32] == 0x8000'1000);
  session.feed("\x03");
  session.poll();
  CHECK(session.take_output() == packet("T02thread:1;"));
  CHECK(ask("c") == "(none)");
  session.exited(1);
  CHECK(session.take_output() == packet("W01"));
}

TEST_CASE_FIXTURE(Fixture, "detaching leaves nothing behind") {
  const auto before = target.memory;
  CHECK(ask("Z0,80000202,2") == "OK");
  CHECK(ask("Z0,80000300,4") == "OK");
  CHECK(ask("Z1,80000400,4") == "OK");
  CHECK(ask("D") == "OK");
  CHECK(session.detached());
  CHECK(target.memory == before);
  CHECK(target.comparators.empty());
  CHECK(!target.attached);
  CHECK(!target.is_halted);
}

TEST_CASE_FIXTURE(Fixture, "kill") {
  session.feed(packet("k"));
  CHECK(session.kill_requested());
}

TEST_CASE_FIXTURE(Fixture, "damaged packets are asked for again") {
  session.feed("$qC#00");
  CHECK(session.take_output() == "-");
  session.feed("$qC#zz");
  CHECK(session.take_output() == "-");
  session.feed("$lost" + packet("qC"));
  CHECK(session.take_output() == "+" + packet("QC1"));
  session.feed("-");
  CHECK(session.take_output() == packet("QC1"));
  session.feed("$" + std::string(100'000, 'm') + "#00");
  CHECK(session.take_output() == "-");
  CHECK(ask("qC") == "QC1");
}

// Whatever comes in: no crash, and the next sane question is answered.
TEST_CASE_FIXTURE(Fixture, "malformed packets") {
  std::mt19937_64 random(test_seed());
  static constexpr std::string_view kLetters = "qQvHTDkgGpPmMXZzcsCS?!bBitR";
  static constexpr std::string_view kArguments = "0123456789abcdefABCDEF,,,:::;==+-.}*#$ \x03\xff";
  static constexpr std::array<std::string_view, 20> kSeeds = {"qXfer:features:read:target.xml:0,fff",
                                                              "m80000000,40",
                                                              "M80000000,4:00112233",
                                                              "X80000000,4:abcd",
                                                              "Z0,80000000,2",
                                                              "z0,80000000,2",
                                                              "Z1,80000000,2",
                                                              "z1,80000000,2",
                                                              "p20",
                                                              "P20=0010008000000000",
                                                              "vCont;s:1;c",
                                                              "vCont;c",
                                                              "qRcmd,74657874",
                                                              "qSupported:a",
                                                              "G0011",
                                                              "c80000000",
                                                              "s",
                                                              "D",
                                                              "T1",
                                                              "Hc-1"};
  for (unsigned round = 0; round < 200'000; ++round) {
    std::string text;
    switch (random() % 4) {
      case 0:  // anything
        for (size_t n = random() % 40; n > 0; --n) text += static_cast<char>(random());
        break;
      case 1:  // a command with arguments that look like some
        text += kLetters[random() % kLetters.size()];
        for (size_t n = random() % 30; n > 0; --n) text += kArguments[random() % kArguments.size()];
        break;
      default:  // a good packet with a few changes
        text = kSeeds[random() % kSeeds.size()];
        for (size_t n = random() % 3; n > 0; --n) {
          const size_t at = random() % text.size();
          if (random() % 2) {
            text[at] = kArguments[random() % kArguments.size()];
          } else {
            text.erase(at, 1 + random() % 3);
            text += '0';
          }
        }
        break;
    }
    session.feed(random() % 8 == 0 ? text : packet(text));
    if (random() % 4 == 0) {
      target.is_halted = true;
      session.poll();
    }
    session.take_output();
  }
  target.is_halted = true;
  session.poll();
  session.feed("#00" + packet("QStartNoAckMode"));
  session.take_output();
  session.feed(packet("qC"));
  CHECK(session.take_output() == packet("QC1"));
}

}  // namespace
}  // namespace swai::mpe
