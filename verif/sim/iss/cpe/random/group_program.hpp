// SPDX-License-Identifier: Apache-2.0
// A random program for a whole core group, and what it leaves in memory: DMA of all shapes, channel messages
// to random CPEs cut at random, barriers, the data window and local memory, runs of the systolic and the
// vector unit, on all CPEs at once. It is the same whatever takes how long, on the model as in RTL.
//
//   const GroupProgram program({.rows = 4, .columns = 8, .seed = 7});
//   // put program.code() into the code segment, program.before(i) into the segment of CPE i, launch at
//   // kKernel with the mask, then compare the segments with program.after(i)
//
// Each CPE first loads its local memory from its segment and stores it there at the end. A program that finds
// something wrong by itself (a ticket) ends in ebreak.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <vector>

#include "sim/common/random.hpp"
#include "sim/iss/cpe/systolic.hpp"
#include "sim/iss/cpe/vector.hpp"
#include "verif/sim/iss/cpe/random/assembler.hpp"

namespace swai::iss::cpe {

class GroupProgram {
 public:
  struct Options {
    unsigned rows = 4;
    unsigned columns = 8;
    uint32_t mask = ~uint32_t{0};
    unsigned events = 200;           // messages, transfers, barriers...
    uint32_t ldm_bytes = 16 * 1024;  // of each CPE that it uses; a multiple of 32
    uint16_t first_segment = 8;      // that of CPE 0
    uint64_t seed = 1;
    bool compute = false;  // uses the systolic and the vector unit
  };
  explicit GroupProgram(const Options& options);

  const std::vector<uint32_t>& code() const { return code_; }
  uint32_t mask() const { return mask_; }
  uint64_t segment_bytes() const { return segment_bytes_; }
  const std::vector<uint8_t>& before(unsigned cpe) const { return before_[cpe]; }
  const std::vector<uint8_t>& after(unsigned cpe) const { return cpes_[cpe].memory; }

 private:
  static constexpr uint32_t kScratchBytes = 8192;

  struct Range {
    uint64_t begin = 0;
    uint64_t end = 0;
    bool write = false;

    bool conflicts(const Range& other) const {
      return begin < other.end && other.begin < end && (write || other.write);
    }
  };
  // What a unit does meanwhile.
  struct Pending {
    uint8_t unit;
    uint8_t wait_op;
    uint32_t ticket;
    Range local;
    Range global;
  };
  struct Units {
    explicit Units(std::span<uint8_t> ldm) : systolic(ldm), vector(ldm) {}
    Systolic systolic;
    Vector vector;
    uint32_t known_rows[2] = {};  // of the accumulators' halves: what runs may add to
  };
  struct Cpe {
    Assembler code;
    std::vector<uint8_t> ldm;
    std::vector<uint8_t> memory;
    std::deque<Pending> pending;
    uint32_t transfers = 0;
    uint32_t sends[2] = {};  // row, column
    uint32_t receives[2] = {};
    std::unique_ptr<Units> units;
  };

  bool in(unsigned cpe) const { return (mask_ >> cpe & 1) != 0; }
  unsigned some_cpe();
  // The CPEs on the row or column of one that take part, by position; kNobody where there is none.
  static constexpr unsigned kNobody = ~0u;
  std::vector<unsigned> channel(unsigned cpe, bool column) const;

  void wait_for(Cpe& cpe, const Pending& pending);
  // Waits until nothing under way gets in the way of these accesses.
  void make_way(Cpe& cpe, const Range& local, const Range& global);
  void check_ticket(Cpe& cpe, uint32_t ticket);

  void whole(unsigned cpe, bool store);
  void transfer(unsigned cpe);
  void message();
  void parts(unsigned cpe, bool column, bool send, uint32_t at, uint32_t bytes, uint8_t peers);
  void barrier();
  void window(unsigned cpe);
  void arithmetic(unsigned cpe);
  void assemble();

  // group_units.cpp
  struct Block;
  Block some_block(uint32_t bytes, uint32_t multiple);
  void systolic(unsigned cpe);
  void vector(unsigned cpe);
  void issue(Cpe& cpe, uint8_t unit, uint8_t op, uint32_t rs1, uint32_t rs2 = 0);
  void begin(Cpe& cpe, uint8_t unit, uint32_t mode, const std::vector<Range>& ranges);

  unsigned rows_;
  unsigned columns_;
  uint32_t mask_;
  uint32_t ldm_bytes_;
  uint16_t first_segment_;
  uint64_t segment_bytes_;
  verif::Random random_;
  std::vector<Cpe> cpes_;
  std::vector<std::vector<uint8_t>> before_;
  std::vector<uint32_t> code_;
};

}  // namespace swai::iss::cpe
