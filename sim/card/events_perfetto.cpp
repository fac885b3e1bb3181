// SPDX-License-Identifier: Apache-2.0
// How the events of a card are written: packets of Perfetto's TrackEvent format.
#include <fmt/format.h>

#include <array>

#include "abi/trace/track_event.hpp"
#include "sim/card/events.hpp"

namespace swai::card {

using namespace events::fields;

namespace {

Message event_on(uint64_t track, unsigned type) {
  Message result;
  result.number(event::kType, type).number(event::kTrack, track);
  return result;
}

// Of counters. They count what happened in the 256 clocks before; but launches that wait, which are told at
// once.
struct Counter {
  std::string name;
  uint64_t unit;
};

Counter counter_of(unsigned track) {
  static constexpr std::array kPcieNames = {"PCIe in packets", "PCIe in payload", "PCIe out packets",
                                            "PCIe out payload"};
  static constexpr std::array kRingNames = {"injected", "ejected", "stalled"};
  static constexpr std::array kHbmNames = {"reads",       "writes",    "atomics",  "row hits",
                                           "rows opened", "conflicts", "refreshes"};
  if (track < kRing) {
    const unsigned which = track - kPcie;
    return {kPcieNames[which], which % 2 == 1 ? counter::kBytes : counter::kCount};
  }
  if (track < kHbmCounts) {
    const unsigned node = (track - kRing) / 4;
    const std::string who = node == 0 ? "MPE" : node == 1 ? "PCIe" : fmt::format("group {}", node - 2);
    return {fmt::format("ring {} {}", who, kRingNames[(track - kRing) % 4]), counter::kCount};
  }
  if (track >= kCpeCounts) {
    static constexpr std::array kCpeNames = {"CPE clocks",     "CPE reads",   "CPE writes",
                                             "segment misses", "code misses", "launches queued"};
    const unsigned which = track - kCpeCounts;
    return {fmt::format("group {} {}", which / 8, kCpeNames[which % 8]), counter::kCount};
  }
  const unsigned which = track - kHbmCounts;
  return {fmt::format("HBM {} {}", which / 8, kHbmNames[which % 8]), counter::kCount};
}

std::string thread_of(unsigned track) {
  switch (track) {
    case kHost:
      return "host";
    case kMpe:
      return "MPE";
    case kInbox:
      return "inbox";
    case kDoorbells:
      return "doorbells";
    case kInterrupts:
      return "interrupts";
    case kResets:
      return "resets";
    default:
      if (track >= kGroup) return fmt::format("group {}", track - kGroup);
      return track < kHbm ? fmt::format("DMA {}", track - kDma) : fmt::format("HBM {}", track - kHbm);
  }
}

}  // namespace

void CardEvents::put(unsigned field, const Message& message) {
  const uint64_t now = host_time_ ? *host_time_ : this->now();
  Message result;
  result.number(packet::kTimestamp, now)
      .number(packet::kSequence, 2 * (card_ + 1) + (host_time_ ? 1 : 0))
      .nested(field, message);
  file_->put(host_time_ ? host_source_ : source_, now, result);
}

// A track is described before the first event on it.
void CardEvents::describe(unsigned track) {
  if (!described_.insert(track).second) return;
  const unsigned pid = card_ + 1;
  Message result;
  result.number(descriptor::kUuid, uuid(track));
  if (track == kProcess) {
    Message about;
    about.number(process::kPid, pid).text(process::kName, fmt::format("card {}", card_));
    result.nested(descriptor::kProcess, about);
  } else {
    describe(kProcess);
    if (track >= kCpes) {
      const unsigned whole = track - (track - kCpes) % kCpeTracks;
      if (track != whole) describe(whole);
      result.number(descriptor::kParent, uuid(track == whole ? unsigned{kProcess} : whole))
          .text(descriptor::kName, cpe_track_name(track));
    } else if (track >= kCounters) {
      const Counter about = counter_of(track);
      result.number(descriptor::kParent, uuid(kProcess)).text(descriptor::kName, about.name);
      result.nested(descriptor::kCounter, Message().number(counter::kUnit, about.unit));
    } else if (track >= kDmaLanes) {
      const unsigned channel = (track - kDmaLanes) / kLanes;
      describe(kDma + channel);
      result.number(descriptor::kParent, uuid(kDma + channel))
          .text(descriptor::kName, thread_of(kDma + channel));
    } else {
      const std::string name = thread_of(track);
      Message about;
      about.number(thread::kPid, pid).number(thread::kTid, 100 * pid + track).text(thread::kName, name);
      result.number(descriptor::kParent, uuid(kProcess)).nested(descriptor::kThread, about);
    }
  }
  put(packet::kTrackDescriptor, result);
}

bool CardEvents::room() {
  if (file_->room()) return true;
  file_->drop();
  return false;
}

void CardEvents::add(Message& event, const Arguments& arguments) {
  for (const Argument& argument : arguments) {
    Message about;
    about.text(annotation::kName, argument.name);
    if (argument.text != nullptr) {
      about.text(annotation::kText, argument.text);
    } else {
      about.number(annotation::kUint, argument.value);
    }
    event.nested(event::kAnnotation, about);
  }
}

void CardEvents::begin(unsigned track, const std::string& name, const Arguments& arguments, const Flows& out,
                       const Flows& in) {
  const bool taken = room();
  open_[track] = taken;
  if (!taken) return;
  describe(track);
  Message message = event_on(uuid(track), event::kBegin);
  message.text(event::kName, name);
  add(message, arguments);
  for (const uint64_t flow : out) message.fixed(event::kFlow, flow);
  for (const uint64_t flow : in) message.fixed(event::kFlowEnds, flow);
  put(packet::kTrackEvent, message);
}

// What has begun always gets its end.
void CardEvents::end(unsigned track, const Arguments& arguments) {
  const auto slice = open_.find(track);
  if (slice == open_.end()) return;
  if (slice->second) {
    Message message = event_on(uuid(track), event::kEnd);
    add(message, arguments);
    put(packet::kTrackEvent, message);
  }
  open_.erase(slice);
}

void CardEvents::instant(unsigned track, const std::string& name, const Arguments& arguments,
                         const Flows& out, const Flows& in) {
  if (!room()) return;
  describe(track);
  Message message = event_on(uuid(track), event::kInstant);
  message.text(event::kName, name);
  add(message, arguments);
  for (const uint64_t flow : out) message.fixed(event::kFlow, flow);
  for (const uint64_t flow : in) message.fixed(event::kFlowEnds, flow);
  put(packet::kTrackEvent, message);
}

void CardEvents::count(unsigned track, uint64_t value) {
  uint64_t& last = counts_[track];
  if (last == value || !room()) return;
  last = value;
  describe(track);
  put(packet::kTrackEvent, event_on(uuid(track), event::kCounter).number(event::kCounterValue, value));
}

}  // namespace swai::card
