// SPDX-License-Identifier: Apache-2.0
#include "verif/rtl/group/hbm_timing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "verif/rtl/lib/bench.hpp"

namespace swai::cg {

using verif::check;

void load(const verif::Field& field, HbmCommands& commands) {
  unsigned at = 0;
  const auto take = [&](unsigned width) {
    const auto value = static_cast<unsigned>(field.get(at, width));
    at += width;
    return value;
  };
  commands.col_col = take(4);
  commands.col_bank = take(4);
  commands.col_channel = take(2);
  commands.write = take(1) != 0;
  commands.col = take(1) != 0;
  commands.pre_bank = take(4);
  commands.pre = take(1) != 0;
  commands.row = take(18);
  commands.row_bank = take(4);
  commands.row_channel = take(2);
  commands.refresh = take(1) != 0;
  commands.act = take(1) != 0;
  commands.wake = take(1) != 0;
  commands.sleep = take(1) != 0;
}

HbmPlace place_of(uint64_t line) {
  HbmPlace place;
  place.channel = (std::popcount(line & 0x555'5555) & 1) | ((std::popcount(line & 0xaaa'aaaa) & 1) << 1);
  for (unsigned bit = 6; bit < 28; bit += 4) place.bank ^= (line >> bit) & 15;
  place.row = static_cast<unsigned>(line >> 10);
  place.col = (line >> 2) & 15;
  return place;
}

// Searches the sixty-four lines that differ in the hashed bits.
uint64_t line_of(const HbmPlace& place) {
  for (uint64_t bits = 0; bits < 64; ++bits) {
    const uint64_t line = (uint64_t{place.row} << 10) | ((bits >> 2) << 6) | (place.col << 2) | (bits & 3);
    const HbmPlace found = place_of(line);
    if (found.channel == place.channel && found.bank == place.bank) return line;
  }
  throw verif::CheckFailed("the map of lines is no permutation");
}

void HbmTiming::step(const HbmCommands& commands) {
  ++now_;
  if (commands.sleep && !asleep_) sleep();
  if (commands.wake) wake();
  if (commands.act || commands.refresh || commands.pre || commands.col) {
    check(!asleep_ && !commands.sleep, "a command to a memory that sleeps");
    check(now_ - awake_since_ >= 174, fmt::format("a command {} after self-refresh", now_ - awake_since_));
  }
  if (commands.act || commands.refresh) row_command(commands);
  if (commands.pre) precharge(commands);
  if (commands.col) column(commands);
}

// Closes all banks: each must allow that.
void HbmTiming::sleep() {
  for (auto& channel : channels_) {
    for (auto& bank : channel.banks) {
      check(now_ - bank.act >= 33 && now_ - bank.read >= 18 && now_ - bank.write >= 8 + 4 + 15 &&
                now_ - bank.refresh >= 160,
            "self-refresh begins too early");
      bank.open = false;
      bank.pre = now_;
    }
  }
  asleep_ = true;
  asleep_since_ = now_;
  ++sleeps_;
}

void HbmTiming::wake() {
  check(asleep_, "woken and not asleep");
  asleep_ = false;
  awake_since_ = now_;
  slept_ += now_ - asleep_since_;
  for (auto& channel : channels_) {
    for (auto& bank : channel.banks) bank.fresh = now_;
  }
}

void HbmTiming::row_command(const HbmCommands& commands) {
  Channel& channel = channels_.at(commands.row_channel);
  Bank& bank = channel.banks.at(commands.row_bank);
  const std::string where = fmt::format("channel {} bank {}: ", commands.row_channel, commands.row_bank);
  check(!(commands.act && commands.refresh), where + "opened and refreshed at once");
  check(!bank.open, where + "a row command to an open bank");
  check(now_ - bank.pre >= 14, fmt::format("{}tRP of {}", where, now_ - bank.pre));
  check(now_ - bank.refresh >= 160, fmt::format("{}used {} after a refresh", where, now_ - bank.refresh));
  check(now_ - channel.row_command >= 4, fmt::format("{}tRRD of {}", where, now_ - channel.row_command));
  channel.row_command = now_;
  if (commands.act) {
    ++activations_;
    bank.open = true;
    bank.act = now_;
    return;
  }
  ++refreshes_;
  ++bank.refreshes;
  const int64_t since = now_ - bank.fresh;
  longest_ = std::max(longest_, since);
  check(since <= kLongest, fmt::format("{}{} cycles without a refresh", where, since));
  bank.refresh = now_;
  bank.fresh = now_;
}

void HbmTiming::precharge(const HbmCommands& commands) {
  Bank& bank = channels_.at(commands.col_channel).banks.at(commands.pre_bank);
  const std::string where = fmt::format("channel {} bank {}: ", commands.col_channel, commands.pre_bank);
  check(bank.open, where + "closed and not open");
  check(now_ - bank.act >= 33, fmt::format("{}tRAS of {}", where, now_ - bank.act));
  check(now_ - bank.read >= 5, fmt::format("{}tRTP of {}", where, now_ - bank.read));
  check(now_ - bank.write >= 8 + 4 + 15, fmt::format("{}closed {} after a write", where, now_ - bank.write));
  bank.open = false;
  bank.pre = now_;
}

void HbmTiming::column(const HbmCommands& commands) {
  Channel& channel = channels_.at(commands.col_channel);
  Bank& bank = channel.banks.at(commands.col_bank);
  const std::string where = fmt::format("channel {} bank {}: ", commands.col_channel, commands.col_bank);
  // A precharge of the same cycle came before: it must not be this bank's.
  check(bank.open, where + "a line of a closed bank");
  check(now_ - bank.act >= 14, fmt::format("{}tRCD of {}", where, now_ - bank.act));
  check(now_ - std::max(channel.read, channel.write) >= 4, where + "lines follow each other too fast");
  if (commands.write) {
    // Data from 8 to 11 cycles after the command; of a read from 14 to 17; two free cycles between.
    check(now_ + 8 >= channel.read + 14 + 4 + 2,
          fmt::format("{}write {} after read", where, now_ - channel.read));
    ++writes_;
    bank.write = now_;
    channel.write = now_;
  } else {
    check(now_ >= channel.write + 8 + 4 + 8,
          fmt::format("{}read {} after write", where, now_ - channel.write));
    ++reads_;
    bank.read = now_;
    channel.read = now_;
  }
}

void HbmTiming::finish() const {
  const int64_t awake = now_ - slept_ - (asleep_ ? now_ - asleep_since_ : 0);
  for (unsigned c = 0; c < 4; ++c) {
    for (unsigned b = 0; b < 16; ++b) {
      const Bank& bank = channels_[c].banks[b];
      check(asleep_ || now_ - bank.fresh <= kLongest,
            fmt::format("channel {} bank {}: not refreshed at the end", c, b));
      // Self-refresh starts the count anew; the rest is what may be postponed.
      check(bank.refreshes + 2 + static_cast<int64_t>(sleeps_) >= awake / kTRefi,
            fmt::format("channel {} bank {}: {} refreshes in {} cycles", c, b, bank.refreshes, awake));
    }
  }
}

}  // namespace swai::cg
