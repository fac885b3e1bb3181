// SPDX-License-Identifier: Apache-2.0
// The contents of a flash chip in a file, slot by slot.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "host/lib/new_file.hpp"
#include "host/tools/flash/image.hpp"

namespace swai::flash {

// Reads a whole file. Throws InputError.
Bytes read_file(const std::string& path);
using common::write_file;

// The slot that the boot ROM would boot when slots A and B hold this.
std::optional<image::Slot> bootable_slot(std::span<const uint8_t> a, std::span<const uint8_t> b);
// The same for the contents of a whole chip.
std::optional<image::Slot> bootable_slot(std::span<const uint8_t> flash);

// A flash file in use by nobody else. Changes reach the file at once. All functions throw InputError.
class FlashFile {
 public:
  static constexpr size_t kDefaultBytes = size_t{16} << 20;

  explicit FlashFile(const std::string& path);
  // Makes the file first, erased, unless it exists.
  static FlashFile create(const std::string& path);

  FlashFile(FlashFile&& other) noexcept;
  FlashFile& operator=(FlashFile&&) = delete;
  ~FlashFile();

  std::span<const uint8_t> contents() const { return contents_; }
  std::span<const uint8_t> slot(image::Slot slot) const;

  void erase(image::Slot slot);
  // Erases the slot and writes an image that the boot ROM accepts.
  void write(image::Slot slot, std::span<const uint8_t> image);
  // Clears bits in the state of the image in a slot.
  void mark(image::Slot slot, const image::State& state);
  // Replaces bytes anywhere in the file.
  void store(size_t offset, std::span<const uint8_t> bytes);

 private:
  std::string path_;
  int fd_ = -1;
  Bytes contents_;
};

}  // namespace swai::flash
