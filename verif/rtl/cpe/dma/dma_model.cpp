// SPDX-License-Identifier: Apache-2.0
#include "verif/rtl/cpe/dma/dma_model.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "verif/rtl/lib/bench.hpp"

namespace swai::cpe {

using verif::check;

namespace {
constexpr uint16_t kWritten = 0xffff;
constexpr uint32_t kInLdm = ~uint32_t{0};
}  // namespace

uint8_t* Memories::at(uint16_t segment, uint64_t offset) {
  for (auto& s : segments) {
    if (s.number == segment && offset - s.base < s.bytes.size()) return &s.bytes[offset - s.base];
  }
  return nullptr;
}

bool DmaModel::is_bad(const Command& command) const {
  if (command.op >= kFirstUnknown) return true;
  if (command.op == kClass) return command.rs1 > isa::dma_class::kBackground;
  if (command.op != kLoad && command.op != kStore) return false;
  const uint64_t begin = uint64_t{command.rs1} - kLdmBase;
  const uint64_t end = begin + uint64_t{shape_.rows - 1} * shape_.ldm_stride + command.rs2;
  return command.rs2 == 0 || shape_.rows == 0 || command.rs1 < kLdmBase || end > kLdmBytes;
}

std::vector<Piece> DmaModel::cut(uint64_t pointer, const Shape& shape, const Command& command) const {
  std::vector<Piece> found;
  for (uint32_t row = 0; row < shape.rows; ++row) {
    const int64_t begin =
        static_cast<int64_t>(pointer % kOffsets) + static_cast<int64_t>(row) * int64_t{shape.stride};
    for (uint32_t done = 0; done < command.rs2;) {
      const int64_t offset = begin + done;
      const uint32_t ldm = command.rs1 - kLdmBase + row * shape.ldm_stride + done;
      auto in_line = static_cast<unsigned>(static_cast<uint64_t>(offset) % kLine);
#ifdef DMA_SERIAL
      in_line = std::max(in_line, static_cast<unsigned>(ldm % kLine));
#endif
      const unsigned bytes = std::min(command.rs2 - done, static_cast<unsigned>(kLine) - in_line);
      found.push_back({.write = command.op == kStore,
                       .segment = static_cast<uint16_t>(pointer >> 48),
                       .offset = static_cast<uint64_t>(offset) % kOffsets,
                       .outside = offset < 0 || offset >= static_cast<int64_t>(kOffsets),
                       .ldm = ldm,
                       .bytes = bytes,
                       .pc = command.pc,
                       .ticket = begun_ + 1});
      done += bytes;
    }
  }
  return found;
}

bool DmaModel::mark(const std::vector<Piece>& pieces) {
  users_.resize(expected.segments.size());
  for (size_t i = 0; i < users_.size(); ++i) users_[i].resize(expected.segments[i].bytes.size());
  const auto use = [](uint16_t& users, bool writes) {
    if (users == kWritten || (writes && users != 0)) return false;
    users = writes ? kWritten : static_cast<uint16_t>(users + 1);
    return true;
  };
  for (size_t p = 0; p < pieces.size(); ++p) {
    const auto& piece = pieces[p];
    for (unsigned i = 0; i < piece.bytes; ++i) {
      bool good = true;
      uint16_t* global = nullptr;
      if (!piece.outside) {
        for (size_t s = 0; s < users_.size(); ++s) {
          const auto& segment = expected.segments[s];
          const uint64_t at = piece.offset + i - segment.base;
          if (segment.number == piece.segment && at < segment.bytes.size()) global = &users_[s][at];
        }
        good = global != nullptr && use(*global, piece.write);
      }
      if (good && !use(ldm_users_[piece.ldm + i], !piece.write)) {
        good = false;
        if (global != nullptr) *global = piece.write ? uint16_t{0} : static_cast<uint16_t>(*global - 1);
      }
      if (good) continue;
      std::vector<Piece> marked(pieces.begin(), pieces.begin() + static_cast<std::ptrdiff_t>(p));
      marked.push_back(piece);
      marked.back().bytes = i;
      unmark(marked);
      return false;
    }
  }
  return true;
}

void DmaModel::unmark(const std::vector<Piece>& pieces) {
  const auto leave = [](uint16_t& users) {
    users = users == kWritten ? uint16_t{0} : static_cast<uint16_t>(users - 1);
  };
  for (const auto& piece : pieces) {
    for (unsigned i = 0; i < piece.bytes; ++i) {
      leave(ldm_users_[piece.ldm + i]);
      if (piece.outside) continue;
      for (size_t s = 0; s < users_.size(); ++s) {
        const auto& segment = expected.segments[s];
        const uint64_t at = piece.offset + i - segment.base;
        if (segment.number == piece.segment && at < segment.bytes.size()) leave(users_[s][at]);
      }
    }
  }
}

bool DmaModel::independent(uint64_t pointer, const Shape& shape, const Command& command) {
  const auto pieces = cut(pointer, shape, command);
  if (!mark(pieces)) return false;
  unmark(pieces);
  return true;
}

DmaModel::Answer DmaModel::take(const Command& command) {
  if (is_bad(command)) return {.bad = true};
  switch (command.op) {
    case kGlobal:
      global_ = uint64_t{command.rs2} << 32 | command.rs1;
      return {};
    case kShape:
      shape_ = {.rows = command.rs1 >> 16,
                .ldm_stride = command.rs1 & 0xffff,
                .stride = static_cast<int32_t>(command.rs2)};
      return {};
    case kClass:
      background_ = command.rs1 == isa::dma_class::kBackground;
      return {};
    case kWait:
    case kPoll:
      return {.waits = true, .ticket = command.rs1};
    default:
      break;
  }
  Transfer transfer{.ticket = begun_ + 1, .written = {}, .pieces = cut(global_, shape_, command)};
  check(mark(transfer.pieces), "the test began a transfer that overlaps another");
  for (const auto& piece : transfer.pieces) {
    pieces.push_back(piece);
    if (piece.outside) continue;
    for (unsigned i = 0; i < piece.bytes; ++i) {
      uint8_t* local = &expected.ldm[piece.ldm + i];
      uint8_t* global = expected.at(piece.segment, piece.offset + i);
      uint8_t* to = piece.write ? global : local;
      Byte byte{.expected = to, .segment = kInLdm, .index = piece.ldm + i, .before = *to};
      if (piece.write) {
        for (uint32_t s = 0; s < expected.segments.size(); ++s) {
          const auto& bytes = expected.segments[s].bytes;
          if (to < bytes.data() || to >= bytes.data() + bytes.size()) continue;
          byte.segment = s;
          byte.index = static_cast<uint32_t>(to - bytes.data());
        }
      }
      *to = piece.write ? *local : *global;
      transfer.written.push_back(byte);
    }
  }
  flying_.push_back(std::move(transfer));
  shape_ = {};
  return {.data = ++begun_};
}

uint8_t DmaModel::actual_of(const Byte& byte, const Memories& actual) {
  return byte.segment == kInLdm ? actual.ldm[byte.index] : actual.segments[byte.segment].bytes[byte.index];
}

void DmaModel::complete(uint32_t ticket, Memories& actual) {
  while (!flying_.empty() && static_cast<int32_t>(ticket - flying_.front().ticket) >= 0) {
    const auto& transfer = flying_.front();
    for (const auto& byte : transfer.written) {
      if (actual_of(byte, actual) == *byte.expected) continue;
      throw verif::CheckFailed(fmt::format("byte {:#x} of {} is wrong after transfer {}", byte.index,
                                           byte.segment == kInLdm ? "local memory" : "a segment",
                                           transfer.ticket));
    }
    unmark(transfer.pieces);
    flying_.pop_front();
  }
}

void DmaModel::stopped(Memories& actual) {
  for (const auto& transfer : flying_) {
    for (const auto& byte : transfer.written) {
      const uint8_t is = actual_of(byte, actual);
      check(is == byte.before || is == *byte.expected, "a transfer that was stopped left a wrong byte");
      *byte.expected = is;
    }
    unmark(transfer.pieces);
  }
  flying_.clear();
  pieces.clear();
  end_launch();
  begun_ = 0;
}

void DmaModel::compare(const Memories& actual) const {
  const auto same = [](const std::vector<uint8_t>& is, const std::vector<uint8_t>& should, const char* what) {
    if (is == should) return;
    const auto at = std::mismatch(is.begin(), is.end(), should.begin()).first - is.begin();
    throw verif::CheckFailed(fmt::format("byte {:#x} of {} is wrong", at, what));
  };
  same(actual.ldm, expected.ldm, "local memory");
  for (size_t s = 0; s < expected.segments.size(); ++s) {
    same(actual.segments[s].bytes, expected.segments[s].bytes, "a segment");
  }
}

}  // namespace swai::cpe
