// SPDX-License-Identifier: Apache-2.0
// Good messages of every kind, and ways to spoil them: for the random abuse test and as a start for the
// fuzzer.
#pragma once

#include <algorithm>
#include <vector>

#include "sim/common/random.hpp"
#include "verif/host/transport/fake_device.hpp"
#include "verif/host/transport/raw_client.hpp"

namespace swai::socket {

struct Sample {
  RawBytes bytes;
  enum Descriptors { kNone, kFile, kEvent } descriptors = kNone;
};

inline std::vector<Sample> sample_messages() {
  std::vector<Sample> samples;
  const auto add = [&](unsigned command, const RawBytes& payload,
                       Sample::Descriptors descriptors = Sample::kNone, uint32_t flags = 0) {
    samples.push_back(
        {Pack().u16(samples.size()).u16(command).u32(16 + payload.size()).u32(flags).u32(0).raw(payload),
         descriptors});
  };
  const auto write = [&](unsigned region, uint64_t offset, const RawBytes& data, uint32_t flags = 0) {
    add(10, Pack().raw(region_access(offset, region, data.size())).raw(data), Sample::kNone, flags);
  };
  const auto word = [](uint64_t value) { return RawBytes(Pack().u64(value)); };
  add(1, Pack().u16(0).u16(1).text(R"({"capabilities":{"max_msg_fds":8,"write_multiple":true}})").u8(0));
  add(2, Pack().u32(32).u32(3).u64(0).u64(0x100000).u64(0x4000), Sample::kFile);
  add(2, Pack().u32(32).u32(3).u64(0).u64(0x200000).u64(0x4000));
  add(3, Pack().u32(24).u32(0).u64(0x100000).u64(0x4000));
  add(3, Pack().u32(24).u32(2).u64(0).u64(0));
  add(4, Pack().u32(16).u32(0).u32(0).u32(0));
  add(5, Pack().u32(48).u32(0).u32(9).u32(0).u64(0).u64(0));
  add(6, Pack().u32(16).u32(0).u32(0).u32(0));
  add(7, Pack().u32(16).u32(0).u32(2).u32(0));
  add(8, Pack().u32(20).u32(36).u32(2).u32(3).u32(1), Sample::kEvent);
  add(8, Pack().u32(20).u32(33).u32(2).u32(0).u32(8));
  add(8, Pack().u32(24).u32(10).u32(2).u32(0).u32(4).u32(0x01010101));
  add(9, region_access(0, 7, 64));
  add(9, region_access(0x100, 0, 0x400));
  add(9, region_access(0, 9, 0x100));
  write(0, 0x40, RawBytes(48, 0x5a));
  write(0, 0x80, word(1), 0x10);
  write(4, kFakeIova, Pack().u64(0x200000).u64(0).u64(0x300).u64(1 | 3 << 8), 0x10);
  write(4, kFakeIova, Pack().u64(0x100000).u64(0).u64(0x300).u64(2 | 3 << 8));
  write(4, kFakeIova, Pack().u64(0x200000).u64(0).u64(0x40).u64(3 | 3 << 8));
  write(4, kFakeTimer, word(2000));
  write(9, 0x40, word(1));
  write(9, 0x80, Pack().u64(0xff).u64(5000).u64(1));
  add(9, region_access(0xa0, 9, 24));
  write(9, 0x100, Pack().u64(1).u64(2).u64(3).u64(4).u64(6));
  // The answer to the first request for memory.
  samples.push_back(
      {Pack().u16(0).u16(11).u32(16 + 16 + 256).u32(1).u32(0).u64(0x200000).u64(256).raw(RawBytes(256)),
       Sample::kNone});
  add(13, {});
  add(15, Pack().u64(2).u64(0).u32(0).u32(8).u64(1).u64(8).u32(0).u32(4).u64(2));
  return samples;
}

inline void mutate(RawBytes& bytes, verif::Random& random) {
  if (bytes.empty()) return;
  // Most of what is interesting stands at the front.
  const size_t at =
      random.chance(70) ? random.below(std::min<size_t>(bytes.size(), 48)) : random.below(bytes.size());
  switch (random.below(8)) {
    case 0:
      bytes[at] ^= static_cast<uint8_t>(1U << random.below(8));
      break;
    case 1:
      bytes[at] = static_cast<uint8_t>(random.next());
      break;
    case 2:
    case 3: {  // a whole number
      const size_t start = at / 4 * 4;
      const uint64_t value = random.number();
      for (size_t i = start; i < std::min(bytes.size(), start + 4 + 4 * random.below(2)); ++i) {
        bytes[i] = static_cast<uint8_t>(value >> 8 * (i - start));
      }
      break;
    }
    case 4:
      bytes.resize(at);
      break;
    case 5:
      bytes.insert(bytes.begin() + static_cast<ptrdiff_t>(at), random.between(1, 32),
                   static_cast<uint8_t>(random.next()));
      break;
    case 6:
      bytes.insert(bytes.end(), bytes.begin(), bytes.end());
      break;
    default:  // a wrong payload with the right length
      if (bytes.size() > 16) {
        bytes.resize(16 + random.below(bytes.size() - 15));
        bytes[4] = static_cast<uint8_t>(bytes.size());
        bytes[5] = static_cast<uint8_t>(bytes.size() >> 8);
      }
  }
}

}  // namespace swai::socket
