// SPDX-License-Identifier: Apache-2.0
// Arguments of kernels as they are written on command lines.
//
//   7, 0x1f           a word of 32 bits
//   2.5, 1e-3         an fp32 number
//   buf:BYTES         memory, 4096 or 4K, 1M, 1G bytes; the kernel gets its 64-bit global pointer. It holds
//   zeros, buf:BYTES:VALUE   or bytes of that value, buf:BYTES:index   or the 32-bit words 0, 1, 2 ...,
//   buf:BYTES:random  or the same random bytes each time,
//   buf:BYTES=FILE    or the file, and zeros behind it. Without BYTES: as large as the file.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace swai::kernel_run {

struct Buffer {
  std::vector<uint8_t> content;
};
using Argument = std::variant<uint32_t, Buffer>;

struct Dump {
  unsigned buffer = 0;  // counted among the buffers, from 0
  std::string file;
};

// Decimal or 0x...; nothing else around it. Throws common::InputError with `what` in its message.
uint64_t parse_number(const std::string& text, uint64_t limit, const std::string& what);
// The same with K, M or G behind it: times 1024, and so on.
uint64_t parse_bytes(const std::string& text, uint64_t limit, const std::string& what);
// These throw common::InputError.
Argument parse_argument(const std::string& text);
Buffer parse_buffer(const std::string& text);  // which begins with buf:
Dump parse_dump(const std::string& text);      // INDEX:FILE

std::vector<uint8_t> read_file(const std::string& path);
// Before the work of which the result goes there. Throws when it surely cannot be written.
void check_writable(const std::string& path);
void write_file(const std::string& path, std::span<const uint8_t> bytes);

}  // namespace swai::kernel_run
