// SPDX-License-Identifier: Apache-2.0
// A random kernel for all cores of a group (verif/sim/iss/cpe/random), as what has to lie in memory. The
// model's names stay away from those of the card's.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "abi/group/group.hpp"
#include "card_regs.hpp"

namespace swai::fast {

class GroupJob {
 public:
  static constexpr uint16_t kDaemonSegment = 1;
  static constexpr uint16_t kCodeSegment = 2;
  static constexpr uint32_t kDaemonPc = 0x4000'0000;
  static constexpr uint32_t kPc = 0x5000'0000;

  struct Size {
    unsigned events = 100;          // messages, transfers, runs of units and the like
    uint32_t ldm_bytes = 8 * 1024;  // of each core that it uses
  };
  GroupJob(unsigned rows, unsigned columns, uint64_t seed) : GroupJob(rows, columns, seed, Size{}) {}
  GroupJob(unsigned rows, unsigned columns, uint64_t seed, const Size& size);

  struct Page {
    uint64_t at;
    uint64_t bytes;
  };
  struct Piece {
    uint16_t segment = 0;
    uint8_t permissions = 0;
    std::vector<uint8_t> bytes;
    std::vector<uint8_t> after;  // empty: nobody writes there
    // Those in which there is anything, before or after: what is used lies far apart.
    std::vector<Page> pages() const;
  };
  const std::vector<Piece>& pieces() const { return pieces_; }

 private:
  std::vector<Piece> pieces_;
};

// Where it lies in the memory of group 0: the segment table, and the pieces one behind the other.
inline constexpr uint64_t kJob = regs::kHbmRegion.base + (uint64_t{2} << 30);
inline constexpr uint64_t kFirstPiece = kJob + 0x10000;
inline uint64_t room_of(const GroupJob::Piece& piece) {
  return (piece.bytes.size() + 0xFFF) & ~uint64_t{0xFFF};
}

// Puts it into memory and launches it on all cores, which come out of reset for it. The launch's number;
// nothing: cores are not ready.
template <group::Machine M>
std::optional<uint32_t> start(M& machine, group::Group<M>& group, const GroupJob& job) {
  constexpr uint32_t kEntries = 64;
  machine.zero(kJob, kEntries * sizeof(uint64_t));
  group.use_segments(kJob, kEntries);
  uint64_t place = kFirstPiece;
  for (const GroupJob::Piece& piece : job.pieces()) {
    for (const GroupJob::Page& page : piece.pages()) {
      machine.copy(place + page.at, std::span(piece.bytes).subspan(page.at, page.bytes));
    }
    group.set_segment(piece.segment, {place, room_of(piece), piece.permissions});
    place += room_of(piece);
  }
  group.forget(group::Group<M>::kSegments | group::Group<M>::kCode);
  group.use_daemon(GroupJob::kDaemonSegment, GroupJob::kDaemonPc);
  group.enable(0);
  group.enable(group.all());
  if (!group.wait_ready(group.all(), 100'000)) return std::nullopt;
  group.prepare({.mask = group.all(), .code_segment = GroupJob::kCodeSegment, .argument_segment = 0});
  return group.start(GroupJob::kPc, 0);
}

}  // namespace swai::fast
