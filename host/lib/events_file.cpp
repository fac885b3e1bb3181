// SPDX-License-Identifier: Apache-2.0
#include "host/lib/events_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "abi/trace/track_event.hpp"

namespace swai::events {
namespace {

enum WireType : unsigned { kVarint = 0, kFixed64 = 1, kBytes = 2 };

constexpr uint64_t kFlushBytes = 256 << 10;

}  // namespace

void Message::varint(uint64_t value) {
  for (; value >= 0x80; value >>= 7) bytes_.push_back(static_cast<char>(0x80 | (value & 0x7F)));
  bytes_.push_back(static_cast<char>(value));
}

Message& Message::number(unsigned field, uint64_t value) {
  varint(field << 3 | kVarint);
  varint(value);
  return *this;
}

Message& Message::fixed(unsigned field, uint64_t value) {
  varint(field << 3 | kFixed64);
  for (unsigned i = 0; i < 64; i += 8) bytes_.push_back(static_cast<char>(value >> i & 0xFF));
  return *this;
}

Message& Message::text(unsigned field, std::string_view value) {
  varint(field << 3 | kBytes);
  varint(value.size());
  bytes_.append(value);
  return *this;
}

EventFile::EventFile(const std::string& path, uint64_t limit)
    : path_(path), file_(std::fopen(path.c_str(), "wb"), std::fclose), limit_(limit) {
  if (!file_) {
    throw std::runtime_error(fmt::format("events {}: cannot write it: {}", path, std::strerror(errno)));
  }
}

EventFile::~EventFile() { write_rest(); }

unsigned EventFile::add(std::function<uint64_t()> now) {
  sources_.push_back({.now = std::move(now), .packets = {}, .bytes = {}});
  return static_cast<unsigned>(sources_.size() - 1);
}

void EventFile::remove(unsigned source) { sources_[source].now = nullptr; }

void EventFile::put(unsigned source, uint64_t time, const Message& packet) {
  Message framed;
  framed.nested(fields::kTracePacket, packet);
  Source& from = sources_[source];
  from.bytes += framed.bytes();
  from.packets.push_back({time, from.bytes.size()});
  pending_ += framed.bytes().size();
  ++taken_;
  if (pending_ >= kFlushBytes) flush();
}

void EventFile::flush() {
  uint64_t horizon = UINT64_MAX;
  for (const Source& source : sources_) {
    if (source.now) horizon = std::min(horizon, source.now());
  }
  std::string merged;
  uint64_t records = 0;
  std::vector<size_t> next(sources_.size());
  while (true) {
    size_t first = sources_.size();
    for (size_t i = 0; i < sources_.size(); ++i) {
      if (next[i] == sources_[i].packets.size()) continue;
      const uint64_t time = sources_[i].packets[next[i]].time;
      const bool earlier = first == sources_.size() || time < sources_[first].packets[next[first]].time;
      if (time < horizon && earlier) first = i;
    }
    if (first == sources_.size()) break;
    const Source& source = sources_[first];
    const size_t begin = next[first] == 0 ? 0 : source.packets[next[first] - 1].end;
    merged.append(source.bytes, begin, source.packets[next[first]].end - begin);
    ++next[first];
    ++records;
  }
  for (size_t i = 0; i < sources_.size(); ++i) {
    if (next[i] == 0) continue;
    Source& source = sources_[i];
    const size_t gone = source.packets[next[i] - 1].end;
    source.bytes.erase(0, gone);
    source.packets.erase(source.packets.begin(),
                         source.packets.begin() + static_cast<std::ptrdiff_t>(next[i]));
    for (Packet& packet : source.packets) packet.end -= gone;
  }
  write(merged, records);
}

void EventFile::write_rest() {
  for (unsigned i = 0; i < sources_.size(); ++i) remove(i);
  flush();
}

void EventFile::finish() {
  write_rest();
  if (dropped_ != 0) {
    fmt::print(stderr, "events: {} of {} records are missing in {}, {}\n", dropped_, taken_ + dropped_, path_,
               good_ ? "which has reached its limit" : "which cannot be written");
  }
}

void EventFile::write(std::string_view bytes, uint64_t records) {
  pending_ -= bytes.size();
  if (bytes.empty()) return;
  // After an error the file's end may be half a packet: nothing may follow it.
  if (good_) {
    good_ = std::fwrite(bytes.data(), 1, bytes.size(), file_.get()) == bytes.size() &&
            std::fflush(file_.get()) == 0;
  }
  if (good_) {
    written_ += bytes.size();
  } else {
    taken_ -= records;
    drop(records);
  }
}

}  // namespace swai::events
