// The second level of the allocator: what is smaller than half a block, in lines of 64 bytes.
//
// Every piece, taken or free, begins with a header line in the memory itself; behind it lies what the user
// gets. Free pieces of similar size are in one list (four classes for each power of two); a word tells which
// lists hold any, so that the first that is surely large enough is found with one instruction, and its first
// piece is taken. Neighbours that are free grow together at once. What has never been used is not in a list:
// the top of the newest block, from which is cut when the lists have nothing; so a fresh piece costs one
// header line and no search.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "firmware/memory/layout.hpp"

namespace swai::memory {

// The header of a piece: a word of its first line; free ones have another with the links of their list. Lines
// are counted from the beginning of the group's memory.
struct Piece {
  // In the header; taken ones say beside it how many bytes at their end nobody asked for.
  enum State : uint8_t { kNone = 0, kFree = 0x5a, kTaken = 0x80 };
  static constexpr uint8_t kUnusedMask = 0x7f;

  uint32_t lines = 0;   // with the header
  uint32_t before = 0;  // lines of the piece before it in the block; 0: it is the first
  State state = kNone;
  uint32_t next = 0;  // free ones: their list; 0: none
  uint32_t previous = 0;
  uint32_t unused = 0;  // taken ones
};

// Of one client, usage and group. `M` gives access to the group's memory.
template <Machine M>
class Pool {
 public:
  static constexpr uint32_t kNone = 0;
  static constexpr uint32_t kSmallest = 2;  // lines: a header and one more

  // Lines count from `base` on; those of the first block, and from `end` on, are nobody's. `mark`: in all
  // headers, not 0, and not what a pool had before in the same memory.
  void init(uint32_t mark, uint64_t base, uint32_t end) {
    mark_ = uint64_t{mark} << 40;
    base_ = base;
    end_ = end;
    broken_ = 0;
    drop_lists();
  }

  // How often the pool was found to be damaged.
  uint32_t broken() const { return broken_; }

  // A new piece for so many bytes, fewer than kLargeBytes, can come from three places; kNone: not from this
  // one.
  //
  // The list of its own size, if the first one there fits as it is: which, without changing anything...
  [[gnu::always_inline]] uint32_t fitting(M& m, uint32_t bytes) const {
    const uint32_t lines = lines_for(bytes);
    const uint32_t line = heads_[class_of(lines)];
    if (line == kNone) return kNone;
    const uint64_t header = m.load(address(line));
    const bool fits = static_cast<uint32_t>(header & 0xffff) - lines < kSmallest;
    return fits && (header ^ mark_) >> 32 == Piece::kFree ? line : kNone;
  }
  // ... and then takes it. What it leads to is looked at when its turn comes.
  [[gnu::always_inline]] bool pop(M& m, uint32_t line, uint32_t bytes) {
    const unsigned index = class_of(lines_for(bytes));
    const auto next = static_cast<uint32_t>(m.load(address(line) + 8));
    if (next >= end_ || (next != kNone && next < kPoolLines)) {
      give_up();
      return false;
    }
    heads_[index] = next;
    if (next == kNone) nonempty_ &= ~(uint64_t{1} << index);
    const uint64_t header = m.load(address(line));
    hand_out(m, line, {static_cast<uint32_t>(header & 0xffff), static_cast<uint32_t>(header >> 16 & 0xffff)},
             bytes);
    return true;
  }
  // The top, where no list has larger pieces.
  [[gnu::always_inline]] uint32_t take_top(M& m, uint32_t bytes) {
    const uint32_t lines = lines_for(bytes);
    if (nonempty_ >> class_of(lines) > 1 || top_end_ - top_ < lines + kSmallest) return kNone;
    const uint32_t line = top_;
    const uint32_t before = top_before_;
    top_ = line + lines;
    top_before_ = lines;
    hand_out(m, line, {lines, before}, bytes);
    return line;
  }
  // Whatever there is; kNone: a block has to be added first.
  uint32_t take(M& m, uint32_t bytes) {
    const uint32_t lines = lines_for(bytes);
    const unsigned above = class_of(lines) + 1;
    const uint64_t candidates = nonempty_ >> above << above;
    if (candidates != 0) return cut(m, heads_[std::countr_zero(candidates)], lines, bytes);
    if (const uint32_t line = take_top(m, bytes); line != kNone) return line;
    if (top_end_ - top_ >= lines) return take_last(m, bytes);
    return take_fitting(m, lines, bytes);
  }

  // Somebody has overwritten headers: what there is stays as it is, and is not used again.
  uint32_t give_up() {
    ++broken_;
    drop_lists();
    return kNone;
  }

  // A block for pieces, from this line on. The rest of the block before it goes into the lists.
  // `origin`: what is added to the place of a line there to get the user's pointer.
  void add_block(M& m, uint32_t line, uint64_t origin) {
    retire_top(m);
    origin_ = origin;
    top_ = line;
    top_end_ = line + kPoolLines;
    top_before_ = 0;
  }

  // Of the block of the top.
  uint64_t origin() const { return origin_; }

  // Gives a piece back. When its whole block is free now, that leaves the pool: returns its first line, else
  // kNone.
  uint32_t give_back(M& m, uint32_t line) {
    Piece piece = read(m, line);
    const uint32_t block = line / kPoolLines * kPoolLines;
    const uint32_t end = block + kPoolLines;
    if (piece.before != 0) {
      const uint32_t before = line - piece.before;
      const Piece neighbour = read(m, before);
      if (neighbour.state == Piece::kFree && neighbour.lines == piece.before) {
        if (!unlink(m, before, neighbour)) return give_up();
        forget(m, line);
        line = before;
        piece.lines += neighbour.lines;
        piece.before = neighbour.before;
      }
    }
    uint32_t after = line + piece.lines;
    if (after == top_ && top_ != top_end_) {
      top_ = line;
      top_before_ = piece.before;
      forget(m, line);
      return top_ == block ? leave(block) : kNone;
    }
    if (after != end) {
      const Piece neighbour = read(m, after);
      if (neighbour.state == Piece::kFree) {
        if (!unlink(m, after, neighbour)) return give_up();
        forget(m, after);
        piece.lines += neighbour.lines;
        after += neighbour.lines;
      }
    }
    if (line == block && after == end) {
      forget(m, line);
      return block;
    }
    if (after != end && !(after == top_ && top_ != top_end_)) set_before(m, after, piece.lines);
    link(m, line, piece);
    return kNone;
  }

  // What the header says; state kNone: there is none.
  Piece read(M& m, uint32_t line) const {
    if (line < kPoolLines || line >= end_) return {};
    const uint64_t first = m.load(address(line));
    if ((first ^ mark_) >> 40 != 0) return {};
    Piece piece;
    piece.lines = static_cast<uint32_t>(first & 0xffff);
    piece.before = static_cast<uint32_t>(first >> 16 & 0xffff);
    const uint32_t offset = line % kPoolLines;
    if (piece.lines == 0 || piece.lines > kPoolLines - offset || piece.before > offset) return {};
    const auto state = static_cast<uint8_t>(first >> 32);
    if (state == Piece::kFree) {
      const uint64_t links = m.load(address(line) + 8);
      piece.state = Piece::kFree;
      piece.next = static_cast<uint32_t>(links);
      piece.previous = static_cast<uint32_t>(links >> 32);
    } else if ((state & Piece::kTaken) != 0) {
      piece.state = Piece::kTaken;
      piece.unused = state & Piece::kUnusedMask;
    }
    return piece;
  }

  uint64_t address(uint32_t line) const { return base_ + uint64_t{line} * kLineBytes; }

 private:
  // Classes: up to 8 lines one each, then four for each power of two.
  static constexpr unsigned kClasses = 60;
  static constexpr uint32_t lines_for(uint32_t bytes) { return (bytes + 2 * kLineBytes - 1) / kLineBytes; }

  static constexpr unsigned class_of(uint32_t lines) {
    const auto power = static_cast<unsigned>(std::bit_width(lines | 4)) - 3;
    return 4 * power + (lines >> power);
  }
  static_assert(class_of(kPoolLines) < kClasses && class_of(kPoolLines / 2 + 1) + 1 < kClasses);

  // Pieces of its own class may be large enough, or not: the first few are looked at.
  uint32_t take_fitting(M& m, uint32_t lines, uint32_t bytes) {
    constexpr unsigned kLook = 8;
    uint32_t line = heads_[class_of(lines)];
    for (unsigned i = 0; i < kLook && line != kNone; ++i) {
      const Piece piece = read(m, line);
      if (piece.state != Piece::kFree) break;
      if (piece.lines >= lines) return cut(m, line, lines, bytes);
      line = piece.next;
    }
    return kNone;
  }

  uint32_t cut(M& m, uint32_t line, uint32_t lines, uint32_t bytes) {
    Piece piece = read(m, line);
    if (piece.lines < lines || !unlink(m, line, piece)) return give_up();
    const uint32_t rest = piece.lines - lines;
    if (rest >= kSmallest) {
      const uint32_t after = line + piece.lines;
      piece.lines = lines;
      Piece remainder;
      remainder.lines = rest;
      remainder.before = lines;
      if (after % kPoolLines != 0 && after != top_) set_before(m, after, rest);
      if (after == top_) top_before_ = rest;
      link(m, line + lines, remainder);
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
    Piece rest;
    rest.lines = top_end_ - top_;
    rest.before = top_before_;
    link(m, top_, rest);
    top_ = top_end_ = 0;
  }

  uint32_t leave(uint32_t block) {
    top_ = top_end_ = 0;
    return block;
  }

  void write(M& m, uint32_t line, const Piece& piece, uint8_t state) {
    m.store(address(line), mark_ | piece.lines | uint64_t{piece.before} << 16 | uint64_t{state} << 32);
  }
  void hand_out(M& m, uint32_t line, const Piece& piece, uint32_t bytes) {
    const auto unused = static_cast<uint8_t>((piece.lines - 1) * kLineBytes - bytes);
    write(m, line, piece, Piece::kTaken | unused);
  }
  void write_links(M& m, uint32_t line, uint32_t next, uint32_t previous) {
    m.store(address(line) + 8, next | uint64_t{previous} << 32);
  }
  void set_before(M& m, uint32_t line, uint32_t before) {
    const uint64_t word = m.load(address(line));
    m.store(address(line), (word & ~uint64_t{0xffff'0000}) | uint64_t{before} << 16);
  }
  // What was a header is the inside of a piece now.
  void forget(M& m, uint32_t line) {
    m.store(address(line), 0);
    m.drop(address(line), kLineBytes);
  }

  void drop_lists() {
    nonempty_ = 0;
    heads_.fill(kNone);
    top_ = top_end_ = top_before_ = 0;
  }
  void link(M& m, uint32_t line, const Piece& piece) {
    const unsigned index = class_of(piece.lines);
    const uint32_t next = heads_[index];
    write(m, line, piece, Piece::kFree);
    write_links(m, line, next, kNone);
    if (next != kNone) write_links(m, next, static_cast<uint32_t>(m.load(address(next) + 8)), line);
    heads_[index] = line;
    nonempty_ |= uint64_t{1} << index;
  }
  // False: the list is not what it should be, and nothing has been changed.
  bool unlink(M& m, uint32_t line, const Piece& piece) {
    const unsigned index = class_of(piece.lines);
    if (piece.state != Piece::kFree) return false;
    Piece before;
    Piece after;
    // What the first of a list says of the one before it does not count.
    const bool first = heads_[index] == line;
    if (!first) {
      if (piece.previous == kNone) return false;
      before = read(m, piece.previous);
      if (before.state != Piece::kFree || before.next != line) return false;
    }
    if (piece.next != kNone) {
      after = read(m, piece.next);
      if (after.state != Piece::kFree || after.previous != line) return false;
      write_links(m, piece.next, after.next, piece.previous);
    }
    if (!first) {
      write_links(m, piece.previous, piece.next, before.previous);
    } else {
      heads_[index] = piece.next;
      if (piece.next == kNone) nonempty_ &= ~(uint64_t{1} << index);
    }
    return true;
  }

  uint64_t base_;
  uint64_t mark_;
  uint64_t nonempty_;
  uint64_t origin_;
  uint32_t end_;
  uint32_t broken_;
  std::array<uint32_t, kClasses> heads_;
  uint32_t top_;  // first line that was never used, and the end of its block
  uint32_t top_end_;
  uint32_t top_before_;  // lines of the piece before the top
};

}  // namespace swai::memory
