// SPDX-License-Identifier: Apache-2.0
// Arithmetic at its corners, against values worked out by hand.
#include "sim/iss/mpe/operations.hpp"

#include <doctest/doctest.h>

#include <limits>

#include "sim/iss/mpe/bit_operations.hpp"

namespace swai::iss::op {
namespace {

constexpr uint64_t kOnes = ~uint64_t{0};
constexpr uint64_t kTop = uint64_t{1} << 63;
constexpr uint64_t kTop32 = 0xffff'ffff'8000'0000;  // the most negative word

TEST_CASE("division") {
  CHECK(div(7, 0) == kOnes);
  CHECK(rem(7, 0) == 7);
  CHECK(divu(7, 0) == kOnes);
  CHECK(remu(7, 0) == 7);
  CHECK(div(kTop, kOnes) == kTop);
  CHECK(rem(kTop, kOnes) == 0);
  CHECK(div(kOnes - 6, 2) == kOnes - 2);  // -7 / 2 = -3
  CHECK(rem(kOnes - 6, 2) == kOnes);      // -7 % 2 = -1
  CHECK(divu(kTop, kOnes) == 0);
  CHECK(remu(kTop, kOnes) == kTop);
  CHECK(divw(0x1'0000'0007, 0xabcd'0000'0000) == kOnes);
  CHECK(remw(0x1'8000'0007, 0) == 0xffff'ffff'8000'0007);
  CHECK(divuw(0x1'8000'0007, 0) == kOnes);
  CHECK(remuw(0x1'8000'0007, 0) == 0xffff'ffff'8000'0007);
  CHECK(divw(kTop32, kOnes) == kTop32);
  CHECK(remw(kTop32, kOnes) == 0);
  CHECK(divuw(0xffff'fffe, 1) == 0xffff'ffff'ffff'fffe);
}

TEST_CASE("high halves of products") {
  CHECK(mulh(kTop, kTop) == uint64_t{1} << 62);
  CHECK(mulhu(kTop, kTop) == uint64_t{1} << 62);
  CHECK(mulhsu(kTop, kTop) == 0xc000'0000'0000'0000);
  CHECK(mulh(kOnes, kOnes) == 0);
  CHECK(mulhu(kOnes, kOnes) == kOnes - 1);
  CHECK(mulhsu(kOnes, kOnes) == kOnes);
  CHECK(mulhsu(kOnes, 1) == kOnes);
  CHECK(mulhsu(1, kOnes) == 0);
  CHECK(mulw(0x1'0001'0000, 0x8000) == kTop32);
}

TEST_CASE("shifts take as many bits of the amount as they need") {
  CHECK(sll(1, 64 + 63) == kTop);
  CHECK(sra(kTop, 64 + 63) == kOnes);
  CHECK(srl(kTop, 64 + 63) == 1);
  CHECK(sllw(1, 32 + 31) == kTop32);
  CHECK(srlw(kOnes, 32 + 31) == 1);
  CHECK(srlw(kTop32, 0) == kTop32);
  CHECK(sraw(0x8000'0000, 31) == kOnes);
  CHECK(rol(kTop | 2, 64 + 1) == 5);
  CHECK(ror(3, 1) == (kTop | 1));
  CHECK(rolw(0xabcd'8000'0001, 1) == 3);
  CHECK(rorw(1, 32 + 1) == kTop32);
  CHECK(slli_uw(kOnes, 4) == 0xf'ffff'fff0);
}

TEST_CASE("bits and bytes") {
  CHECK(clz(0) == 64);
  CHECK(ctz(0) == 64);
  CHECK(cpop(kOnes) == 64);
  CHECK(clzw(kTop) == 32);
  CHECK(ctzw(kTop) == 32);
  CHECK(cpopw(kOnes) == 32);
  CHECK(clzw(0x1'0000'0001) == 31);
  CHECK(sext_b(0x1280) == 0xffff'ffff'ffff'ff80);
  CHECK(sext_h(0x1'8000) == 0xffff'ffff'ffff'8000);
  CHECK(zext_h(kOnes) == 0xffff);
  CHECK(rev8(0x0102'0304'0506'0708) == 0x0807'0605'0403'0201);
  CHECK(orc_b(0x0100'8000'0000'0010) == 0xff00'ff00'0000'00ff);
  CHECK(andn(0xf0, 0x30) == 0xc0);
  CHECK(orn(0, 0xf) == ~uint64_t{0xf});
  CHECK(xnor(5, 5) == kOnes);
  CHECK(min(kOnes, 1) == kOnes);
  CHECK(minu(kOnes, 1) == 1);
  CHECK(max(kOnes, 1) == 1);
  CHECK(maxu(kOnes, 1) == kOnes);
  CHECK(shadd<3>(kTop | 1, 2) == 10);
  CHECK(shadd_uw<1>(kOnes, 1) == 0x1'ffff'ffff);
}

TEST_CASE("words are extended from 32 bits whatever was above") {
  CHECK(addw(0x7fff'ffff, 1) == kTop32);
  CHECK(addw(kTop, 5) == 5);
  CHECK(subw(0, 1) == kOnes);
  CHECK(subw(kTop32, 1) == 0x7fff'ffff);
}

}  // namespace
}  // namespace swai::iss::op
