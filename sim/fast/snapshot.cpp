// SPDX-License-Identifier: Apache-2.0
#include "sim/fast/snapshot.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <vector>

#include "host/lib/sha256.hpp"
#include "host/transport/channel.hpp"
#include "sim/common/archive.hpp"

namespace swai::fast {
namespace {

using Json = nlohmann::ordered_json;
using Bytes = std::span<const uint8_t>;

// Of the file, and of what the state means where its layout does not tell: a model that goes on otherwise
// from the same numbers has another one.
constexpr unsigned kVersion = 1;
constexpr std::string_view kMagic = R"({"swai_snapshot":)";
constexpr const char* kVersionKey = "swai_snapshot";
constexpr const char* kBytesKey = "bytes";
constexpr const char* kClientKey = "client";
constexpr const char* kOriginKey = "of";
constexpr size_t kMostHeader = 4096;
constexpr size_t kChecksumBytes = sizeof(uint64_t);

[[noreturn]] void fail(const std::string& path, const std::string& cause) {
  throw std::runtime_error(fmt::format("{}: {}", path, cause));
}

// A damaged word always shows: each step maps different values to different values.
class Checksum {
 public:
  void add(Bytes bytes) {
    for (; bytes.size() >= sizeof(uint64_t); bytes = bytes.subspan(sizeof(uint64_t))) {
      uint64_t word;
      std::memcpy(&word, bytes.data(), sizeof word);
      step(word);
    }
    for (const uint8_t byte : bytes) step(byte);
  }
  uint64_t value() const { return value_; }

 private:
  void step(uint64_t word) {
    value_ = (value_ ^ word) * 0x9e37'79b9'7f4a'7c15;
    value_ ^= value_ >> 32;
  }

  uint64_t value_ = 0x6a09'e667'f3bc'c908;
};

std::string text(const std::array<uint8_t, 32>& digest) {
  std::string hex;
  for (const uint8_t byte : digest) hex += fmt::format("{:02x}", byte);
  return hex;
}

// Of the cells that are not erased, each block with its place, and of the status bits.
std::string flash_digest(const card::FlashStore& flash) {
  constexpr size_t kBlock = 4096;
  std::vector<uint8_t> message = {flash.status().sr1, flash.status().sr2, flash.status().sr3};
  const auto append = [&message](Bytes bytes) { message.insert(message.end(), bytes.begin(), bytes.end()); };
  const std::vector<uint8_t> erased(kBlock, 0xFF);
  for (uint64_t at = 0; at < flash.size(); at += kBlock) {
    const Bytes block = flash.cells().subspan(at, kBlock);
    if (std::memcmp(block.data(), erased.data(), kBlock) == 0) continue;
    std::array<uint8_t, sizeof at> place;
    std::memcpy(place.data(), &at, sizeof at);
    append(place);
    append(block);
  }
  return text(sha256(message));
}

uint64_t layout_of(Card& card) {
  Archive archive = Archive::of_layout();
  archive(card);
  return archive.layout();
}

// What has to be the same, in the words of an error.
Json origin_of(Card& card) {
  const Endpoint::Sizes& sizes = card.sizes();
  const card::FlashTimes& times = card.flash_times();
  return {
      {"configuration", fmt::format("groups of {} x {} cores: {}", sizes.rows, sizes.columns, sizes.groups)},
      {"card number", card.number()},
      {"boot ROM", text(sha256(card.rom()))},
      {"flash image", flash_digest(card.flash_store())},
      {"flash size", card.flash_store().size()},
      {"flash speed", fmt::format("{} and {} cycles for a page and a sector", times.page, times.erase_4k)},
      {"layout of the model's state", fmt::format("{:016x}", layout_of(card))}};
}

// A file that is mapped.
class Mapped {
 public:
  explicit Mapped(const std::string& path) {
    const link::Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    struct stat info {};
    bool good = file && ::fstat(file.get(), &info) == 0;
    if (good) size_ = static_cast<size_t>(info.st_size);
    if (size_ != 0) {
      memory_ = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE | MAP_POPULATE, file.get(), 0);
      good = memory_ != MAP_FAILED;
    }
    if (!good) fail(path, fmt::format("cannot read the snapshot: {}", std::strerror(errno)));
  }
  ~Mapped() {
    if (size_ != 0) ::munmap(memory_, size_);
  }
  Mapped(const Mapped&) = delete;
  Mapped& operator=(const Mapped&) = delete;

  Bytes bytes() const { return {static_cast<const uint8_t*>(memory_), size_}; }

 private:
  size_t size_ = 0;
  void* memory_ = nullptr;
};

// The first line, as far as it is a snapshot of this version.
Json header_of(const std::string& path, std::string_view line) {
  const Json header = Json::parse(line, nullptr, false);
  const auto is_number = [&](const char* key) {
    return header.is_object() && header.contains(key) && header[key].is_number_unsigned();
  };
  if (!is_number(kVersionKey)) fail(path, "the snapshot is corrupt: its first line cannot be read");
  if (header[kVersionKey] != kVersion) {
    fail(path, fmt::format("a snapshot of version {}, and this program knows {}; save it anew",
                           header[kVersionKey].get<uint64_t>(), kVersion));
  }
  if (!is_number(kBytesKey)) fail(path, "the snapshot is corrupt: its first line says nothing of its size");
  if (!header.contains(kOriginKey) || !header.contains(kClientKey))
    fail(path, "the snapshot is corrupt: its first line does not say of which card it is");
  return header;
}

// All that differs, a line each.
std::string differences(const Json& theirs, const Json& ours) {
  std::string text;
  for (const auto& [name, value] : ours.items()) {
    const std::string there = theirs.contains(name) ? theirs[name].dump() : "nothing";
    if (there != value.dump())
      text += fmt::format("\n  {}: {} in the snapshot, {} here", name, there, value.dump());
  }
  return text;
}

}  // namespace

void save_snapshot(const std::string& path, Card& card, Client client) {
  Archive archive;
  archive(card);
  const Json header = {{kVersionKey, kVersion},
                       {kBytesKey, archive.bytes().size()},
                       {kClientKey, client == Client::kAttached},
                       {kOriginKey, origin_of(card)}};
  const std::string line = header.dump() + "\n";
  const Bytes first(reinterpret_cast<const uint8_t*>(line.data()), line.size());
  Checksum checksum;
  checksum.add(first);
  checksum.add(archive.bytes());
  const uint64_t sum = checksum.value();
  // In one step, so that nobody finds half of it.
  const std::string fresh = path + ".new";
  std::FILE* const file = std::fopen(fresh.c_str(), "wb");
  if (file == nullptr) fail(path, fmt::format("cannot save the snapshot: {}", std::strerror(errno)));
  const auto write = [file](const void* data, size_t bytes) {
    return bytes == 0 || std::fwrite(data, bytes, 1, file) == 1;
  };
  const bool written = write(line.data(), line.size()) &&
                       write(archive.bytes().data(), archive.bytes().size()) && write(&sum, sizeof sum);
  const int error = errno;
  if (std::fclose(file) == 0 && written && std::rename(fresh.c_str(), path.c_str()) == 0) return;
  ::unlink(fresh.c_str());
  fail(path, fmt::format("cannot save the snapshot: {}", std::strerror(written ? errno : error)));
}

void restore_snapshot(const std::string& path, Card& card) {
  const Mapped mapped(path);
  const Bytes file = mapped.bytes();
  const std::string_view letters(reinterpret_cast<const char*>(file.data()), file.size());
  if (!letters.starts_with(kMagic)) {
    fail(path, "not a snapshot of a card; `swai-card --tier fast --save FILE` writes one");
  }
  const size_t line = letters.substr(0, kMostHeader).find('\n');
  if (line == std::string_view::npos)
    fail(path, "the snapshot is truncated or corrupt: its first line does not end");
  const Json header = header_of(path, letters.substr(0, line));
  const size_t begin = line + 1;
  const auto bytes = header[kBytesKey].get<uint64_t>();
  const size_t rest = file.size() - begin;
  if (rest < kChecksumBytes || rest - kChecksumBytes != bytes) {
    fail(path,
         fmt::format("the snapshot is truncated or corrupt: {} bytes follow its first line, and it says {}",
                     rest, bytes + kChecksumBytes));
  }
  Checksum checksum;
  checksum.add(file.first(begin));
  checksum.add(file.subspan(begin, bytes));
  uint64_t sum = 0;
  std::memcpy(&sum, file.data() + begin + bytes, sizeof sum);
  if (sum != checksum.value()) fail(path, "the snapshot is corrupt: its checksum is wrong");
  if (const std::string text = differences(header[kOriginKey], origin_of(card)); !text.empty()) {
    fail(path, "the snapshot is of another card:" + text);
  }
  Archive archive(file.subspan(begin, bytes));
  try {
    archive(card);
    if (!archive.at_end()) throw Archive::Mismatch("there is more than the card holds");
  } catch (const Archive::Mismatch& mismatch) {
    // Neither a damaged file nor another layout comes here.
    throw std::logic_error(fmt::format("{}: {}", path, mismatch.what()));
  }
  if (header[kClientKey] == true) card.lose_link();
}

}  // namespace swai::fast
