// SPDX-License-Identifier: Apache-2.0
#include "verif/host/models/files/mutation.hpp"

#include <algorithm>
#include <cstring>

#include "host/lib/elf.hpp"

namespace swai::models {

void mutate(Bytes& bytes, std::mt19937_64& random) {
  const auto below = [&](uint64_t limit) {
    return static_cast<size_t>(random() % std::max<uint64_t>(limit, 1));
  };
  constexpr uint64_t kNumbers[] = {0,
                                   1,
                                   2,
                                   0x7F,
                                   0xFF,
                                   0x7FFF,
                                   0xFFFF,
                                   0x7FFFFFFF,
                                   0x80000000,
                                   0xFFFFFFFF,
                                   uint64_t{1} << 32,
                                   uint64_t{1} << 62,
                                   INT64_MAX,
                                   UINT64_MAX,
                                   UINT64_MAX - 31};
  for (size_t left = 1 + below(4); left > 0 && !bytes.empty(); --left) {
    const size_t range = below(4) == 0 ? bytes.size() : std::min<size_t>(bytes.size(), 64 << below(8));
    const size_t at = below(range);
    switch (below(6)) {
      case 0:
        bytes[at] ^= static_cast<uint8_t>(1U << below(8));
        break;
      case 1:
        bytes[at] = static_cast<uint8_t>(random());
        break;
      case 2: {
        const uint64_t number = kNumbers[below(std::size(kNumbers))];
        const size_t width = std::min<size_t>(bytes.size() - at, size_t{1} << below(4));
        std::memcpy(bytes.data() + at, &number, width);
        break;
      }
      case 3:
        bytes.erase(bytes.begin() + static_cast<ptrdiff_t>(at),
                    bytes.begin() + static_cast<ptrdiff_t>(std::min(bytes.size(), at + 1 + below(16))));
        break;
      case 4: {
        const Bytes more(bytes.begin() + static_cast<ptrdiff_t>(at),
                         bytes.begin() + static_cast<ptrdiff_t>(std::min(bytes.size(), at + 1 + below(32))));
        bytes.insert(bytes.begin() + static_cast<ptrdiff_t>(below(bytes.size())), more.begin(), more.end());
        break;
      }
      default:
        if (below(8) == 0) bytes.resize(at);
    }
  }
}

bool accepted(const Sample& sample) {
  try {
    const Model model = load(sample);
    volatile float sum = 0;
    for (const Tensor& tensor : model.tensors)
      for (const float value : floats(tensor)) sum = sum + value;
    return true;
  } catch (const common::InputError&) {
    return false;
  }
}

}  // namespace swai::models
