// SPDX-License-Identifier: Apache-2.0
// A Perfetto trace as a file: packets of several sources (cards), in the order of their times.
//
// Packets are gathered in memory and written when enough have come, merged by time, then by source: the file
// does not depend on how the cards' turns were cut, and what the process leaves behind when it is killed ends
// with a whole packet.
#pragma once

#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace swai::events {

// A protobuf message under construction; only what a trace needs.
class Message {
 public:
  Message& number(unsigned field, uint64_t value);
  Message& fixed(unsigned field, uint64_t value);
  Message& text(unsigned field, std::string_view value);
  Message& nested(unsigned field, const Message& message) { return text(field, message.bytes_); }
  const std::string& bytes() const { return bytes_; }

 private:
  void varint(uint64_t value);
  std::string bytes_;
};

class EventFile {
 public:
  static constexpr uint64_t kDefaultLimit = uint64_t{1} << 30;
  static constexpr uint64_t kMemory = 16 << 20;

  // Throws std::runtime_error when it cannot be written. Nothing that begins is taken any more when the file
  // has `limit` bytes.
  explicit EventFile(const std::string& path, uint64_t limit = kDefaultLimit);
  // Null without a name.
  static std::unique_ptr<EventFile> open(const std::string& path, uint64_t limit) {
    return path.empty() ? nullptr : std::make_unique<EventFile>(path, limit);
  }
  ~EventFile();
  EventFile(const EventFile&) = delete;
  EventFile& operator=(const EventFile&) = delete;

  // A card; `now` is called for the time before which it has nothing more to say.
  unsigned add(std::function<uint64_t()> now);
  // It says nothing more at all.
  void remove(unsigned source);

  // Whether there is room for more than the ends of what has begun.
  bool room() const { return good_ && written_ + pending_ < limit_ && pending_ < kMemory; }
  // Times of one source never fall.
  void put(unsigned source, uint64_t time, const Message& packet);
  // Everything that is complete goes to the file.
  void flush();

  // Records that were not taken because there was no room, or that could not be written.
  void drop(uint64_t records = 1) { dropped_ += records; }
  uint64_t dropped() const { return dropped_; }
  uint64_t taken() const { return taken_; }
  // Writes the remaining records to the file. Reports missing records.
  void finish();

 private:
  struct Packet {
    uint64_t time = 0;
    size_t end = 0;  // in the source's bytes
  };
  struct Source {
    std::function<uint64_t()> now;
    std::vector<Packet> packets;
    std::string bytes;
  };

  void write_rest();
  void write(std::string_view bytes, uint64_t records);

  std::string path_;
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
  uint64_t limit_;
  std::vector<Source> sources_;
  uint64_t pending_ = 0;  // bytes in memory
  uint64_t written_ = 0;
  uint64_t taken_ = 0;
  uint64_t dropped_ = 0;
  bool good_ = true;
};

}  // namespace swai::events
