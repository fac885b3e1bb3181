// Puts a module's code into memory.
#pragma once

#include <cstdint>

#include "abi/group/machine.hpp"
#include "abi/module_reader.hpp"
#include "abi/segment.hpp"

namespace swai::group {

// What a module's code segment occupies.
inline uint64_t code_segment_bytes(const module::Module& module) {
  return (module.code_bytes() + segment::kGranuleBytes - 1) & ~(segment::kGranuleBytes - 1);
}

// Copies the code to `address`, where there are code_segment_bytes() of room, and returns the entry for its
// segment. CPEs may run it and read it, not write it. What follows the code in the segment's last granule is
// readable, too, and stays as it is.
template <Machine M>
[[gnu::cold, gnu::noinline]] segment::Entry load_code(M& machine, const module::Module& module,
                                                      uint64_t address, uint8_t owner = segment::kShared) {
  const auto pieces = module.pieces();
  if (pieces.size() != 1 || pieces[0].data.size() != module.code_bytes())
    machine.zero(address, module.code_bytes());
  for (const module::Piece& piece : pieces) machine.copy(address + piece.offset, piece.data);
  machine.publish(address, module.code_bytes());
  return {address, code_segment_bytes(module), segment::kRead | segment::kExecute, owner};
}

}  // namespace swai::group
