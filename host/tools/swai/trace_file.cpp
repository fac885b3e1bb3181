// SPDX-License-Identifier: Apache-2.0
#include "host/tools/swai/trace_file.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string_view>

#include "abi/trace/track_event.hpp"
#include "host/tools/cli/error.hpp"

namespace swai::cli {
namespace {

namespace fields = events::fields;

struct BadTrace {};

// The fields of a protobuf message, one after the other.
class Fields {
 public:
  explicit Fields(std::string_view bytes) : rest_(bytes) {}

  // False: there are no more.
  bool next() {
    if (rest_.empty()) return false;
    const uint64_t key = varint();
    number_ = static_cast<unsigned>(key >> 3);
    switch (key & 7) {
      case 0:
        value_ = varint();
        break;
      case 1:
        take(8);
        break;
      case 2:
        text_ = take(varint());
        break;
      case 5:
        take(4);
        break;
      default:
        throw BadTrace{};
    }
    return true;
  }
  unsigned number() const { return number_; }
  uint64_t value() const { return value_; }
  std::string_view text() const { return text_; }

 private:
  std::string_view take(uint64_t bytes) {
    if (bytes > rest_.size()) throw BadTrace{};
    const std::string_view taken = rest_.substr(0, bytes);
    rest_.remove_prefix(bytes);
    return taken;
  }
  uint64_t varint() {
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const auto byte = static_cast<uint8_t>(take(1)[0]);
      value |= uint64_t{byte & 0x7FU} << shift;
      if ((byte & 0x80) == 0) return value;
    }
    throw BadTrace{};
  }

  std::string_view rest_;
  unsigned number_ = 0;
  uint64_t value_ = 0;
  std::string_view text_;
};

std::string name_in(std::string_view message, unsigned field) {
  for (Fields found(message); found.next();)
    if (found.number() == field) return std::string(found.text());
  return "";
}

class Reader {
 public:
  explicit Reader(const std::function<bool(const std::string&)>& wanted) : wanted_(wanted) {}

  void packet(std::string_view bytes) {
    uint64_t time = 0;
    std::string_view descriptor;
    std::string_view event;
    for (Fields found(bytes); found.next();) {
      if (found.number() == fields::packet::kTimestamp) time = found.value();
      if (found.number() == fields::packet::kTrackDescriptor) descriptor = found.text();
      if (found.number() == fields::packet::kTrackEvent) event = found.text();
    }
    if (!descriptor.empty()) describe(descriptor);
    if (!event.empty()) happen(time, event);
  }

  std::vector<TraceSlice> slices;

 private:
  struct Track {
    std::string name;
    std::string process;
    bool wanted = false;
    std::vector<TraceSlice> open;
  };

  void describe(std::string_view bytes) {
    uint64_t uuid = 0;
    uint64_t parent = 0;
    Track track;
    for (Fields found(bytes); found.next();) {
      if (found.number() == fields::descriptor::kUuid) uuid = found.value();
      if (found.number() == fields::descriptor::kParent) parent = found.value();
      if (found.number() == fields::descriptor::kName) track.name = found.text();
      if (found.number() == fields::descriptor::kThread)
        track.name = name_in(found.text(), fields::thread::kName);
      if (found.number() == fields::descriptor::kProcess)
        track.process = name_in(found.text(), fields::process::kName);
    }
    if (track.process.empty()) track.process = tracks_[parent].process;
    track.wanted = wanted_(track.name);
    tracks_[uuid] = std::move(track);
  }

  void happen(uint64_t time, std::string_view bytes) {
    uint64_t type = 0;
    Track* track = nullptr;
    TraceSlice slice;
    for (Fields found(bytes); found.next();) {
      if (found.number() == fields::event::kType) type = found.value();
      if (found.number() == fields::event::kTrack) track = &tracks_[found.value()];
      if (found.number() == fields::event::kName) slice.name = found.text();
      if (found.number() == fields::event::kAnnotation) argument(slice, found.text());
    }
    if (track == nullptr || !track->wanted) return;
    if (type == fields::event::kBegin) {
      slice.card = track->process;
      slice.track = track->name;
      slice.begin = time;
      track->open.push_back(std::move(slice));
    } else if (type == fields::event::kEnd) {
      if (track->open.empty()) throw BadTrace{};
      TraceSlice whole = std::move(track->open.back());
      track->open.pop_back();
      whole.end = time;
      whole.numbers.merge(slice.numbers);
      slices.push_back(std::move(whole));
    }
  }

  static void argument(TraceSlice& slice, std::string_view bytes) {
    std::string name;
    uint64_t value = 0;
    for (Fields found(bytes); found.next();) {
      if (found.number() == fields::annotation::kName) name = found.text();
      if (found.number() == fields::annotation::kUint) value = found.value();
    }
    slice.numbers[name] = value;
  }

  const std::function<bool(const std::string&)>& wanted_;
  std::map<uint64_t, Track> tracks_;
};

}  // namespace

std::vector<TraceSlice> read_trace(const std::string& path,
                                   const std::function<bool(const std::string& track)>& wanted) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw Error(kBadInput, fmt::format("{}: cannot read: {}", path, std::strerror(errno)));
  const std::string bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  Reader reader(wanted);
  try {
    for (Fields found(bytes); found.next();) {
      if (found.number() != fields::kTracePacket) throw BadTrace{};
      reader.packet(found.text());
    }
  } catch (const BadTrace&) {
    throw Error(kBadInput, fmt::format("{}: this is no trace of a card, or it is cut off", path));
  }
  return std::move(reader.slices);
}

}  // namespace swai::cli
