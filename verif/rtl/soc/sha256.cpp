// SPDX-License-Identifier: Apache-2.0
#include "verif/rtl/soc/sha256.hpp"

#include <bit>
#include <cmath>
#include <vector>

namespace swai::soc {
namespace {

constexpr unsigned kBlockBytes = 64;

// The constants are the first 32 bits of the fractions of the roots of the first primes; computing them in
// integers keeps the reference independent of any table.
std::array<uint32_t, 64> primes() {
  std::array<uint32_t, 64> found{};
  unsigned count = 0;
  for (uint32_t candidate = 2; count < found.size(); ++candidate) {
    bool prime = true;
    for (unsigned i = 0; i < count && prime; ++i) prime = candidate % found[i] != 0;
    if (prime) found[count++] = candidate;
  }
  return found;
}

// floor(prime^(1/power) * 2^32) mod 2^32
uint32_t root_fraction(uint32_t prime, unsigned power) {
  __extension__ using Wide = unsigned __int128;
  const Wide target = static_cast<Wide>(prime) << (32 * power);
  uint64_t root = 0;
  for (int bit = 36; bit >= 0; --bit) {
    const uint64_t candidate = root | uint64_t{1} << bit;
    Wide product = 1;
    for (unsigned i = 0; i < power; ++i) product *= candidate;
    if (product <= target) root = candidate;
  }
  return static_cast<uint32_t>(root);
}

struct Constants {
  std::array<uint32_t, 64> k{};
  std::array<uint32_t, 8> initial{};
  Constants() {
    const auto prime = primes();
    for (unsigned i = 0; i < 64; ++i) k[i] = root_fraction(prime[i], 3);
    for (unsigned i = 0; i < 8; ++i) initial[i] = root_fraction(prime[i], 2);
  }
};

void compress(std::array<uint32_t, 8>& hash, std::span<const uint8_t> block, const Constants& constants) {
  std::array<uint32_t, 64> w{};
  for (unsigned t = 0; t < 16; ++t) {
    w[t] = static_cast<uint32_t>(block[4 * t] << 24 | block[4 * t + 1] << 16 | block[4 * t + 2] << 8 |
                                 block[4 * t + 3]);
  }
  for (unsigned t = 16; t < 64; ++t) {
    const uint32_t s0 = std::rotr(w[t - 15], 7) ^ std::rotr(w[t - 15], 18) ^ w[t - 15] >> 3;
    const uint32_t s1 = std::rotr(w[t - 2], 17) ^ std::rotr(w[t - 2], 19) ^ w[t - 2] >> 10;
    w[t] = s1 + w[t - 7] + s0 + w[t - 16];
  }
  auto [a, b, c, d, e, f, g, h] = hash;
  for (unsigned t = 0; t < 64; ++t) {
    const uint32_t sum1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
    const uint32_t choice = (e & f) ^ (~e & g);
    const uint32_t t1 = h + sum1 + choice + constants.k[t] + w[t];
    const uint32_t sum0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
    const uint32_t majority = (a & b) ^ (a & c) ^ (b & c);
    h = g;
    g = f;
    f = e;
    e = d + t1;
    d = c;
    c = b;
    b = a;
    a = t1 + sum0 + majority;
  }
  const std::array<uint32_t, 8> working{a, b, c, d, e, f, g, h};
  for (unsigned i = 0; i < 8; ++i) hash[i] += working[i];
}

}  // namespace

std::array<uint8_t, 32> sha256(std::span<const uint8_t> message) {
  static const Constants constants;
  std::vector<uint8_t> padded(message.begin(), message.end());
  padded.push_back(0x80);
  while (padded.size() % kBlockBytes != kBlockBytes - 8) padded.push_back(0);
  const uint64_t bits = uint64_t{8} * message.size();
  for (int shift = 56; shift >= 0; shift -= 8) padded.push_back(static_cast<uint8_t>(bits >> shift));

  auto hash = constants.initial;
  for (size_t at = 0; at < padded.size(); at += kBlockBytes) {
    compress(hash, std::span(padded).subspan(at, kBlockBytes), constants);
  }
  std::array<uint8_t, 32> digest{};
  for (unsigned i = 0; i < 32; ++i) digest[i] = static_cast<uint8_t>(hash[i / 4] >> (24 - 8 * (i % 4)));
  return digest;
}

}  // namespace swai::soc
