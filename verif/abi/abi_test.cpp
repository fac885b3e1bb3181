// SPDX-License-Identifier: Apache-2.0
// What software reads and writes has the layout and the numbers of the descriptions in abi/.
#include <doctest/doctest.h>

#include <cstring>
#include <iterator>

#include "abi/global_ptr.hpp"
#include "abi/launch.hpp"
#include "abi/module.hpp"
#include "abi/segment.hpp"
#include "card_regs.hpp"
#include "cpe_isa.hpp"

namespace swai {
namespace {

namespace isa = cpe::isa;

TEST_CASE("fault records have the causes and accesses of CPEs, and each has a text") {
  namespace record = regs::cg::fault_record0;
  CHECK(record::kCauseCommand == static_cast<uint64_t>(isa::Cause::kCommand));
  CHECK(record::kCauseKilled == static_cast<uint64_t>(isa::Cause::kKilled));
  CHECK(record::kAccessWrite == static_cast<uint64_t>(isa::Access::kWrite));
  unsigned causes = 0, accesses = 0;
  for (unsigned number = 0; number < 32; ++number) {
    if (std::strcmp(launch::text(static_cast<isa::Cause>(number)), "unknown cause") != 0) ++causes;
    if (std::strcmp(launch::text(static_cast<isa::Access>(number)), "unknown access") != 0) ++accesses;
  }
  CHECK(causes == std::size(isa::kCauses));
  CHECK(accesses == std::size(isa::kAccesses));
}

TEST_CASE("local memory lies in the space that is named after it") {
  CHECK((isa::kLdmBase >> 28) == isa::space::kLdm);
}

TEST_CASE("entries of the segment table") {
  namespace entry = isa::segment_entry;
  const uint64_t word = segment::encode({0xab'cdef'1000, 0x3'4567'8000, segment::kWrite, 0x9a});
  CHECK(word == 0x9aa3'4567'8abc'def1);
  CHECK(entry::kBase.get(word) == 0xabc'def1);
  CHECK(entry::kSize.get(word) == 0x34'5678);
  CHECK(entry::kRead.get(word) == 0);
  CHECK(entry::kWrite.get(word) == 1);
  CHECK(entry::kValid.get(word) == 1);
  CHECK(entry::kOwner.get(word) == 0x9a);
  CHECK(entry::kRead.get(segment::encode({0, 0, segment::kRead, 0})) == 1);
  CHECK(entry::kExecute.get(segment::encode({0, 0, segment::kExecute, 0})) == 1);
  const segment::Entry back = segment::decode(word);
  CHECK(back.base == 0xab'cdef'1000);
  CHECK(back.size == 0x3'4567'8000);
  CHECK(back.permissions == segment::kWrite);
  CHECK(back.owner == 0x9a);
}

TEST_CASE("done words") {
  const launch::Done done = {0x1234'5678, true, false, 0x3fff'ffff};
  const uint64_t word = launch::encode_done(done);
  CHECK(word == 0xffff'fffd'1234'5678);
  const launch::Done back = launch::decode_done(word);
  CHECK(back.sequence == done.sequence);
  CHECK(back.failed);
  CHECK_FALSE(back.watchdog);
  CHECK(back.cycles == 0x3fff'ffff);
}

TEST_CASE("global pointers stay in their segment") {
  using cpe::GlobalPtr;
  constexpr GlobalPtr<uint32_t> at(uint16_t{7}, 0x100);
  static_assert(at.bits() == 0x0007'0000'0000'0100);
  static_assert((at + 2).offset() == 0x108);
  static_assert((at - 1).offset() == 0xfc);
  static_assert((at - 0x41).segment() == 7);
  static_assert((at - 0x41).offset() == 0xffff'ffff'fffc);
  static_assert(GlobalPtr<const void>(at).bits() == at.bits());
  static_assert(!GlobalPtr<int>() && !GlobalPtr<int>(nullptr) && at);
  CHECK((at + 0x4000'0000'0000).segment() == 7);
}

}  // namespace
}  // namespace swai
