// SPDX-License-Identifier: Apache-2.0
// Row and column channels: from the local memory of a CPE into those of others in its row or column, 32 bytes
// a cycle. Data go when the sender and all its receivers have asked for it: a receive names its sender, a
// send its receivers.
//
//   if (row::position() == 0) {
//     row::wait(row::send(row::others(), buffer, 1024));
//   } else {
//     row::wait(row::receive(0, buffer, 1024));
//   }
//
// Addresses and sizes are multiples of 32 bytes. Lengths need not match: between two CPEs data are a stream.
// A send that nobody receives waits until the watchdog comes.
#pragma once

#include "swai/control.hpp"
#include "swai/isa.hpp"
#include "swai/ldm.hpp"

namespace swai::cpe {

// A set of positions in a row or column: bit p is position p.
using Positions = uint8_t;

template <isa::unit::Kind kUnit>
struct ChannelOf {
  struct Sent {
    uint32_t number;
  };
  struct Received {
    uint32_t number;
  };

  // Own place on the channel.
  static uint32_t position() {
    if constexpr (kUnit == isa::unit::kRow) {
      return column_number();
    } else {
      return row_number();
    }
  }

  // Who takes part in the launch on this channel.
  static Positions participants() {
    const uint32_t mask = launch_mask();
    if constexpr (kUnit == isa::unit::kRow) {
      return static_cast<Positions>(mask >> row_number() * columns() & ((1u << columns()) - 1));
    } else {
      Positions positions = 0;
      for (uint32_t row = 0; row < rows(); ++row) {
        positions =
            static_cast<Positions>(positions | (mask >> (row * columns() + column_number()) & 1) << row);
      }
      return positions;
    }
  }
  static Positions others() { return static_cast<Positions>(participants() & ~(1u << position())); }

  // To all `receivers`, each of which has to receive it. `from` may be changed after wait().
  [[gnu::always_inline]] static Sent send(Positions receivers, const void* from, uint32_t bytes) {
    return {isa::ask<kUnit, isa::channel_op::kSend>(ldm_address(from), uint32_t{receivers} << 24 | bytes)};
  }
  // `to` may be used after wait().
  [[gnu::always_inline]] static Received receive(uint32_t sender, void* to, uint32_t bytes) {
    return {isa::ask<kUnit, isa::channel_op::kReceive>(ldm_address(to), sender << 24 | bytes)};
  }

  // Sleeps until that one and all before it (sends and receives apart) are complete.
  [[gnu::always_inline]] static void wait(Sent ticket) {
    isa::issue<kUnit, isa::channel_op::kWaitSend>(ticket.number);
  }
  [[gnu::always_inline]] static void wait(Received ticket) {
    isa::issue<kUnit, isa::channel_op::kWaitReceive>(ticket.number);
  }
};

using row = ChannelOf<isa::unit::kRow>;
using column = ChannelOf<isa::unit::kColumn>;

}  // namespace swai::cpe
