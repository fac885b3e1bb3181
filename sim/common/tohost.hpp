// SPDX-License-Identifier: Apache-2.0
// How a bare-metal test program talks to the tool that runs it: the `tohost` and `fromhost` words (end of the
// test, console characters, the write and exit calls), the console, and the signature of the architecture
// tests.
//
// Both tools (ISS and RTL) give it access to memory as the program sees it, and call Tohost::poll() after
// stores that may have touched the word.
#pragma once

#include <cstdint>
#include <cstdio>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "host/lib/elf.hpp"

namespace swai::common {

// The program's output. Written in lines, so that it does not tear lines of other writers.
class Console {
 public:
  explicit Console(std::FILE* out = stdout) : out_(out) {}
  ~Console() { flush(); }
  Console(const Console&) = delete;
  Console& operator=(const Console&) = delete;
  void put(uint8_t character);
  void flush();

 private:
  std::FILE* out_;
  std::string line_;
};

// Memory as the program sees it, by physical address. False: nothing there.
struct ProgramMemory {
  std::function<bool(uint64_t address, std::span<uint8_t> to)> read;
  std::function<bool(uint64_t address, std::span<const uint8_t> from)> write;
};

class Tohost {
 public:
  Tohost(const Elf& elf, ProgramMemory memory, Console& console);

  // The address of the word; nothing if the program has none.
  std::optional<uint64_t> address() const { return address_; }
  // Whether a store to these bytes may have changed the word.
  bool touches(uint64_t address, unsigned bytes) const {
    return address_ && address < *address_ + 8 && *address_ < address + bytes;
  }
  // Looks at the word and does what it asks for. Returns the program's exit code once it has ended: 0 passed,
  // otherwise the number of the failing test.
  std::optional<uint64_t> poll();

 private:
  void store(uint64_t address, uint64_t value);
  std::optional<uint64_t> call(uint64_t arguments);

  std::optional<uint64_t> address_;
  std::optional<uint64_t> fromhost_;
  ProgramMemory memory_;
  Console& console_;
};

// One line for people: "passed", or which test failed.
std::string describe_result(uint64_t exit_code);

// Writes begin_signature to end_signature, `granularity` (4 or 8) bytes per line, in hex, most significant
// digit first. Throws InputError if the program lacks the symbols or the file cannot be written.
void write_signature(const Elf& elf, const ProgramMemory& memory, const std::string& path,
                     unsigned granularity);

}  // namespace swai::common
