// SPDX-License-Identifier: Apache-2.0
// What lies in the slots of a chip, judged as the boot ROM judges it, and told in sentences.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "host/tools/flash/image.hpp"
#include "host/tools/flash/programmer.hpp"
#include "host/tools/flash/slot_map.hpp"

namespace swai::flash {

struct SlotContents {
  Bytes bytes;  // from the slot's beginning: its header, and all of the payload that this names
  image::Header header = {};
  image::Refusal refusal = image::Refusal::kErased;
  bool has_image = false;  // the header can be believed, whatever the ROM thinks of the rest

  bool valid() const { return refusal == image::Refusal::kNone; }
  bool confirmed() const { return image::is_confirmed(header.state); }
};

struct Contents {
  std::array<SlotContents, 2> slots;
  std::optional<image::Slot> boots;  // nothing: the card would end in recovery

  const SlotContents& slot(image::Slot slot) const { return slots[index(slot)]; }
};

// Judges slots that were read.
Contents judge(Bytes a, Bytes b);
// Reads both slots, at least `least` bytes of each.
Contents read_contents(Programmer& programmer, const SlotMap& map, size_t least = 0);

// "ai-kernel 0.1.0 (1a2b3c4)".
std::string name_of(const image::Header& header);
// What the ROM says of a slot, in words.
std::string verdict(const SlotContents& slot);
// What the board will do at its next reset and why, what happened before, and what to do about it.
std::vector<std::string> explain(const Contents& contents);

}  // namespace swai::flash
