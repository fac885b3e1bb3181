// SPDX-License-Identifier: Apache-2.0
#include "sim/common/tohost.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

namespace swai::common {

namespace {

// A request in tohost: device 63:56, command 55:48, payload 47:0.
constexpr uint64_t kConsolePutchar = 0x0101;

// Calls: tohost holds the address of {number, three arguments}; the result goes into the first word.
constexpr uint64_t kCallWrite = 64;
constexpr uint64_t kCallExit = 93;
constexpr uint64_t kNotImplemented = static_cast<uint64_t>(-38);
constexpr uint64_t kLongestWrite = 1 << 20;

template <typename T>
std::span<uint8_t> bytes_of(T& value) {
  return {reinterpret_cast<uint8_t*>(&value), sizeof value};
}

}  // namespace

void Console::put(uint8_t character) {
  line_.push_back(static_cast<char>(character));
  if (character == '\n' || line_.size() >= 4096) flush();
}

void Console::flush() {
  std::fwrite(line_.data(), 1, line_.size(), out_);
  std::fflush(out_);
  line_.clear();
}

Tohost::Tohost(const Elf& elf, ProgramMemory memory, Console& console)
    : address_(elf.symbol("tohost")),
      fromhost_(elf.symbol("fromhost")),
      memory_(std::move(memory)),
      console_(console) {}

void Tohost::store(uint64_t address, uint64_t value) { memory_.write(address, bytes_of(value)); }

std::optional<uint64_t> Tohost::poll() {
  uint64_t word = 0;
  if (!address_ || !memory_.read(*address_, bytes_of(word)) || word == 0) return std::nullopt;
  const uint64_t request = word >> 48;
  if (request == 0 && (word & 1)) return word >> 1;
  store(*address_, 0);
  if (request == kConsolePutchar) {
    console_.put(static_cast<uint8_t>(word));
    return std::nullopt;
  }
  return request == 0 ? call(word) : std::nullopt;
}

std::optional<uint64_t> Tohost::call(uint64_t arguments) {
  std::array<uint64_t, 4> words{};
  if (!memory_.read(arguments, bytes_of(words))) return std::nullopt;
  const auto [number, first, text, length] = words;
  if (number == kCallExit) return first;
  uint64_t result = kNotImplemented;
  if (number == kCallWrite) {
    std::vector<uint8_t> bytes(std::min(length, kLongestWrite));
    if (memory_.read(text, bytes)) {
      for (const uint8_t byte : bytes) console_.put(byte);
      result = bytes.size();
    }
  }
  store(arguments, result);
  if (fromhost_) store(*fromhost_, 1);
  return std::nullopt;
}

std::string describe_result(uint64_t exit_code) {
  return exit_code == 0 ? "passed" : fmt::format("FAILED: test {}", exit_code);
}

void write_signature(const Elf& elf, const ProgramMemory& memory, const std::string& path,
                     unsigned granularity) {
  const auto begin = elf.symbol("begin_signature");
  const auto end = elf.symbol("end_signature");
  if (!begin || !end || *end < *begin) {
    throw InputError(fmt::format(
        "{}: no signature to write: it lacks the symbols begin_signature and end_signature", elf.path));
  }
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "w"), std::fclose);
  if (!file) throw InputError(fmt::format("{}: cannot write: {}", path, std::strerror(errno)));
  for (uint64_t address = *begin; address < *end; address += granularity) {
    uint64_t word = 0;
    if (!memory.read(address, bytes_of(word).first(granularity))) {
      throw InputError(fmt::format("{}: the signature at {:#x} lies outside memory", elf.path, address));
    }
    fmt::print(file.get(), "{:0{}x}\n", word, 2 * granularity);
  }
  if (std::fflush(file.get()) != 0)
    throw InputError(fmt::format("{}: cannot write: {}", path, std::strerror(errno)));
}

}  // namespace swai::common
