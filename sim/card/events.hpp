// SPDX-License-Identifier: Apache-2.0
// What happens inside a card (card_trace.sv tells it) as tracks, slices, counters and flows of a Perfetto
// trace; and triggers on it. See docs/simulate/trace.md for what a trace shows.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "host/lib/events_file.hpp"
#include "sim/seam/activity.hpp"

namespace swai::card {

using events::EventFile;
using events::Message;

// What begins a window of waves: KIND, KIND:N or pc=ADDR.
struct Trigger {
  enum class Kind { kInterrupt, kDoorbell, kDma, kReset, kFault, kLaunch, kPc };
  Kind kind = Kind::kInterrupt;
  std::optional<uint64_t> value;  // vector, doorbell, channel, group or address; none: any

  static std::optional<Trigger> parse(const std::string& text);
};

// As in card_trace.sv.
enum class EventKind : uint32_t {
  kLevels,
  kBegun,
  kEnded,
  kFailed,
  kDoorbell,
  kWork,
  kInbox,
  kInterrupt,
  kTrap,
  kPoison,
  kPcieWindow,
  kRingWindow,
  kHbmWindow,
  kRung,
  kLaunched,
  kLaunchEnd,
  kCpeFault,
  kDone,
  kQueued,
  kCpeWindow,
};

// Tracks of a card.
enum EventTrack : unsigned {
  kProcess = 0,
  kHost = 1,
  kMpe = 2,
  kInbox = 3,
  kDoorbells = 4,
  kInterrupts = 5,
  kResets = 6,
  kDma = 8,
  kHbm = 16,
  kGroup = 20,
  kDmaLanes =
      32,  // kLanes of each channel, for descriptors that overlap; the first is the channel's own track
  kCounters = 64,
  kPcie = kCounters,
  kRing = 72,        // four of each node
  kHbmCounts = 96,   // eight of each group
  kCpeCounts = 128,  // eight of each group
  kCpes = 1024,      // kCpeTracks of each CPE
};
inline constexpr unsigned kChannels = 8;
inline constexpr unsigned kLanes = 4;
inline constexpr unsigned kGroups = 4;
inline constexpr unsigned kCpesOfGroup = 32;

// Of a CPE: its launches, what its core waits for, and when its engines work (activity::Engine).
enum CpeTrack : unsigned { kCpeLaunch, kCpeScalar, kCpeEngine, kCpeTracks = 8 };
static_assert(kCpeEngine + activity::kEngines <= kCpeTracks);
std::string cpe_track_name(unsigned track);

class CardEvents {
 public:
  // `file` may be null: then nothing is recorded. `now` is the card's time.
  CardEvents(unsigned card, unsigned groups, EventFile* file, std::function<uint64_t()> now);
  ~CardEvents();
  CardEvents(const CardEvents&) = delete;
  CardEvents& operator=(const CardEvents&) = delete;

  // To be called before each clock of the card: what is told now comes from it. Whether it shall tell.
  bool clock() {
    current_ = this;
    const bool tells = !pause_ && (recording_ || armed_);
    pause_ = false;
    activity::tell = tells && recording_ ? tell_activity : nullptr;
    return tells;
  }

  // Begins and ends recording; what is going on at the end gets an end.
  void record(bool on);
  // Begins it, and the trace's time with it.
  void record_from_here();
  bool has_file() const { return file_ != nullptr; }
  EventFile& file() { return *file_; }

  // `fire` is called when the trigger comes, until it returns true.
  void arm(const Trigger& trigger, std::function<bool()> fire);
  void retired(uint64_t pc) {
    if (armed_ && armed_->kind == Trigger::Kind::kPc && pc == armed_->value) fire();
  }

  // What the host does, and what arrives there, at its time, which may be ahead of the card's. What the card
  // has sent before `sent` can be what arrives.
  void host_doorbell(uint64_t time, unsigned number);
  void host_interrupt(uint64_t time, uint64_t sent, unsigned vector);
  // Data, the last byte of which lies before this bus address.
  void host_data(uint64_t time, uint64_t end);

  // What card_trace.sv tells.
  void event(EventKind kind, uint32_t unit, uint64_t a, uint64_t b, uint64_t c);
  static CardEvents* current() { return current_; }
  static void tell_activity(unsigned cpe, unsigned word, const uint32_t* counts);

  // Launches of this kernel have its name then. The key: code segment above, pc. Names come in parts.
  static uint64_t kernel_key(uint64_t segment, uint64_t pc) { return segment << 32 | pc; }
  void name_kernel(uint64_t key, std::string_view part, bool first);
  std::string kernel_name(uint64_t segment, uint64_t pc) const;

 private:
  struct Argument {
    const char* name;
    uint64_t value;
    const char* text = nullptr;  // instead of a number
  };
  using Arguments = std::vector<Argument>;
  using Flows = std::vector<uint64_t>;

  void look_for_trigger(EventKind kind, uint32_t unit, uint64_t a);
  void fire();

  void levels(uint64_t now);
  void awakes();
  void domain(unsigned number, unsigned state);
  void descriptor_begins(unsigned channel, uint64_t host, uint64_t tag_length, uint64_t card);
  void descriptor_ends(unsigned channel, const Arguments& arguments);
  void inbox(uint64_t bits);
  void launch_begins(unsigned group, uint64_t number, uint64_t what, uint64_t who);
  void launch_ends(unsigned group, uint64_t number, uint64_t cycles, uint64_t how);
  void cpe_faults(unsigned group, uint64_t what, uint64_t where, uint64_t offset);
  void done_word(unsigned group, uint64_t word);
  void trap(uint64_t cause, uint64_t pc, uint64_t value);
  void count(unsigned track, uint64_t value);

  // What a CPE does, and has done in its launch.
  struct Cpe {
    activity::Activity activity;
    uint64_t since = 0;
    std::array<uint32_t, activity::kCounts> counts{};  // at its beginning
    std::array<uint32_t, activity::kCounts> last{};    // as they were told last
    std::array<uint64_t, activity::kStates> states{};  // cycles
    std::array<uint64_t, activity::kEngines> busy{};
    std::array<std::array<uint64_t, activity::kStates>, activity::kEngines>
        idle{};  // while the core does what
  };
  void cpe_activity(unsigned cpe, activity::Activity now,
                    std::span<const uint32_t, activity::kCounts> counts);
  void cpe_ends(unsigned track, const Cpe& own);

  // Of the trace.
  uint64_t now() const { return since_origin(now_()); }
  uint64_t since_origin(uint64_t time) const { return time < origin_ ? 0 : time - origin_; }
  uint64_t uuid(unsigned track) const { return uint64_t{card_ + 1} << 16 | track; }
  void put(unsigned field, const Message& message);
  void describe(unsigned track);
  bool room();
  void add(Message& event, const Arguments& arguments);
  void begin(unsigned track, const std::string& name, const Arguments& arguments, const Flows& out = {},
             const Flows& in = {});
  void end(unsigned track, const Arguments& arguments);
  void instant(unsigned track, const std::string& name, const Arguments& arguments, const Flows& out,
               const Flows& in);
  uint64_t new_flow() { return uint64_t{card_ + 1} << 48 | ++flows_; }

  static CardEvents* current_;

  unsigned card_;
  unsigned groups_;
  EventFile* file_;
  std::function<uint64_t()> now_;
  uint64_t origin_ = 0;  // in the card's time
  unsigned source_ = 0;
  unsigned host_source_ = 0;
  std::optional<uint64_t> host_time_;  // what is being written is the host's
  bool recording_ = false;
  bool pause_ = false;
  std::optional<Trigger> armed_;
  std::function<bool()> fire_;

  uint64_t levels_ = 0;
  bool running_ = false;  // the card has been out of reset
  std::set<unsigned> described_;
  std::map<unsigned, bool> open_;  // slices by track: whether the beginning was taken
  std::map<unsigned, uint64_t> counts_;
  struct Descriptor {
    unsigned track = 0;
    Flows data;  // to the host's memory
  };
  std::array<std::deque<Descriptor>, 8> descriptors_;  // those under way, the oldest first
  uint64_t flows_ = 0;
  std::map<unsigned, Flows> to_doorbell_, to_inbox_;
  struct Sent {
    uint64_t time = 0;
    uint64_t flow = 0;
  };
  std::map<unsigned, std::deque<Sent>> to_host_;
  // Descriptors to the host whose data are not there yet, by the bus address where these end.
  struct Transfer {
    uint64_t bytes = 0;
    uint64_t flow = 0;
  };
  std::multimap<uint64_t, Transfer> to_memory_;
  // From what made the processor run last, a trap or its waking, until it rings a group's doorbell.
  std::optional<uint64_t> to_group_;
  std::vector<Sent> to_awake_;  // from bits of the inbox, while it sleeps
  // Of each group, by the launch's number: from doorbells, to done words; and who sets a bit after that.
  struct Launches {
    std::map<uint32_t, uint64_t> from_doorbell, to_done;
    std::set<uint32_t> notify;
    std::string name = "launch";  // of the one that runs
    uint64_t number = 0;
  };
  std::array<Launches, kGroups> launches_;
  std::array<Cpe, kGroups * kCpesOfGroup> cpes_;
  std::map<uint64_t, std::string> kernels_;
};

}  // namespace swai::card
