// SPDX-License-Identifier: Apache-2.0
// What has to be done to a chip, decided before anything is done: pure functions of what lies there.
//
// Slots keep a card alive through power cuts by the order of what is planned. The slot that the card can fall
// back to, the keeper, is never touched. In the other one the header goes first and comes last: until its
// final page is written there is no image, from then on there is a whole one.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "host/tools/flash/contents.hpp"

namespace swai::flash {

struct Step {
  enum class Kind {
    kInvalidate,  // erase the sector with the header
    kWrite,       // erase if need be, program, compare
    kSeal,        // the header's sector: all but the header, compare, then the header, compare
    kMark,        // clear bits of the rank of an image that is there
  };
  Kind kind = Kind::kWrite;
  uint32_t offset = 0;  // in the chip
  uint32_t bytes = 0;
  bool erase = false;
  std::vector<uint8_t> wanted;  // `bytes` of them, but for kInvalidate
};

struct Plan {
  std::optional<image::Slot> slot;  // none: raw contents
  std::vector<Step> steps;          // empty: all is there already
  std::vector<std::string> says;    // what is there, what will be done, and why
  size_t erase_bytes = 0;
  size_t program_bytes = 0;
};

// For people.
std::string describe(const Step& step);

struct WriteWish {
  std::optional<image::Slot> slot;     // empty: the plan chooses
  bool downgrade = false;              // to an older version
  std::optional<image::Slot> running;  // what a card that is switched on runs
};

// The slot that has to survive, because the card may need it at its next boot; nothing: neither holds
// anything worth it.
std::optional<image::Slot> keeper(const Contents& contents);

// An image into a slot. `contents` has at least as many bytes of each slot as the image, up to a whole
// sector. Throws InputError when the ROM would not take the image, BoardError kRefused when writing it would
// do harm.
Plan plan_write(const Contents& contents, const SlotMap& map, const Geometry& geometry,
                std::span<const uint8_t> image, const WriteWish& wish);

// The other image first, from the next reset on. Throws BoardError kRefused.
Plan plan_rollback(const Contents& contents, const SlotMap& map);

// A slot becomes empty. Throws BoardError kRefused for the keeper.
Plan plan_erase(const Contents& contents, const SlotMap& map, const Geometry& geometry, image::Slot slot,
                std::optional<image::Slot> running);

// Any contents of whole sectors; `present`: what lies there. To erase is to write 0xFF.
Plan plan_raw(const Geometry& geometry, uint32_t offset, std::span<const uint8_t> present,
              std::span<const uint8_t> wanted);

// How many bytes of a slot plan_write has to know for an image of this size.
size_t bytes_to_know(const Geometry& geometry, size_t image_bytes);

}  // namespace swai::flash
