// SPDX-License-Identifier: Apache-2.0
#include "sim/iss/cpe/rate.hpp"

#include <algorithm>

#include "sim/iss/cpe/costs.hpp"

namespace swai::iss::cpe {

template <uint64_t kEach>
uint64_t Rate::take(const Request& request) {
  uint64_t end = request.start;
  uint64_t done = 0;
  for (uint64_t number = request.start / kPiece; done < request.count; ++number) {
    if (number >= full_from_ && number < full_to_) number = full_to_;
    Piece& piece = pieces_[number & (pieces_.size() - 1)];
    if (piece.number > number) return request.start + (request.count - 1) * kEach;
    if (piece.number < number) piece = {.number = number};
    (request.write ? piece.writes : piece.reads) = true;
    const uint64_t room = piece.reads && piece.writes ? costs::kMixedPiece : kPiece;
    const uint64_t by_then = ((number + 1) * kPiece - 1 - request.start) / kEach + 1;
    const uint64_t wanted = std::min(request.count, by_then) - std::min(done, by_then);
    const uint64_t taken = std::min(wanted, (room - std::min<uint64_t>(room, piece.used)) / kEach);
    if (taken != 0) {
      piece.used += static_cast<uint32_t>(taken * kEach);
      done += taken;
      end = std::max(request.start + (done - 1) * kEach, number * kPiece + piece.used - kEach);
    }
    if (piece.used + kEach > room) filled(number);
  }
  return end;
}

template uint64_t Rate::take<1>(const Request& request);
template uint64_t Rate::take<costs::kLine>(const Request& request);

void Rate::filled(uint64_t number) {
  if (number == full_to_) {
    ++full_to_;
  } else if (number > full_to_) {
    full_from_ = number;
    full_to_ = number + 1;
  }
}

}  // namespace swai::iss::cpe
