// SPDX-License-Identifier: Apache-2.0
#include "sim/card/events.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "abi/launch.hpp"
#include "build/gen/card_regs.hpp"

namespace swai::card {
namespace {

// Levels of card_trace.sv.
constexpr unsigned kAwakeAt = 0;
constexpr uint64_t kFunctionReset = 1 << 1;
constexpr uint64_t kLinkUp = 1 << 2;
constexpr uint64_t kPowerOnReset = 1 << 3;
constexpr unsigned kHbmBusyAt = 4;
constexpr unsigned kHbmAsleepAt = 8;
constexpr unsigned kDomainsAt = 16;
constexpr unsigned kStoppedAt = 32;

constexpr unsigned kDomains = 5;
// Cycles from a bit of the inbox that wakes the processor until it is awake.
constexpr uint64_t kMostToAwake = 16;
constexpr uint64_t kFaultBits = uint64_t{0xFFFF} << 48;

uint64_t field(uint64_t word, unsigned at) { return word >> at & 0xFFFF; }
uint64_t low(uint64_t word) { return word & 0xFFFF'FFFF; }

using enum EventTrack;

std::string name_of_cause(uint64_t cause) {
  static constexpr std::array kExceptions = {"instruction address misaligned",
                                             "instruction access fault",
                                             "illegal instruction",
                                             "breakpoint",
                                             "load address misaligned",
                                             "load access fault",
                                             "store address misaligned",
                                             "store access fault",
                                             "call from user mode",
                                             "call from supervisor mode",
                                             "exception 10",
                                             "call from machine mode",
                                             "instruction page fault",
                                             "load page fault",
                                             "exception 14",
                                             "store page fault"};
  const uint64_t code = cause & ~(uint64_t{1} << 63);
  if (cause >> 63 == 0)
    return code < kExceptions.size() ? kExceptions[code] : fmt::format("exception {}", code);
  switch (code) {
    case 1:
      return "supervisor software interrupt";
    case 3:
      return "machine software interrupt";
    case 5:
      return "supervisor timer interrupt";
    case 7:
      return "machine timer interrupt";
    case 9:
      return "supervisor external interrupt";
    case 11:
      return "machine external interrupt";
    default:
      return fmt::format("interrupt {}", code);
  }
}

const char* name_of_dma_error(uint64_t cause) {
  static constexpr std::array kNames = {
      "none",        "unsupported", "completer_abort", "poisoned_completion", "timeout",  "bad_completion",
      "ring_nobody", "ring_denied", "ring_poison",     "bad_descriptor",      "bad_tail", "no_bus_master"};
  static_assert(kNames.size() == regs::dma::error::kCauseNoBusMaster + 1);
  return cause < kNames.size() ? kNames[cause] : "unknown";
}

std::string name_of_work(unsigned bit) {
  if (bit < 32) return fmt::format("doorbell {}", bit);
  if (bit < 40) return fmt::format("DMA {}", bit - 32);
  if (bit < 44) return fmt::format("group {}", bit - 40);
  return bit < 48 ? fmt::format("bit {}", bit) : fmt::format("fault {}", bit - 48);
}

}  // namespace

CardEvents* CardEvents::current_ = nullptr;

std::optional<Trigger> Trigger::parse(const std::string& text) {
  using enum Kind;
  static const std::map<std::string, Kind> kKinds = {
      {"irq", kInterrupt}, {"doorbell", kDoorbell}, {"dma", kDma}, {"reset", kReset},
      {"fault", kFault},   {"launch", kLaunch},     {"pc", kPc}};
  const size_t at = text.find_first_of(":=");
  const auto kind = kKinds.find(text.substr(0, at));
  if (kind == kKinds.end()) return std::nullopt;
  Trigger result{kind->second, std::nullopt};
  const bool has_value = at != std::string::npos;
  if (has_value != (result.kind == kPc) &&
      (result.kind == kPc || result.kind == kReset || result.kind == kFault)) {
    return std::nullopt;
  }
  if (!has_value) return result;
  if (text[at] != (result.kind == kPc ? '=' : ':')) return std::nullopt;
  std::string_view digits = std::string_view(text).substr(at + 1);
  const bool hex = digits.starts_with("0x");
  if (hex) digits.remove_prefix(2);
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(digits.begin(), digits.end(), value, hex ? 16 : 10);
  if (error != std::errc() || end != digits.end()) return std::nullopt;
  result.value = value;
  return result;
}

CardEvents::CardEvents(unsigned card, unsigned groups, EventFile* file, std::function<uint64_t()> now)
    : card_(card), groups_(groups), file_(file), now_(std::move(now)) {
  if (file_ == nullptr) return;
  source_ = file_->add([this] { return this->now(); });
  host_source_ = file_->add([this] { return this->now(); });
}

CardEvents::~CardEvents() {
  record(false);
  if (file_ != nullptr) {
    file_->remove(source_);
    file_->remove(host_source_);
  }
  if (current_ == this) {
    current_ = nullptr;
    activity::tell = nullptr;
  }
}

void CardEvents::record(bool on) {
  if (file_ == nullptr || on == recording_) return;
  if (!on) {
    for (auto& under_way : descriptors_) under_way.clear();
    while (!open_.empty()) end(open_.begin()->first, {{"cut", 1}});
    to_doorbell_.clear();
    to_inbox_.clear();
    to_host_.clear();
    to_memory_.clear();
    to_awake_.clear();
    to_group_.reset();
    launches_ = {};
    cpes_ = {};
    for (auto& [track, value] : counts_) {
      if (value != 0) count(track, 0);
    }
  }
  if (on) describe(kProcess);
  recording_ = on;
  // A clock without makes it tell anew what is high.
  pause_ = on;
  levels_ = 0;
  if (!on) file_->flush();
}

void CardEvents::record_from_here() {
  origin_ = now_();
  record(true);
}

void CardEvents::arm(const Trigger& trigger, std::function<bool()> fire) {
  armed_ = trigger;
  fire_ = std::move(fire);
}

void CardEvents::fire() {
  if (fire_()) armed_.reset();
}

void CardEvents::look_for_trigger(EventKind kind, uint32_t unit, uint64_t a) {
  using enum Trigger::Kind;
  const bool mine = !armed_->value || *armed_->value == unit;
  switch (armed_->kind) {
    case kInterrupt:
      if (kind == EventKind::kInterrupt && mine) fire();
      break;
    case kDoorbell:
      if (kind == EventKind::kDoorbell && mine) fire();
      break;
    case kDma:
      if (kind == EventKind::kBegun && mine) fire();
      break;
    case kFault:
      if (kind == EventKind::kFailed || kind == EventKind::kPoison || kind == EventKind::kCpeFault ||
          (kind == EventKind::kInbox && (a & kFaultBits) != 0)) {
        fire();
      }
      break;
    case kReset: {
      constexpr uint64_t kAnyReset = kFunctionReset | kPowerOnReset | uint64_t{0x3FF} << kDomainsAt;
      if (kind == EventKind::kLevels && running_ && (a & ~levels_ & kAnyReset) != 0) fire();
      break;
    }
    case kLaunch:
      if (kind == EventKind::kLaunched && mine) fire();
      break;
    case kPc:
      break;
  }
}

void CardEvents::event(EventKind kind, uint32_t unit, uint64_t a, uint64_t b, uint64_t c) {
  if (armed_) look_for_trigger(kind, unit, a);
  if (kind == EventKind::kLevels) levels(a);
  if (!recording_) return;
  switch (kind) {
    case EventKind::kLevels:
      break;
    case EventKind::kBegun:
      descriptor_begins(unit, a, b, c);
      break;
    case EventKind::kEnded:
      descriptor_ends(unit, {});
      break;
    case EventKind::kFailed:
      instant(kDma + unit, "error", {{"cause", a, name_of_dma_error(a)}, {"address", b}}, {}, {});
      break;
    case EventKind::kDoorbell: {
      const uint64_t flow = new_flow();
      // Each that the host rang comes as one.
      Flows& rung = to_doorbell_[unit];
      Flows from;
      if (!rung.empty()) {
        from.push_back(rung.front());
        rung.erase(rung.begin());
      }
      instant(kDoorbells, fmt::format("doorbell {}", unit), {{"number", unit}}, {flow}, from);
      to_inbox_[unit].push_back(flow);
      break;
    }
    case EventKind::kWork:
      for (unsigned i = 0; i < kChannels; ++i) {
        if ((a >> i & 1) == 0) continue;
        const uint64_t flow = new_flow();
        instant(kDma + i, "work", {}, {flow}, {});
        to_inbox_[32 + i].push_back(flow);
      }
      break;
    case EventKind::kInbox:
      inbox(a);
      break;
    case EventKind::kInterrupt: {
      const uint64_t flow = new_flow();
      instant(kInterrupts, fmt::format("vector {}", unit), {{"vector", unit}}, {flow}, {});
      to_host_[unit].push_back({now(), flow});
      break;
    }
    case EventKind::kTrap:
      to_group_ = new_flow();
      instant(kMpe, name_of_cause(a), {{"cause", a}, {"pc", b}, {"value", c}}, {*to_group_}, {});
      break;
    case EventKind::kPoison:
      instant(kHbm + unit, "poisoned data", {{"line", a}}, {}, {});
      break;
    case EventKind::kPcieWindow:
      count(kPcie + 0, field(a, 48));
      count(kPcie + 1, 4 * field(a, 32));
      count(kPcie + 2, field(a, 16));
      count(kPcie + 3, 4 * field(a, 0));
      break;
    case EventKind::kRingWindow:
      for (unsigned i = 0; i < 3; ++i) count(kRing + 4 * unit + i, field(a, 32 - 16 * i));
      break;
    case EventKind::kHbmWindow:
      for (unsigned i = 0; i < 4; ++i) count(kHbmCounts + 8 * unit + i, field(a, 48 - 16 * i));
      for (unsigned i = 0; i < 3; ++i) count(kHbmCounts + 8 * unit + 4 + i, field(b, 32 - 16 * i));
      break;
    case EventKind::kRung: {
      const uint64_t flow = new_flow();
      launches_[unit].from_doorbell[static_cast<uint32_t>(a)] = flow;
      Flows from;
      if (to_group_) from.push_back(*std::exchange(to_group_, {}));
      instant(kGroup + unit, "doorbell", {{"launch", a}, {"pc", b >> 32}, {"argument", low(b)}}, {flow},
              from);
      break;
    }
    case EventKind::kLaunched:
      launch_begins(unit, a, b, c);
      break;
    case EventKind::kLaunchEnd:
      launch_ends(unit, a, b, c);
      break;
    case EventKind::kCpeFault:
      cpe_faults(unit, a, b, c);
      break;
    case EventKind::kDone:
      done_word(unit, a);
      break;
    case EventKind::kQueued:
      count(kCpeCounts + 8 * unit + 5, a);
      break;
    case EventKind::kCpeWindow:
      for (unsigned i = 0; i < 4; ++i) count(kCpeCounts + 8 * unit + i, field(a, 48 - 16 * i));
      count(kCpeCounts + 8 * unit + 4, field(b, 0));
      break;
  }
}

// --------------------------------------------------------------------------------------------------- engines

void CardEvents::levels(uint64_t now) {
  const uint64_t changed = now ^ levels_;
  levels_ = now;
  running_ = running_ || (now & kPowerOnReset) == 0;
  if (!recording_) return;
  const auto slice = [&](unsigned bit, unsigned track, const char* name) {
    if ((changed >> bit & 1) == 0) return;
    if ((now >> bit & 1) != 0) {
      begin(track, name, {});
    } else {
      end(track, {});
    }
  };
  if ((changed & now & uint64_t{1} << kAwakeAt) != 0) {
    awakes();
  } else {
    slice(kAwakeAt, kMpe, "awake");
  }
  // Both at once never last: the one that ends goes first.
  for (unsigned g = 0; g < groups_; ++g) {
    const uint64_t busy = uint64_t{1} << (kHbmBusyAt + g);
    const uint64_t asleep = uint64_t{1} << (kHbmAsleepAt + g);
    if (((changed & (busy | asleep))) == 0) continue;
    end(kHbm + g, {});
    if ((now & asleep) != 0) {
      begin(kHbm + g, "self-refresh", {});
    } else if ((now & busy) != 0) {
      begin(kHbm + g, "busy", {});
    }
  }
  for (unsigned i = 0; i < kDomains; ++i) {
    if ((changed >> (kDomainsAt + 2 * i) & 3) != 0) domain(i, now >> (kDomainsAt + 2 * i) & 3);
  }
  const auto instant_of = [&](uint64_t bit, const char* rises, const char* falls) {
    if ((changed & bit) != 0) instant(kResets, (now & bit) != 0 ? rises : falls, {}, {}, {});
  };
  instant_of(kPowerOnReset, "power-on reset", "power-on reset ends");
  instant_of(kLinkUp, "link up", "link down");
  instant_of(kFunctionReset, "function reset", "function reset ends");
  if ((changed & now & kFunctionReset) != 0) {
    to_doorbell_.clear();
    to_host_.clear();
    to_memory_.clear();
  }
  for (unsigned i = 0; i < kChannels; ++i) {
    if ((changed & now & uint64_t{1} << (kStoppedAt + i)) == 0) continue;
    // What these had not moved does not arrive.
    std::erase_if(to_memory_, [&](const auto& transfer) {
      return std::ranges::any_of(descriptors_[i], [&](const Descriptor& stopped) {
        return std::ranges::find(stopped.data, transfer.second.flow) != stopped.data.end();
      });
    });
    while (!descriptors_[i].empty()) descriptor_ends(i, {{"stopped", 1}});
  }
}

void CardEvents::awakes() {
  Flows from;
  for (const Sent& bit : std::exchange(to_awake_, {}))
    if (now() - bit.time <= kMostToAwake) from.push_back(bit.flow);
  to_group_ = new_flow();
  begin(kMpe, "awake", {}, {*to_group_}, from);
}

// As soc_domain counts its states.
void CardEvents::domain(unsigned number, unsigned state) {
  const std::string who = number == 0 ? "management complex" : fmt::format("group {}", number - 1);
  static constexpr std::array kStates = {"runs", "is drained", "reset"};
  if (state < kStates.size()) instant(kResets, who + ": " + kStates[state], {}, {}, {});
  if (state != 2) return;
  if (number == 0) {
    to_inbox_.clear();
  } else {
    end(kGroup + number - 1, {{"reset", 1}});
    launches_[number - 1] = {};
  }
}

// The lowest lane that is free; the first is the channel's track itself.
void CardEvents::descriptor_begins(unsigned channel, uint64_t host, uint64_t tag_length, uint64_t card) {
  std::deque<Descriptor>& under_way = descriptors_[channel];
  unsigned lane = 0;
  const auto track_of = [channel](unsigned lane) {
    return lane == 0 ? kDma + channel : kDmaLanes + kLanes * channel + lane;
  };
  while (std::ranges::find(under_way, track_of(lane), &Descriptor::track) != under_way.end()) ++lane;
  const unsigned track = track_of(lane);
  const bool to_host = card >> 63 != 0;
  const uint64_t bytes = low(tag_length);
  Flows out;
  if (to_host && bytes != 0) {
    out.push_back(new_flow());
    to_memory_.insert({host + bytes, {bytes, out.back()}});
  }
  under_way.push_back({track, out});
  begin(track, to_host ? "card to host" : "host to card",
        {{"bytes", bytes}, {"host", host}, {"card", card & ~(uint64_t{1} << 63)}, {"tag", tag_length >> 32}},
        out);
}

void CardEvents::descriptor_ends(unsigned channel, const Arguments& arguments) {
  if (descriptors_[channel].empty()) return;  // it began before the recording
  end(descriptors_[channel].front().track, arguments);
  descriptors_[channel].pop_front();
}

void CardEvents::inbox(uint64_t bits) {
  const bool is_awake = (levels_ >> kAwakeAt & 1) != 0;
  for (unsigned i = 0; i < 64; ++i) {
    if ((bits >> i & 1) == 0) continue;
    Flows out;
    if (!is_awake) {
      out.push_back(new_flow());
      to_awake_.push_back({now(), out.back()});
    }
    instant(kInbox, name_of_work(i), {{"bit", i}}, out, std::exchange(to_inbox_[i], {}));
  }
}

// A launch that ends at once begins and ends, too.
void CardEvents::launch_begins(unsigned group, uint64_t number, uint64_t what, uint64_t who) {
  Launches& launches = launches_[group];
  const auto key = static_cast<uint32_t>(number);
  Flows in;
  if (const auto rung = launches.from_doorbell.extract(key)) in.push_back(rung.mapped());
  const uint64_t flow = new_flow();
  launches.to_done[key] = flow;
  launches.name = kernel_name(field(who, 16), what >> 32);
  launches.number = number;
  begin(kGroup + group, launches.name,
        {{"number", number},
         {"pc", what >> 32},
         {"argument", low(what)},
         {"mask", who >> 32},
         {"code segment", field(who, 16)},
         {"argument segment", field(who, 0)}},
        {flow}, in);
}

void CardEvents::launch_ends(unsigned group, uint64_t number, uint64_t cycles, uint64_t how) {
  Arguments arguments = {{"cycles", low(cycles)}, {"waited", cycles >> 32}, {"failed", how >> 2 & 1}};
  if ((how >> 1 & 1) != 0) arguments.push_back({"watchdog", 1});
  if ((how & 1) != 0) launches_[group].notify.insert(static_cast<uint32_t>(number));
  end(kGroup + group, arguments);
}

void CardEvents::cpe_faults(unsigned group, uint64_t what, uint64_t where, uint64_t offset) {
  instant(kGroup + group, launch::text(static_cast<launch::Cause>(what >> 8 & 0x1F)),
          {{"cpe", what & 0x1F},
           {"pc", low(where)},
           {"access", 0, launch::text(static_cast<launch::Access>(what >> 6 & 3))},
           {"dma", what >> 5 & 1},
           {"segment", where >> 32},
           {"offset", offset}},
          {}, {});
}

// It speaks for all launches before it, too.
void CardEvents::done_word(unsigned group, uint64_t word) {
  Launches& launches = launches_[group];
  const launch::Done done = launch::decode_done(word);
  const auto ended = [&](uint32_t number) { return static_cast<int32_t>(done.sequence - number) >= 0; };
  Flows in;
  std::erase_if(launches.to_done, [&](const auto& waiting) {
    if (!ended(waiting.first)) return false;
    in.push_back(waiting.second);
    return true;
  });
  Flows out;
  if (std::erase_if(launches.notify, ended) != 0) {
    out.push_back(new_flow());
    to_inbox_[40 + group].push_back(out.back());
  }
  instant(kInbox, fmt::format("done {}", group),
          {{"number", done.sequence}, {"failed", done.failed}, {"cycles", done.cycles}}, out, in);
}

void CardEvents::host_doorbell(uint64_t time, unsigned number) {
  if (!recording_) return;
  const uint64_t flow = new_flow();
  host_time_ = since_origin(time);
  instant(kHost, fmt::format("doorbell {}", number), {{"number", number}}, {flow}, {});
  host_time_.reset();
  to_doorbell_[number].push_back(flow);
}

void CardEvents::host_interrupt(uint64_t time, uint64_t sent, unsigned vector) {
  if (!recording_) return;
  Flows flows;
  for (auto& waiting = to_host_[vector]; !waiting.empty() && waiting.front().time < since_origin(sent);
       waiting.pop_front()) {
    flows.push_back(waiting.front().flow);
  }
  host_time_ = since_origin(time);
  instant(kHost, fmt::format("vector {}", vector), {{"vector", vector}}, {}, flows);
  host_time_.reset();
}

void CardEvents::host_data(uint64_t time, uint64_t end) {
  if (!recording_) return;
  const auto transfer = to_memory_.find(end);
  if (transfer == to_memory_.end()) return;
  host_time_ = since_origin(time);
  instant(kHost, "data", {{"bytes", transfer->second.bytes}, {"end", end}}, {}, {transfer->second.flow});
  host_time_.reset();
  to_memory_.erase(transfer);
}

}  // namespace swai::card

extern "C" void swai_card_event(unsigned kind, unsigned unit, unsigned long long a, unsigned long long b,
                                unsigned long long c) {
  if (auto* events = swai::card::CardEvents::current()) {
    events->event(static_cast<swai::card::EventKind>(kind), unit, a, b, c);
  }
}
