// SPDX-License-Identifier: Apache-2.0
// The second level of the allocator: what is smaller than half a block, in lines of 64 bytes.
//
// What is known of each piece, taken or free, lies in memory of the manager's own: a word for each line of a
// pool's blocks, of which a piece uses those of its first two lines. Clients reach none of it. Free pieces of
// similar size are in one list (four classes for each power of two); a word tells which lists hold any, so
// that the first that is surely large enough is found with one instruction, and its first piece is taken.
// Neighbours that are free grow together at once. What has never been used is not in a list: the top of the
// newest block, from which is cut when the lists have nothing; so a fresh piece costs one line of the cache
// and no search.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "firmware/memory/layout.hpp"

namespace swai::memory {

// A piece: the word of its first line. That of its second line has the links of a free one's list, or the
// pool's serial number.
struct Piece {
  enum State : uint8_t { kFree = 0, kTaken = 1 };

  uint32_t lines = 0;
  uint32_t before = 0;  // lines of the piece before it in the block; 0: it is the first
  State state = kFree;
  uint32_t unused = 0;  // taken ones: bytes at their end that nobody asked for

  // Nothing else that is kept has the highest bit, so that only what begins a piece says that one is taken.
  constexpr uint64_t word() const {
    return lines | uint64_t{before} << 16 | uint64_t{unused} << 32 | uint64_t{state} << 63;
  }
  static constexpr Piece of(uint64_t word) {
    return {static_cast<uint32_t>(word & 0xffff), static_cast<uint32_t>(word >> 16 & 0xffff),
            static_cast<State>(word >> 63), static_cast<uint32_t>(word >> 32 & 0xff)};
  }
};

// Of one client, usage and group. `M` gives access to the manager's own memory.
template <Machine M>
class Pool {
 public:
  static constexpr uint32_t kNone = 0;
  static constexpr uint32_t kSmallest = 2;  // lines
  // What is kept for each line.
  static constexpr uint64_t kWordBytes = sizeof(uint64_t);

  // Lines count over all blocks that pools have; line 0 is nobody's. Their words lie from `words` on.
  // `serial`: no other pool has had this number.
  void init(uint64_t serial, uint64_t words) {
    serial_ = serial | kSerial;
    words_ = words;
    nonempty_ = 0;
    heads_.fill(kNone);
    top_ = top_end_ = top_before_ = 0;
  }

  // A new piece for so many bytes, fewer than kLargeBytes; kNone: not at once. From the list of its own size,
  // if the first one there fits as it is, else the top, where no list has larger pieces.
  [[gnu::always_inline]] uint32_t take_at_once(M& m, uint32_t bytes) {
    const uint32_t lines = lines_for(bytes);
    const unsigned index = class_of(lines);
    const uint32_t line = heads_[index];
    if (line == kNone) return take_top(m, bytes, lines, index);
    const Piece piece = read(m, line);
    if (piece.lines - lines >= kSmallest) return kNone;
    const uint32_t next = links(m, line).next;
    heads_[index] = next;
    if (next == kNone) nonempty_ &= ~(uint64_t{1} << index);
    hand_out(m, line, piece, bytes);
    return line;
  }
  // Whatever there is; kNone: a block has to be added first.
  uint32_t take(M& m, uint32_t bytes) {
    const uint32_t lines = lines_for(bytes);
    const unsigned index = class_of(lines);
    const uint64_t candidates = nonempty_ >> (index + 1) << (index + 1);
    if (candidates != 0) return cut(m, heads_[std::countr_zero(candidates)], lines, bytes);
    if (const uint32_t line = take_top(m, bytes, lines, index); line != kNone) return line;
    if (top_end_ - top_ >= lines) return take_last(m, bytes);
    return take_fitting(m, lines, bytes);
  }

  // A block for pieces, from this line on. The rest of the block before it goes into the lists.
  void add_block(M& m, uint32_t line) {
    retire_top(m);
    top_ = line;
    top_end_ = line + kPoolLines;
    top_before_ = 0;
  }

  // Whether a piece of this pool that is taken begins at this line of one of its blocks, and which.
  bool find(M& m, uint32_t line, Piece& piece) const {
    if (line % kPoolLines == kPoolLines - 1) return false;  // the second word would be another block's
    piece = read(m, line);
    return piece.state == Piece::kTaken && m.load(word_of(line + 1)) == serial_;
  }
  // Gives this piece back. When its whole block is free now, that leaves the pool: returns its first line,
  // else kNone.
  uint32_t give_back(M& m, uint32_t line, Piece piece) {
    const uint32_t block = line / kPoolLines * kPoolLines;
    const uint32_t end = block + kPoolLines;
    // Its word tells of no piece any more, whatever comes to lie there.
    m.store(word_of(line), 0);
    if (piece.before != 0) {
      const uint32_t before = line - piece.before;
      const Piece neighbour = read(m, before);
      if (neighbour.state == Piece::kFree) {
        unlink(m, before, neighbour);
        line = before;
        piece.lines += neighbour.lines;
        piece.before = neighbour.before;
      }
    }
    const uint32_t after = line + piece.lines;
    if (after == top_ && top_ != top_end_) {
      top_ = line;
      top_before_ = piece.before;
      if (top_ != block) return kNone;
      top_ = top_end_ = 0;
      return block;
    }
    if (after != end) {
      const Piece neighbour = read(m, after);
      if (neighbour.state == Piece::kFree) {
        unlink(m, after, neighbour);
        piece.lines += neighbour.lines;
      }
    }
    if (piece.lines == kPoolLines) return block;
    tell_next(m, line + piece.lines, piece.lines);
    link(m, line, piece);
    return kNone;
  }

 private:
  struct Links {
    uint32_t next = kNone;
    uint32_t previous = kNone;  // of the first of a list it says nothing
  };

  // In the word of a serial number, and of nothing else.
  static constexpr uint64_t kSerial = uint64_t{1} << 62;
  static constexpr unsigned kLineBits = 24;
  static_assert((kMaxPools + 1) * uint64_t{kPoolLines} < uint64_t{1} << kLineBits);

  // Classes: up to 8 lines one each, then four for each power of two.
  static constexpr unsigned kClasses = 60;
  static constexpr uint32_t lines_for(uint32_t bytes) {
    const auto lines = static_cast<uint32_t>((bytes + kLineBytes - 1) / kLineBytes);
    return lines < kSmallest ? kSmallest : lines;
  }
  static constexpr unsigned class_of(uint32_t lines) {
    const auto power = static_cast<unsigned>(std::bit_width(lines | 4)) - 3;
    return 4 * power + (lines >> power);
  }
  static_assert(class_of(kPoolLines) < kClasses && class_of(kPoolLines / 2 + 1) + 1 < kClasses);

  uint64_t word_of(uint32_t line) const { return words_ + uint64_t{line} * kWordBytes; }
  Piece read(M& m, uint32_t line) const { return Piece::of(m.load(word_of(line))); }
  Links links(M& m, uint32_t line) const {
    const uint64_t word = m.load(word_of(line + 1));
    return {static_cast<uint32_t>(word & ((1 << kLineBits) - 1)), static_cast<uint32_t>(word >> kLineBits)};
  }
  void write_links(M& m, uint32_t line, const Links& links) {
    m.store(word_of(line + 1), links.next | uint64_t{links.previous} << kLineBits);
  }

  [[gnu::always_inline]] uint32_t take_top(M& m, uint32_t bytes, uint32_t lines, unsigned index) {
    if (nonempty_ >> index > 1 || top_end_ - top_ < lines + kSmallest) return kNone;
    const uint32_t line = top_;
    const uint32_t before = top_before_;
    top_ = line + lines;
    top_before_ = lines;
    hand_out(m, line, {lines, before}, bytes);
    return line;
  }
  // Pieces of its own class may be large enough, or not: the first few are looked at.
  uint32_t take_fitting(M& m, uint32_t lines, uint32_t bytes) {
    constexpr unsigned kLook = 8;
    uint32_t line = heads_[class_of(lines)];
    for (unsigned i = 0; i < kLook && line != kNone; ++i) {
      if (read(m, line).lines >= lines) return cut(m, line, lines, bytes);
      line = links(m, line).next;
    }
    return kNone;
  }
  uint32_t cut(M& m, uint32_t line, uint32_t lines, uint32_t bytes) {
    Piece piece = read(m, line);
    unlink(m, line, piece);
    if (const uint32_t rest = piece.lines - lines; rest >= kSmallest) {
      tell_next(m, line + piece.lines, rest);
      piece.lines = lines;
      link(m, line + lines, {.lines = rest, .before = lines});
    }
    hand_out(m, line, piece, bytes);
    return line;
  }
  // All of the top: what would stay is good for nothing.
  uint32_t take_last(M& m, uint32_t bytes) {
    const uint32_t line = top_;
    hand_out(m, line, {top_end_ - top_, top_before_}, bytes);
    top_ = top_end_ = 0;
    return line;
  }
  void retire_top(M& m) {
    if (top_ == top_end_) return;
    link(m, top_, {.lines = top_end_ - top_, .before = top_before_});
    top_ = top_end_ = 0;
  }

  [[gnu::always_inline]] void hand_out(M& m, uint32_t line, Piece piece, uint32_t bytes) {
    piece.state = Piece::kTaken;
    piece.unused = static_cast<uint32_t>(piece.lines * kLineBytes - bytes);
    m.store(word_of(line), piece.word());
    m.store(word_of(line + 1), serial_);
  }
  // What the piece behind, or the top, is to know of the one before it.
  void tell_next(M& m, uint32_t after, uint32_t lines) {
    if (after % kPoolLines == 0) return;
    if (after == top_ && top_ != top_end_) {
      top_before_ = lines;
    } else {
      Piece piece = read(m, after);
      piece.before = lines;
      m.store(word_of(after), piece.word());
    }
  }
  void link(M& m, uint32_t line, const Piece& piece) {
    const unsigned index = class_of(piece.lines);
    const uint32_t next = heads_[index];
    m.store(word_of(line), Piece{piece.lines, piece.before}.word());
    write_links(m, line, {next, kNone});
    if (next != kNone) write_links(m, next, {links(m, next).next, line});
    heads_[index] = line;
    nonempty_ |= uint64_t{1} << index;
  }
  void unlink(M& m, uint32_t line, const Piece& piece) {
    const unsigned index = class_of(piece.lines);
    const auto [next, previous] = links(m, line);
    if (heads_[index] == line) {
      heads_[index] = next;
      if (next == kNone) nonempty_ &= ~(uint64_t{1} << index);
      return;
    }
    write_links(m, previous, {next, links(m, previous).previous});
    if (next != kNone) write_links(m, next, {links(m, next).next, previous});
  }

  uint64_t words_;
  uint64_t serial_;
  uint64_t nonempty_;
  std::array<uint32_t, kClasses> heads_;
  uint32_t top_;  // first line that was never used, and the end of its block
  uint32_t top_end_;
  uint32_t top_before_;  // lines of the piece before the top
};

}  // namespace swai::memory
