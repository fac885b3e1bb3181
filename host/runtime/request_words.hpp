// SPDX-License-Identifier: Apache-2.0
// The shared words through which a host makes short requests (docs/firmware/protocol.md): one at a time is
// under way.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <span>
#include <utility>

#include "abi/protocol.hpp"
#include "host/transport/card.hpp"

namespace swai::sdaa {

class RequestWords {
 public:
  using Values = std::array<uint64_t, protocol::word::kValueCount>;
  struct Reply {
    protocol::Status status;
    Values values;
  };

  explicit RequestWords(link::Card& card);

  void send(protocol::Operation operation, std::span<const uint64_t> arguments);
  // The reply to what was sent last, if it is there. A look takes a round trip.
  std::optional<Reply> look();

  // About what the firmware needs for a request, in cycles: a look that comes earlier is in vain, and takes a
  // round trip all the same. It is learnt from requests of the same kind.
  uint64_t time_for(protocol::Operation operation, std::span<const uint64_t> arguments) const;
  // Whether the first look after that time found the reply.
  void learn(protocol::Operation operation, std::span<const uint64_t> arguments, bool found);

 private:
  // An operation, apart for allocations of whole blocks, which take longer.
  using Kind = std::pair<protocol::Operation, bool>;
  static Kind kind_of(protocol::Operation operation, std::span<const uint64_t> arguments);

  link::Card& card_;
  uint32_t tag_;
  std::map<Kind, uint64_t> times_;
};

}  // namespace swai::sdaa
