// SPDX-License-Identifier: Apache-2.0
#include "host/models/audio/wav_length.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <string_view>

namespace swai::audio {
namespace {

// espeak-ng and sox write 0x7FFFF000 to pipes, arecord 0x80000000, ffmpeg 0xFFFFFFFF.
constexpr uint32_t kUnknownLength = 0x7FFF'0000;
// Limit on the chunks before the data, of which a malicious file may have millions.
constexpr int kMaxChunks = 1000;

struct Chunk {
  std::array<char, 4> id = {};
  uint32_t bytes = 0;

  bool is(std::string_view name) const { return std::string_view(id.data(), id.size()) == name; }
};

bool read_at(int fd, uint64_t at, Chunk& chunk) {
  return ::pread(fd, &chunk, sizeof chunk, static_cast<off_t>(at)) == sizeof chunk;
}

}  // namespace

bool is_cut_short_wav(int fd) {
  struct stat status {};
  Chunk chunk;
  if (::fstat(fd, &status) != 0 || !read_at(fd, 0, chunk) || !chunk.is("RIFF")) return false;
  // The form ("WAVE") follows the header of the file.
  uint64_t at = sizeof chunk + sizeof chunk.id;
  for (int i = 0; i < kMaxChunks && read_at(fd, at, chunk); ++i) {
    at += sizeof chunk;
    if (chunk.is("data"))
      return chunk.bytes < kUnknownLength && chunk.bytes > static_cast<uint64_t>(status.st_size) - at;
    at += uint64_t{chunk.bytes} + chunk.bytes % 2;
  }
  return false;
}

}  // namespace swai::audio
