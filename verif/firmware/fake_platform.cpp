// SPDX-License-Identifier: Apache-2.0
#include "verif/firmware/fake_platform.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "host/lib/sha256.hpp"

namespace swai::boot {
namespace {

// Not an assertion of the test framework: the fuzzer uses this, too.
void require(bool condition, const char* law) {
  if (!condition) throw std::logic_error(law);
}

constexpr uint64_t kMemoryBytes = kImageMemory.memory_end - kImageMemory.memory_base;

}  // namespace

FakePlatform::FakePlatform()
    : flash_(image::kMinFlashBytes, 0xFF), memory_(kMemoryBytes / sizeof(uint64_t)) {}

void FakePlatform::set_stage(Stage stage, std::optional<image::Slot> slot, uint16_t detail) {
  stage_ = stage;
  stage_slot_ = slot;
  detail_ = detail;
}

std::span<uint64_t> FakePlatform::memory(uint64_t address, uint64_t bytes) {
  require(address >= kImageMemory.memory_base && address <= kImageMemory.memory_end,
          "load address in memory");
  require(bytes <= kImageMemory.memory_end - address, "image in memory");
  require(address % sizeof(uint64_t) == 0 && bytes % sizeof(uint64_t) == 0, "whole words");
  return std::span(memory_).subspan((address - kImageMemory.memory_base) / sizeof(uint64_t),
                                    bytes / sizeof(uint64_t));
}

void FakePlatform::begin_read(uint32_t offset, uint32_t bytes, bool hash) {
  require(flash_state == image::Refusal::kNone, "a flash chip that answers");
  require(left_ == 0, "the read before was taken to its end");
  require(offset <= flash_.size() && bytes <= flash_.size() - offset, "read inside the flash");
  require(bytes != 0 && bytes % sizeof(uint64_t) == 0, "whole words are read");
  at_ = offset;
  left_ = bytes;
  hashing_ = hash;
  if (hash) message_.clear();
}

void FakePlatform::take(std::span<uint64_t> words) {
  const auto bytes = static_cast<uint32_t>(words.size_bytes());
  require(bytes <= left_, "no more taken than asked for");
  std::memcpy(words.data(), flash_.data() + at_, bytes);
  if (hashing_) message_.insert(message_.end(), flash_.begin() + at_, flash_.begin() + at_ + bytes);
  at_ += bytes;
  left_ -= bytes;
}

Digest FakePlatform::finish_hash() {
  require(left_ == 0, "the digest of everything");
  return sha256(message_);
}

bool FakePlatform::program(uint32_t offset, std::span<const uint8_t> bytes) {
  require(left_ == 0, "no read under way");
  require(offset <= flash_.size() && bytes.size() <= flash_.size() - offset, "program inside the flash");
  ++programs_;
  if (program_works) {
    for (const uint8_t byte : bytes) flash_[offset++] &= byte;
  }
  return program_reports_success;
}

std::span<uint8_t> FakePlatform::slot(image::Slot slot) {
  return std::span(flash_).subspan(slot_offset(slot), image::kSlotBytes);
}

// Not std::ranges::fill: with sanitizers and the fuzzer's counters that takes milliseconds.
void FakePlatform::erase(image::Slot slot) { std::memset(this->slot(slot).data(), 0xFF, image::kSlotBytes); }

void FakePlatform::put(image::Slot slot, std::span<const uint8_t> bytes) {
  erase(slot);
  std::ranges::copy(bytes, this->slot(slot).begin());
}

image::Header FakePlatform::header(image::Slot slot) { return flash::read_header(this->slot(slot)); }

void FakePlatform::edit_header(image::Slot slot, const image::Header& header) {
  flash::write_header(this->slot(slot), header);
}

std::optional<Loaded> FakePlatform::boot() {
  out_.text.clear();
  return find_and_load(*this);
}

std::span<const uint8_t> FakePlatform::loaded(const image::Header& header) const {
  return std::span(reinterpret_cast<const uint8_t*>(memory_.data()), kMemoryBytes)
      .subspan(header.load_address - kImageMemory.memory_base, header.length);
}

flash::Bytes random_image(std::mt19937_64& random, uint64_t version, size_t payload_bytes) {
  flash::Bytes payload(payload_bytes);
  for (uint8_t& byte : payload) byte = static_cast<uint8_t>(random());
  flash::Description description = {};
  flash::set_text(description.identity.name, "test", "name");
  flash::set_text(description.identity.version, flash::version_text(version), "version");
  description.load_address = kImageMemory.memory_base;
  description.entry = kImageMemory.memory_base + (random() % payload_bytes & ~size_t{1});
  return flash::make_image(payload, description);
}

flash::Bytes random_confirmed_image(std::mt19937_64& random, uint64_t version, size_t payload_bytes) {
  flash::Bytes bytes = random_image(random, version, payload_bytes);
  image::Header header = flash::read_header(bytes);
  header.state.confirmed = 0;
  flash::write_header(bytes, header);
  return bytes;
}

}  // namespace swai::boot
