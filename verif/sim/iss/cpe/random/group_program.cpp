// SPDX-License-Identifier: Apache-2.0
#include "verif/sim/iss/cpe/random/group_program.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "abi/segment.hpp"
#include "sim/iss/cpe/channel.hpp"
#include "sim/iss/cpe/fault.hpp"

namespace swai::iss::cpe {

namespace {

// In the segment of a CPE: what its local memory holds at first, what it plays with, what it held in the end.
constexpr uint64_t kIn = 0;
constexpr uint64_t kOut = kLdmBytes;
constexpr uint64_t kScratch = 2 * kLdmBytes;

constexpr Assembler& skip_if_equal(Assembler& code, unsigned a, unsigned b) {
  return code({enc::branch(enc::kBeq, a, b) | enc::imm_b(8)});
}

}  // namespace

GroupProgram::GroupProgram(const Options& options)
    : rows_(options.rows),
      columns_(options.columns),
      mask_(options.mask & static_cast<uint32_t>((uint64_t{1} << (options.rows * options.columns)) - 1)),
      ldm_bytes_(options.ldm_bytes),
      first_segment_(options.first_segment),
      segment_bytes_(kScratch + kScratchBytes),
      random_(options.seed),
      cpes_(options.rows * options.columns) {
  if (mask_ == 0 || ldm_bytes_ > kLdmBytes || ldm_bytes_ < 2048)
    throw std::invalid_argument("no such program");
  for (Cpe& cpe : cpes_) {
    cpe.ldm.resize(ldm_bytes_);
    cpe.memory.resize(segment_bytes_);
    // What it uses. Between lie zeros, which stay: a test on hardware need not carry them.
    for (const Range& used : {Range{kIn, kIn + ldm_bytes_}, Range{kOut, kOut + ldm_bytes_},
                              Range{kScratch, kScratch + kScratchBytes}}) {
      for (uint64_t at = used.begin; at < used.end; ++at)
        cpe.memory[at] = static_cast<uint8_t>(random_.next());
    }
    before_.push_back(cpe.memory);
    cpe.units = std::make_unique<Units>(cpe.ldm);
  }
  for (unsigned i = 0; i < cpes_.size(); ++i) {
    if (in(i)) whole(i, false);
  }
  for (unsigned event = 0; event < options.events; ++event) {
    switch (random_.below(options.compute ? 14 : 8)) {
      case 0:
      case 1:
      case 2:
        message();
        break;
      case 3:
      case 4:
        transfer(some_cpe());
        break;
      case 5:
        window(some_cpe());
        break;
      case 6:
        arithmetic(some_cpe());
        break;
      case 7:
        barrier();
        break;
      case 8:
      case 9:
        systolic(some_cpe());
        break;
      default:
        vector(some_cpe());
        break;
    }
  }
  for (unsigned i = 0; i < cpes_.size(); ++i) {
    if (in(i)) whole(i, true);
  }
  assemble();
}

unsigned GroupProgram::some_cpe() {
  unsigned cpe = 0;
  do {
    cpe = static_cast<unsigned>(random_.below(cpes_.size()));
  } while (!in(cpe));
  return cpe;
}

std::vector<unsigned> GroupProgram::channel(unsigned cpe, bool column) const {
  std::vector<unsigned> members;
  for (unsigned position = 0; position < (column ? rows_ : columns_); ++position) {
    const unsigned member =
        column ? position * columns_ + cpe % columns_ : cpe / columns_ * columns_ + position;
    members.push_back(in(member) ? member : kNobody);
  }
  return members;
}

void GroupProgram::wait_for(Cpe& cpe, const Pending& pending) {
  const uint8_t unit = pending.unit;
  const uint8_t op = pending.wait_op;
  const uint32_t ticket = pending.ticket;
  cpe.code.command(unit, op, ticket, 0, 0);
  std::erase_if(cpe.pending, [&](const Pending& other) {
    return other.unit == unit && other.wait_op == op && other.ticket <= ticket;
  });
}

void GroupProgram::make_way(Cpe& cpe, const Range& local, const Range& global) {
  for (size_t i = 0; i < cpe.pending.size();) {
    const Pending pending = cpe.pending[i];
    if (pending.local.conflicts(local) || pending.global.conflicts(global)) {
      wait_for(cpe, pending);
      i = 0;
    } else {
      ++i;
    }
  }
}

void GroupProgram::check_ticket(Cpe& cpe, uint32_t ticket) {
  cpe.code.li(kT0, ticket);
  skip_if_equal(cpe.code, kA0, kT0).ebreak();
}

// Loads all of the local memory, or stores it.
void GroupProgram::whole(unsigned number, bool store) {
  Cpe& cpe = cpes_[number];
  const uint64_t offset = store ? kOut : kIn;
  const Range local{0, ldm_bytes_, !store};
  const Range global{offset, offset + ldm_bytes_, store};
  make_way(cpe, local, global);
  if (store) {
    std::ranges::copy(cpe.ldm, cpe.memory.begin() + static_cast<long>(offset));
  } else {
    std::copy_n(cpe.memory.begin() + static_cast<long>(offset), ldm_bytes_, cpe.ldm.begin());
  }
  cpe.code.global(segment::pointer(static_cast<uint16_t>(first_segment_ + number), offset))
      .command(unit::kDma, store ? dma_op::kStore : dma_op::kLoad, kLdmBase, ldm_bytes_);
  check_ticket(cpe, ++cpe.transfers);
  cpe.pending.push_back({unit::kDma, dma_op::kWait, cpe.transfers, local, global});
}

// Any shape whose rows do not overlap.
void GroupProgram::transfer(unsigned number) {
  Cpe& cpe = cpes_[number];
  const bool store = random_.chance(50);
  const bool shaped = random_.chance(60);
  const auto bytes =
      static_cast<uint32_t>(random_.chance(70) ? random_.between(1, 150) : random_.between(1, 1024));
  const auto rows =
      static_cast<uint32_t>(shaped ? random_.between(1, std::min<uint32_t>(12, 1024 / bytes)) : 1);
  const auto ldm_stride = static_cast<uint32_t>(bytes + random_.below(40));
  const auto distance = static_cast<int32_t>(bytes + random_.below(200));
  const int32_t global_stride = random_.chance(50) ? distance : -distance;
  const uint32_t ldm_extent = (rows - 1) * ldm_stride + bytes;
  const uint64_t global_extent = uint64_t{rows - 1} * static_cast<uint32_t>(distance) + bytes;
  const auto at = static_cast<uint32_t>(random_.below(ldm_bytes_ - ldm_extent + 1));
  const uint64_t low = kScratch + random_.below(kScratchBytes - global_extent + 1);
  const uint64_t first = global_stride < 0 ? low + global_extent - bytes : low;
  const Range local{at, at + ldm_extent, !store};
  const Range global{low, low + global_extent, store};
  make_way(cpe, local, global);

  for (uint32_t row = 0; row < rows; ++row) {
    const auto step = static_cast<uint64_t>(int64_t{global_stride} * row);
    uint8_t* const ldm = &cpe.ldm[at + row * ldm_stride];
    uint8_t* const memory = &cpe.memory[first + step];
    if (store) {
      std::memcpy(memory, ldm, bytes);
    } else {
      std::memcpy(ldm, memory, bytes);
    }
  }
  cpe.code.global(segment::pointer(static_cast<uint16_t>(first_segment_ + number), first));
  if (shaped) cpe.code.shape(rows, ldm_stride, global_stride);
  if (random_.chance(30)) {
    cpe.code.command(unit::kDma, dma_op::kClass,
                     random_.chance(50) ? dma_class::kBackground : dma_class::kForeground);
  }
  cpe.code.command(unit::kDma, store ? dma_op::kStore : dma_op::kLoad, kLdmBase + at, bytes);
  check_ticket(cpe, ++cpe.transfers);
  cpe.pending.push_back({unit::kDma, dma_op::kWait, cpe.transfers, local, global});
}

// One CPE sends to some others of its row or column.
void GroupProgram::message() {
  const unsigned number = some_cpe();
  const bool column = random_.chance(50);
  const std::vector<unsigned> members = channel(number, column);
  const auto bytes =
      static_cast<uint32_t>(Channel::kBeatBytes * random_.between(1, random_.chance(80) ? 8 : 60));
  uint8_t mask = 0;
  uint8_t self = 0;
  for (unsigned i = 0; i < members.size(); ++i) {
    if (members[i] == number) self = static_cast<uint8_t>(i);
    if (members[i] != kNobody && members[i] != number && random_.chance(60))
      mask |= static_cast<uint8_t>(1u << i);
  }
  if (mask == 0) return;
  const auto some_place = [&] {
    return static_cast<uint32_t>(Channel::kBeatBytes *
                                 random_.below((ldm_bytes_ - bytes) / Channel::kBeatBytes + 1));
  };
  const uint32_t from = some_place();
  const std::vector<uint8_t> data(&cpes_[number].ldm[from], &cpes_[number].ldm[from] + bytes);
  parts(number, column, true, from, bytes, mask);
  for (unsigned i = 0; i < members.size(); ++i) {
    if ((mask >> i & 1) == 0) continue;
    const uint32_t to = some_place();
    parts(members[i], column, false, to, bytes, self);
    std::ranges::copy(data, &cpes_[members[i]].ldm[to]);
  }
}

void GroupProgram::parts(unsigned number, bool column, bool send, uint32_t at, uint32_t bytes,
                         uint8_t peers) {
  Cpe& cpe = cpes_[number];
  const uint8_t unit = column ? unit::kColumn : unit::kRow;
  uint32_t& ticket = (send ? cpe.sends : cpe.receives)[column ? 1 : 0];
  const uint32_t longest = random_.chance(50) ? bytes / Channel::kBeatBytes : 4;
  const uint8_t wait = send ? channel_op::kWaitSend : channel_op::kWaitReceive;
  while (bytes != 0) {
    const auto part =
        std::min<uint32_t>(bytes, static_cast<uint32_t>(Channel::kBeatBytes * random_.between(1, longest)));
    const Range local{at, at + part, !send};
    make_way(cpe, local, {});
    cpe.code.command(unit, send ? channel_op::kSend : channel_op::kReceive, kLdmBase + at,
                     uint32_t{peers} << 24 | part);
    check_ticket(cpe, ++ticket);
    cpe.pending.push_back({unit, wait, ticket, local, {}});
    at += part;
    bytes -= part;
  }
}

void GroupProgram::barrier() {
  const unsigned number = some_cpe();
  const auto scope = static_cast<unsigned>(random_.below(3));
  for (unsigned i = 0; i < cpes_.size(); ++i) {
    const bool same = scope == 2 || (scope == 0 && i / columns_ == number / columns_) ||
                      (scope == 1 && i % columns_ == number % columns_);
    if (same && in(i)) cpes_[i].code.sync(1u << scope);
  }
}

// A load and a store through the data window, of any size and alignment.
void GroupProgram::window(unsigned number) {
  Cpe& cpe = cpes_[number];
  const unsigned size = 1u << random_.below(3);
  const uint64_t base = kScratch + random_.below(kScratchBytes / 2);
  const auto at = static_cast<uint32_t>(random_.below(kScratchBytes / 2) & ~uint64_t{size - 1});
  const uint64_t offset = base + at;
  make_way(cpe, {}, {offset, offset + size, true});
  const auto add = static_cast<int32_t>(random_.below(4096)) - 2048;
  uint32_t value = 0;
  std::memcpy(&value, &cpe.memory[offset], size);
  value += static_cast<uint32_t>(add);
  std::memcpy(&cpe.memory[offset], &value, size);
  cpe.code.window(segment::pointer(static_cast<uint16_t>(first_segment_ + number), base))
      .li(kT0, 0x8000'0000 + at);
  if (size == 1) cpe.code({enc::lbu(kA0, kT0, 0), enc::addi(kA0, kA0, add), enc::sb(kA0, kT0, 0)});
  if (size == 2) cpe.code({enc::lhu(kA0, kT0, 0), enc::addi(kA0, kA0, add), enc::sh(kA0, kT0, 0)});
  if (size == 4) cpe.code({enc::lw(kA0, kT0, 0), enc::addi(kA0, kA0, add), enc::sw(kA0, kT0, 0)});
}

// A few words of local memory, added up in place.
void GroupProgram::arithmetic(unsigned number) {
  Cpe& cpe = cpes_[number];
  const auto words = static_cast<uint32_t>(random_.between(1, 6));
  const auto at = static_cast<uint32_t>(4 * random_.below(ldm_bytes_ / 4 - words + 1));
  make_way(cpe, {at, at + 4 * words, true}, {});
  cpe.code.li(kT0, kLdmBase + at)({enc::addi(kA0, 0, 1)});
  uint32_t sum = 1;
  for (uint32_t i = 0; i < words; ++i) {
    const auto here = static_cast<int32_t>(4 * i);
    cpe.code(
        {enc::lw(kA1, kT0, here), enc::mul(kA0, kA0, kA1), enc::addi(kA0, kA0, 5), enc::sw(kA0, kT0, here)});
    uint32_t word = 0;
    std::memcpy(&word, &cpe.ldm[at + 4 * i], sizeof word);
    sum = sum * word + 5;
    std::memcpy(&cpe.ldm[at + 4 * i], &sum, sizeof sum);
  }
}

// Common code that leads each CPE to its own.
void GroupProgram::assemble() {
  uint32_t stride = 64;
  for (unsigned i = 0; i < cpes_.size(); ++i) {
    Cpe& cpe = cpes_[i];
    // The end of the launch waits for all engines: who does not wait himself tests that.
    while (!cpe.pending.empty() && random_.chance(50)) wait_for(cpe, Pending(cpe.pending.front()));
    cpe.code.ret();
    stride = std::max(stride, (cpe.code.here() + 63) & ~63u);
  }
  constexpr uint32_t kFirst = 64;
  Assembler common;
  common({enc::csrr(kT0, swai::cpe::isa::csr::kMhartid), enc::andi(kA1, kT0, 7), enc::srli(kT0, kT0, 3),
          enc::andi(kT0, kT0, 3)})
      .li(kA2, columns_)({enc::mul(kT0, kT0, kA2), enc::add(kT0, kT0, kA1)})
      .li(kA2, stride)({enc::mul(kT0, kT0, kA2), enc::auipc(kA2, 0)});
  // auipc's own address is here() - 4.
  common({enc::addi(kA2, kA2, static_cast<int32_t>(kFirst) - static_cast<int32_t>(common.here() - 4)),
          enc::add(kT0, kT0, kA2), enc::jalr(0, kT0, 0)});
  code_.assign(common.words().begin(), common.words().end());
  for (size_t i = 0; i < cpes_.size(); ++i) {
    code_.resize((kFirst + i * stride) / 4);
    const auto& words = cpes_[i].code.words();
    code_.insert(code_.end(), words.begin(), words.end());
  }
}

}  // namespace swai::iss::cpe
