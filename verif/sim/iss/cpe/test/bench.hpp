// SPDX-License-Identifier: Apache-2.0
// A group with memory, segments and code, for tests.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <span>
#include <vector>

#include "abi/segment.hpp"
#include "sim/common/random.hpp"
#include "sim/iss/cpe/daemon.hpp"
#include "sim/iss/cpe/group.hpp"
#include "sim/iss/cpe/text.hpp"
#include "sim/iss/cpe/units.hpp"
#include "verif/kit/doctest_main.hpp"
#include "verif/sim/iss/cpe/random/assembler.hpp"

namespace swai::iss::cpe {

template <typename MemoryType>
struct BenchOn {
  // Segments
  static constexpr uint16_t kDaemon = 1, kCode = 2, kArgument = 3, kData = 4, kReadOnly = 5, kForeign = 6,
                            kInvalid = 7, kNobody = 8, kOwn = 9, kEntries = 10;
  static constexpr uint64_t kDataBytes = 0x10000;
  static constexpr uint64_t kTable = kHbmBase + 0x40;
  static constexpr uint8_t kContext = 7;
  // Code of a CPE; common code comes first.
  static constexpr uint32_t kCodeOfCpe = 0x8000;

  MemoryType memory;
  common::Workers workers;
  Group group;
  verif::Random random{test_seed()};

  explicit BenchOn(unsigned rows = 2, unsigned columns = 2, uint64_t turn = 256)
      : BenchOn(rows, columns, Group::Options{.turn = turn}) {}
  BenchOn(unsigned rows, unsigned columns, const Group::Options& options, unsigned threads = 1)
      : workers(threads), group(rows, columns, memory, with(options, workers)) {
    using segment::kExecute, segment::kRead, segment::kWrite;
    set(kDaemon, {base(kDaemon), 0x1000, kRead | kExecute});
    set(kCode, {base(kCode), 0x200000, kRead | kExecute});
    set(kArgument, {base(kArgument), 0x1000, kRead | kWrite});
    set(kData, {base(kData), kDataBytes, kRead | kWrite});
    set(kReadOnly, {base(kReadOnly), 0x1000, kRead});
    set(kForeign, {base(kForeign), 0x1000, kRead | kWrite, kContext + 1});
    set(kNobody, {0x1'0000'0000, 0x1000, kRead | kWrite});
    set(kOwn, {base(kOwn), 0x1000, kRead | kWrite, kContext});
    poke(base(kDaemon), kPlainDaemon);
    group.set_segment_table(kTable, kEntries);
    group.set_limit(100'000);
    group.boot({.segment = kDaemon});
  }

  static Group::Options with(Group::Options options, common::Workers& workers) {
    options.workers = &workers;
    return options;
  }
  static uint64_t base(uint16_t number) { return kHbmBase + uint64_t{number} * 0x100'0000; }
  static uint64_t pointer(uint16_t number, uint64_t offset) { return segment::pointer(number, offset); }
  uint32_t all() const { return static_cast<uint32_t>((uint64_t{1} << group.size()) - 1); }

  void set(uint16_t number, const segment::Entry& entry) { set_raw(number, segment::encode(entry)); }
  void set_raw(uint16_t number, uint64_t word) { poke(kTable + 8 * number, std::span(&word, 1)); }
  template <typename T>
  void poke(uint64_t address, const T& words) {
    memory.poke(address,
                {reinterpret_cast<const uint8_t*>(std::data(words)), std::size(words) * sizeof words[0]});
  }
  std::vector<uint8_t> peek(uint64_t address, size_t bytes) {
    std::vector<uint8_t> data(bytes);
    memory.peek(address, data);
    return data;
  }
  std::vector<uint8_t> noise(size_t bytes) {
    std::vector<uint8_t> data(bytes);
    for (uint8_t& byte : data) byte = static_cast<uint8_t>(random.next());
    return data;
  }

  // Code for all CPEs.
  void code(const Assembler& assembler) {
    poke(base(kCode), assembler.words());
    group.invalidate_code();
  }
  // Code of its own for each CPE.
  void codes(const std::vector<Assembler>& assemblers) {
    // The number of a CPE here, from {row, column} in mhartid.
    Assembler common;
    common({enc::csrr(kT0, swai::cpe::isa::csr::kMhartid), enc::andi(kA1, kT0, 7), enc::srli(kT0, kT0, 3),
            enc::andi(kT0, kT0, 3)})
        .li(kA2, group.columns())({enc::mul(kT0, kT0, kA2), enc::add(kT0, kT0, kA1)})
        .li(kA2, kCodeOfCpe)({enc::mul(kT0, kT0, kA2)})
        .li(kA2, kKernel + kCodeOfCpe)({enc::add(kT0, kT0, kA2), enc::jalr(0, kT0, 0)});
    poke(base(kCode), common.words());
    for (size_t i = 0; i < assemblers.size(); ++i) {
      REQUIRE(assemblers[i].here() <= kCodeOfCpe);
      poke(base(kCode) + (i + 1) * kCodeOfCpe, assemblers[i].words());
    }
    group.invalidate_code();
  }

  Launch request(uint32_t mask, uint32_t argument = kArguments) const {
    return {.pc = kKernel,
            .argument = argument,
            .mask = mask,
            .code_segment = kCode,
            .argument_segment = kArgument,
            .context = kContext};
  }
  Result launch(uint32_t mask) { return group.launch(request(mask)); }
  Result launch() { return launch(all()); }

  uint32_t word(unsigned cpe, uint32_t at) {
    uint32_t value = 0;
    std::memcpy(&value, &group.ldm(cpe)[at], sizeof value);
    return value;
  }
};
using Bench = BenchOn<SparseMemory>;

}  // namespace swai::iss::cpe
