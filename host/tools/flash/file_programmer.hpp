// SPDX-License-Identifier: Apache-2.0
// A flash file as a chip: what a simulated card boots from, or what a programmer of somebody else's writes.
#pragma once

#include "host/tools/flash/flash_file.hpp"
#include "host/tools/flash/programmer.hpp"

namespace swai::flash {

class FileProgrammer final : public Programmer {
 public:
  // Throws InputError.
  explicit FileProgrammer(const std::string& path);

  const Geometry& geometry() const override { return geometry_; }
  std::string description() const override;
  void read(uint32_t offset, std::span<uint8_t> to) override;
  void erase(uint32_t offset, uint32_t bytes) override;
  void program(uint32_t offset, std::span<const uint8_t> bytes) override;
  void recover() override {}

 private:
  std::string path_;
  FlashFile file_;
  Geometry geometry_;
};

}  // namespace swai::flash
