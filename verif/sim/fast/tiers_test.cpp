// SPDX-License-Identifier: Apache-2.0
// The differ: random command programs and random kernels on the smallest card, in RTL and as a functional
// model. Both get the same from the same host; what they leave is compared bit for bit, and so is what each
// stream says of itself. The first difference is shown with both sides.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>
#include <variant>

#include "abi/kernel_arguments.hpp"
#include "sim/common/random.hpp"
#include "verif/kit/doctest_main.hpp"
#include "verif/sim/fast/group_job.hpp"
#include "verif/system/mpe_proxy.hpp"
#include "verif/system/rig.hpp"
#include "verif/system/runtime_client.hpp"

namespace swai::system {
namespace {

// How many; `make test-long` wants more.
unsigned programs() {
  const char* const wish = std::getenv("SWAI_PROGRAMS");
  return wish != nullptr ? static_cast<unsigned>(std::atoi(wish)) : 100;
}

// Rigs take tier and image from the environment.
class Setting {
 public:
  Setting(const char* name, const std::string& value) : name_(name) {
    if (const char* const old = std::getenv(name)) old_ = old;
    ::setenv(name, value.c_str(), 1);
  }
  ~Setting() { old_ ? ::setenv(name_, old_->c_str(), 1) : ::unsetenv(name_); }
  Setting(const Setting&) = delete;
  Setting& operator=(const Setting&) = delete;

 private:
  const char* name_;
  std::optional<std::string> old_;
};

// A booted card of a tier, and its host.
struct Side {
  std::string tier;
  Setting kind;
  Setting image;
  Rig rig;
  std::unique_ptr<link::Card> card;

  Side(const std::string& name, const std::string& flash)
      : tier(name),
        kind("SWAI_TIER", name),
        image("SWAI_FLASH", flash),
        rig({.program = "build/swai-card-tiny"}),
        card(rig.open()) {}
};
struct Both {
  Side rtl;
  Side fast;
  explicit Both(const std::string& flash) : rtl("rtl", flash), fast("fast", flash) {}
};

// Some bytes, and where the first differs.
std::string difference(std::span<const uint8_t> rtl, std::span<const uint8_t> fast) {
  if (rtl.size() == fast.size() && std::memcmp(rtl.data(), fast.data(), rtl.size()) == 0) return "";
  const auto at = static_cast<size_t>(std::ranges::mismatch(rtl, fast).in1 - rtl.begin());
  const auto some = [at](std::span<const uint8_t> bytes) {
    const std::span<const uint8_t> few = bytes.subspan(at, std::min<size_t>(16, bytes.size() - at));
    return fmt::format("{:02x}", fmt::join(few, " "));
  };
  return fmt::format("from byte {:#x} on\n  rtl:  {}\n  fast: {}", at, some(rtl), some(fast));
}

// ------------------------------------------------------------------------------------------ command programs

constexpr unsigned kStreams = 3;
constexpr unsigned kBuffers = 6;
constexpr uint64_t kBufferBytes = 16 << 10;
// Of the host's memory: what goes to the card, what each stream brings back, all buffers at the end.
constexpr uint64_t kSource = 0;
constexpr uint64_t kSourceBytes = 64 << 10;
constexpr uint64_t kBack = 128 << 10;
constexpr uint64_t kBackBytes = 32 << 10;
constexpr uint64_t kEnd = 256 << 10;

struct Launched {
  cpe::CopyArgs arguments;
  uint32_t mask;
};
struct Step {
  unsigned stream;
  command::Type type;
  std::variant<command::Copy, command::CopyDevice, command::Fill, command::Event, command::Header, Launched>
      is;
};

// What a program needs of a card, which is the same on both.
struct Things {
  std::array<uint64_t, kBuffers> buffers{};
  std::array<unsigned, kStreams> streams{};
  unsigned module = 0;
  unsigned kernel = 0;
  bool operator==(const Things&) const = default;
};

// A stream owns buffers, and hands them over with an event that the other one waits for.
class Program {
 public:
  Program(const Things& things, uint64_t seed) : things_(things), random_(seed) {
    for (unsigned i = 0; i < kBuffers; ++i) owner_[i] = i % kStreams;
    for (uint64_t count = random_.between(4, 14); count != 0; --count) add();
    for (unsigned stream = 0; stream < kStreams; ++stream) {
      if (random_.chance(15)) fail(stream);
    }
  }
  const std::vector<Step>& steps() const { return steps_; }

 private:
  struct Piece {
    uint64_t at;
    uint64_t bytes;
  };
  std::optional<Piece> some(unsigned stream, uint64_t most) {
    std::vector<unsigned> own;
    for (unsigned i = 0; i < kBuffers; ++i) {
      if (owner_[i] == stream) own.push_back(i);
    }
    if (own.empty()) return std::nullopt;
    const uint64_t bytes = random_.between(1, most);
    const uint64_t buffer = things_.buffers[own[random_.below(own.size())]];
    return Piece{buffer + random_.below(kBufferBytes - bytes + 1), bytes};
  }

  void add() {
    const auto stream = static_cast<unsigned>(random_.below(kStreams));
    const auto to = some(stream, 4000);
    const auto from = some(stream, 4000);
    if (!to) return hand_over(stream);
    const auto rows = static_cast<uint32_t>(random_.chance(70) ? 1 : random_.between(2, 5));
    const uint64_t row = rows == 1 ? to->bytes : std::min<uint64_t>(to->bytes, 500);
    // Rows of a buffer must end in it.
    const uint64_t pitch = row + random_.below(40);
    const uint64_t first = buffer_of(to->at);
    const uint64_t at = rows == 1 ? to->at : first + random_.below(kBufferBytes - rows * pitch + 1);
    switch (random_.below(7)) {
      case 0:
      case 1: {
        const bool back = random_.chance(40);
        const uint64_t room = back ? kBackBytes : kSourceBytes;
        const uint64_t host =
            (back ? kBack + stream * kBackBytes : kSource) + random_.below(room - rows * pitch + 1);
        return put(
            stream, command::Type::kCopy,
            command::Copy{{}, RuntimeClient::kHostAt + host, at, row, rows, back ? 1U : 0U, pitch, pitch});
      }
      case 2: {
        // Not onto itself: who reads first is nobody's business.
        const uint64_t bytes = std::min(to->bytes, from->bytes);
        if (from->at < to->at + bytes && to->at < from->at + bytes) return;
        const auto engine = static_cast<command::Engine>(random_.below(3));
        return put(stream, command::Type::kCopyDevice,
                   command::CopyDevice{{}, to->at, from->at, bytes, 1, engine, bytes, bytes});
      }
      case 3:
        return put(stream, command::Type::kFill,
                   command::Fill{{}, at, row, rows, static_cast<uint32_t>(random_.below(256)), pitch});
      case 4:
        return hand_over(stream);
      case 5:
        return put(stream, command::Type::kMarker, command::Header{});
      default: {
        const uint64_t bytes = std::min(to->bytes, from->bytes);
        if (from->at < to->at + bytes && to->at < from->at + bytes) return;
        return put(stream, command::Type::kLaunch,
                   Launched{{cpe::GlobalPtr<void>(to->at), cpe::GlobalPtr<const void>(from->at),
                             static_cast<uint32_t>(bytes), 0},
                            static_cast<uint32_t>(random_.between(1, 15))});
      }
    }
  }

  uint64_t buffer_of(uint64_t pointer) const {
    return *std::ranges::find_if(things_.buffers, [&](uint64_t one) { return pointer - one < kBufferBytes; });
  }

  void hand_over(unsigned to) {
    const auto buffer = random_.below(kBuffers);
    if (owner_[buffer] == to) return;
    const auto event = static_cast<uint32_t>(events_++);
    put(owner_[buffer], command::Type::kEventRecord, command::Event{{}, event, 0, 0});
    // Counted from now on: `count` becomes the number of times in all when the program runs.
    put(to, command::Type::kEventWait, command::Event{{}, event, 0, 1});
    owner_[buffer] = to;
  }

  // A command that cannot be done, as the stream's last.
  void fail(unsigned stream) {
    if (random_.chance(50)) {
      put(stream, command::Type::kFill, command::Fill{{}, uint64_t{1} << 45, 64, 1, 0, 64});
    } else {
      put(stream, command::Type::kEventRecord, command::Event{{}, 60'000, 0, 0});
    }
    failing_[stream] = true;
  }

  template <typename Command>
  void put(unsigned stream, command::Type type, const Command& command) {
    if (!failing_[stream]) steps_.push_back({stream, type, command});
  }

  const Things& things_;
  verif::Random random_;
  std::array<unsigned, kBuffers> owner_{};
  std::array<bool, kStreams> failing_{};
  unsigned events_ = 0;
  std::vector<Step> steps_;
};

std::string text(const Step& step) {
  const std::string head = fmt::format("stream {}: ", step.stream);
  const auto say = [&](const auto& it) -> std::string {
    using Command = std::decay_t<decltype(it)>;
    if constexpr (std::is_same_v<Command, command::Copy>) {
      return fmt::format("copy {} {} x {} bytes, card {:#x}, host {:#x}, pitches {} {}",
                         it.to_host ? "back" : "there", it.rows, it.bytes, it.device, it.host,
                         it.device_pitch, it.host_pitch);
    } else if constexpr (std::is_same_v<Command, command::CopyDevice>) {
      return fmt::format("copy on the card {} bytes, {:#x} from {:#x}, engine {}", it.bytes, it.to, it.from,
                         static_cast<unsigned>(it.engine));
    } else if constexpr (std::is_same_v<Command, command::Fill>) {
      return fmt::format("fill {} x {} bytes at {:#x} with {}, pitch {}", it.rows, it.bytes, it.to, it.value,
                         it.pitch);
    } else if constexpr (std::is_same_v<Command, command::Event>) {
      return fmt::format("event {}{}", it.event, it.count != 0 ? ", wait for it" : "");
    } else if constexpr (std::is_same_v<Command, Launched>) {
      return fmt::format("launch a copy of {} bytes, {:#x} from {:#x}, mask {:#x}", it.arguments.bytes,
                         it.arguments.to.bits(), it.arguments.from.bits(), it.mask);
    } else {
      return "marker";
    }
  };
  return head + std::visit(say, step.is);
}

// What a stream says at the end; not when, and not of what happened on the way.
std::string text(const protocol::QueueStatus& it) {
  return fmt::format("complete {}, status {}, failed {}, detail {} {} {:#x} {:#x}, value {} of {}",
                     it.completed, protocol::text(it.status), it.failed, it.detail, it.detail_cpe,
                     it.detail_address, it.detail_pc, it.value, it.value_sequence);
}

class CommandSide {
 public:
  explicit CommandSide(link::Card& card) : client(card) {
    client.attach();
    for (uint64_t& buffer : things.buffers) buffer = client.allocate(kBufferBytes);
    for (unsigned& stream : things.streams) stream = client.open_queue();
    loaded = client.load(things.streams[0], "copy");
    things.module = loaded.handle;
    things.kernel = loaded.kernel("copy");
  }

  // Runs a program on random data; what its streams say.
  std::vector<std::string> run(const Program& program, uint64_t seed) {
    verif::Random random(seed);
    std::memset(client.host(), 0, RuntimeClient::kHostBytes);
    for (uint64_t at = 0; at < kSourceBytes; at += 8) {
      const uint64_t word = random.next();
      std::memcpy(client.host() + kSource + at, &word, sizeof word);
    }
    std::array<uint32_t, kStreams> last{};
    std::vector<uint64_t> counts;
    for (const Step& step : program.steps()) last[step.stream] = put(step, counts);
    std::vector<std::string> said;
    for (unsigned i = 0; i < kStreams; ++i) {
      const unsigned queue = things.streams[i];
      if (last[i] != 0 && !client.wait(queue, last[i])) {
        said.push_back(fmt::format("stream {} does not end: {}", i, text(client.line(queue))));
        continue;
      }
      said.push_back(fmt::format("stream {}: {}", i, text(client.line(queue))));
      if (client.line(queue).status != protocol::Status::kOk) client.reset_queue(queue);
    }
    for (size_t event = 0; event < counts.size(); ++event) {
      said.push_back(
          fmt::format("event {}: {} times", event, client.event(static_cast<unsigned>(event)).count));
    }
    said.push_back(order(program));
    uint32_t back = 0;
    for (unsigned i = 0; i < kBuffers; ++i) {
      back = client.copy(things.streams[0], things.buffers[i], kEnd + i * kBufferBytes, kBufferBytes, true);
    }
    client.finish(things.streams[0], back);
    return said;
  }

  RuntimeClient client;
  Things things;

 private:
  uint32_t put(const Step& step, std::vector<uint64_t>& counts) {
    const unsigned queue = things.streams[step.stream];
    if (const auto* const event = std::get_if<command::Event>(&step.is);
        event != nullptr && event->event < 60'000) {
      if (counts.size() <= event->event) counts.resize(event->event + 1);
      command::Event now = *event;
      if (step.type == command::Type::kEventRecord) {
        counts[now.event] = ++recorded_[now.event];
      } else {
        now.count = counts[now.event];
      }
      return client.put(queue, step.type, now);
    }
    if (const auto* const launched = std::get_if<Launched>(&step.is)) {
      return client.launch(queue, things.module, things.kernel, RuntimeClient::bytes_of(launched->arguments),
                           launched->mask);
    }
    return std::visit(
        [&](const auto& command) -> uint32_t {
          if constexpr (std::is_same_v<std::decay_t<decltype(command)>, Launched>) {
            return 0;
          } else {
            return client.put(queue, step.type, command);
          }
        },
        step.is);
  }

  // Whether the events of each stream came in the order in which it recorded them.
  std::string order(const Program& program) {
    std::array<uint64_t, kStreams> last{};
    for (const Step& step : program.steps()) {
      const auto* const event = std::get_if<command::Event>(&step.is);
      if (event == nullptr || step.type != command::Type::kEventRecord || event->event >= 60'000) continue;
      const uint64_t cycle = client.event(event->event).cycle;
      if (cycle < last[step.stream])
        return fmt::format("event {} came before the one before it", event->event);
      last[step.stream] = cycle;
    }
    return "events in order";
  }

  RuntimeClient::Loaded loaded;
  std::map<uint32_t, uint64_t> recorded_;
};

TEST_CASE("tiers: random command programs leave the same bits, and streams say the same") {
  Both both("build/firmware/flash.bin");
  CommandSide rtl(*both.rtl.card);
  CommandSide fast(*both.fast.card);
  REQUIRE(rtl.things == fast.things);
  verif::Random random(test_seed());
  for (unsigned number = 0; number < programs(); ++number) {
    const uint64_t seed = random.next();
    const Program program(rtl.things, seed);
    const std::vector<std::string> from_rtl = rtl.run(program, seed);
    const std::vector<std::string> from_fast = fast.run(program, seed);
    const std::string data = difference({rtl.client.host(), RuntimeClient::kHostBytes},
                                        {fast.client.host(), RuntimeClient::kHostBytes});
    if (from_rtl == from_fast && data.empty()) continue;
    std::string report = fmt::format("program {}:\n", number);
    for (const Step& step : program.steps()) report += "  " + text(step) + "\n";
    for (size_t i = 0; i < from_rtl.size(); ++i) {
      report += from_rtl[i] == from_fast[i]
                    ? fmt::format("  both: {}\n", from_rtl[i])
                    : fmt::format("  rtl:  {}\n  fast: {}\n", from_rtl[i], from_fast[i]);
    }
    if (!data.empty()) report += "the host's memory differs " + data;
    FAIL(report);
  }
}

// ---------------------------------------------------------------------------------------------- random
// kernels

// A group whose cores run the plain daemon, and kernels on it.
class KernelSide {
 public:
  explicit KernelSide(link::Card& card) : mpe_(card), group_(mpe_, 0) {}

  // The launch's end, faults, and the segments that it may write as it left them.
  struct Outcome {
    std::string said;
    std::vector<std::vector<uint8_t>> segments;
  };
  Outcome run(const fast::GroupJob& job) {
    const auto launch = fast::start(mpe_, group_, job);
    Outcome outcome;
    outcome.said = launch && group_.wait_ended(*launch, 3'000'000) ? "ended" : "does not end";
    outcome.said += fmt::format(", failed {}", group_.last_done().failed);
    group_.take_faults([&](unsigned cpe, const launch::Fault& fault) {
      outcome.said += fmt::format("; core {}: {} at {:#x}", cpe, launch::text(fault.cause), fault.pc);
    });
    uint64_t place = fast::kFirstPiece;
    for (const fast::GroupJob::Piece& piece : job.pieces()) {
      std::vector<uint8_t>& bytes = outcome.segments.emplace_back(piece.after.size());
      for (const fast::GroupJob::Page& page : piece.pages()) {
        if (!bytes.empty()) mpe_.fetch(place + page.at, std::span(bytes).subspan(page.at, page.bytes));
      }
      place += fast::room_of(piece);
    }
    return outcome;
  }

 private:
  MpeProxy mpe_;
  group::Group<MpeProxy> group_;
};

TEST_CASE("tiers: random kernels leave the same bits in all that cores can reach") {
  Both both("build/firmware/bare.bin");
  KernelSide rtl(*both.rtl.card);
  KernelSide fast(*both.fast.card);
  verif::Random random(test_seed());
  for (unsigned number = 0; number < programs(); ++number) {
    const uint64_t seed = random.next();
    const fast::GroupJob job(2, 2, seed, {.events = 25, .ldm_bytes = 2048});
    const KernelSide::Outcome from_rtl = rtl.run(job);
    const KernelSide::Outcome from_fast = fast.run(job);
    INFO("kernel ", number, " of seed ", seed);
    INFO("rtl:  ", from_rtl.said, "\nfast: ", from_fast.said);
    REQUIRE(from_rtl.said == from_fast.said);
    for (size_t i = 0; i < job.pieces().size(); ++i) {
      INFO("segment ", job.pieces()[i].segment);
      REQUIRE(difference(from_rtl.segments[i], from_fast.segments[i]) == "");
      // The program says itself what is right.
      CHECK(from_rtl.segments[i] == job.pieces()[i].after);
    }
  }
}

}  // namespace
}  // namespace swai::system
