// SPDX-License-Identifier: Apache-2.0
#include "verif/rtl/group/group/garbage.hpp"

#include "abi/segment.hpp"

namespace swai::cg {
namespace {

namespace enc = cpe::enc;
using cpe::Assembler, cpe::kT0, cpe::kA0, cpe::kA1;

// Near the ends of segments, and anywhere.
uint64_t some_pointer(verif::Random& random) {
  static constexpr uint16_t kSegments[] = {GroupBench::kReadOnly,
                                           GroupBench::kForeign,
                                           GroupBench::kInvalid,
                                           GroupBench::kNobody,
                                           GroupBench::kShared,
                                           GroupBench::kShared,
                                           GroupBench::kShared,
                                           GroupBench::kCode,
                                           GroupBench::kDaemon,
                                           0,
                                           0x7fff};
  static constexpr uint64_t kEnds[] = {0, 0x1000, GroupBench::kSharedBytes, uint64_t{1} << 47};
  const uint64_t offset = kEnds[random.below(std::size(kEnds))] + random.below(200) - 100;
  return segment::pointer(kSegments[random.below(std::size(kSegments))],
                          random.chance(30) ? random.below(0x1000) : offset);
}

uint32_t some_address(verif::Random& random) {
  static constexpr uint32_t kEnds[] = {cpe::kLdmBase,   cpe::kLdmBase + cpe::kLdmBytes,
                                       cpe::kArguments, cpe::kWindow,
                                       cpe::kKernel,    0x4000'0000,
                                       0x2000'0000,     0};
  return kEnds[random.below(std::size(kEnds))] + static_cast<uint32_t>(random.below(64)) - 32;
}

}  // namespace

Assembler garbage(verif::Random& random) {
  Assembler code;
  const auto reg = [&] { return static_cast<uint32_t>(random.between(5, 15)); };
  for (unsigned i = 5; i < 16; ++i) {
    static constexpr uint32_t kBases[] = {
        cpe::kLdmBase, cpe::kLdmBase, cpe::kWindow, cpe::kKernel, cpe::kArguments, 0x4000'0000, 0, 1,
        1 << 24};
    code.li(i, kBases[random.below(std::size(kBases))] + static_cast<uint32_t>(32 * random.below(64)));
  }
  code.window(some_pointer(random));
  for (unsigned i = 0; i < 60; ++i) {
    const auto any = static_cast<uint32_t>(random.next());
    switch (random.below(6)) {
      case 0:
        code({any});
        break;
      case 1:
        code(
            {(any & 0xfe00'7000) | 0x33 | enc::with_rd(reg()) | enc::with_rs1(reg()) | enc::with_rs2(reg())});
        break;
      case 2:
        code({(any & 0x0ff0'7000) | 0x03 | enc::with_rd(reg()) | enc::with_rs1(reg())});
        break;
      case 3:
        code({enc::sw(reg(), reg(), static_cast<int32_t>(random.below(64)) * 4)});
        break;
      default:
        code({cpe::custom(static_cast<unsigned>(random.below(4)),
                          static_cast<unsigned>(random.below(random.chance(90) ? 6 : 128)), reg(), reg(),
                          reg())});
        break;
    }
  }
  return code.ret();
}

Assembler unfinished_transfer(verif::Random& random) {
  Assembler code;
  if (random.chance(70)) code.global(some_pointer(random));
  code.shape(static_cast<uint32_t>(random.below(6)), static_cast<uint32_t>(random.below(300)),
             static_cast<int32_t>(random.below(10'000)) - 5000);
  return code.ret();
}

Assembler one_fault(verif::Random& random) {
  Assembler code;
  // Registers hold anything after a reset, and the model's hold zero.
  for (unsigned i = 5; i < 32; ++i) code.li(i, static_cast<uint32_t>(random.next()));
  for (uint64_t i = random.below(20); i > 0; --i)
    code({enc::addi(kA1, kA1, static_cast<int32_t>(random.below(4096)) - 2048)});
  const unsigned width = static_cast<unsigned>(random.below(3));
  const bool store = random.chance(50);
  const auto access = [&](unsigned reg) {
    // lb, lh, lw; sb, sh, sw
    code({store ? 0x23 | width << 12 | enc::with_rs1(reg) | enc::with_rs2(kA1)
                : 0x03 | width << 12 | enc::with_rd(kA1) | enc::with_rs1(reg)});
  };
  switch (random.below(8)) {
    case 0:  // no instruction
      code({static_cast<uint32_t>(random.next()) | 0x7f});
      break;
    case 1:
      code({random.chance(50) ? enc::kEbreak : 0x73u});
      break;
    case 2:  // a CSR that may not be there, or not be written
      code({0x73 | static_cast<uint32_t>(random.between(1, 3)) << 12 |
            static_cast<uint32_t>(random.below(4096)) << 20 | enc::with_rd(kA1) |
            enc::with_rs1(random.chance(50) ? 0 : kT0)});
      break;
    case 3:
      code.li(kT0, some_address(random));
      access(kT0);
      break;
    case 4:
      code.window(some_pointer(random)).li(kT0, cpe::kWindow + static_cast<uint32_t>(random.below(64)));
      access(kT0);
      break;
    case 5:  // a jump
      code.li(kT0, some_address(random) & ~1u)({enc::jalr(0, kT0, 0)});
      break;
    case 6:  // a channel command; one that is good waits for ever
      code.command(static_cast<unsigned>(random.between(2, 3)), static_cast<unsigned>(random.below(4)),
                   some_address(random) & ~(random.chance(80) ? 31u : 0u),
                   static_cast<uint32_t>(random.below(256)) << 24 |
                       static_cast<uint32_t>(random.chance(80) ? 32 * random.below(5) : random.below(100)));
      break;
    default:
      if (random.chance(80)) code.global(some_pointer(random));
      if (random.chance(40))
        code.shape(static_cast<uint32_t>(random.below(6)), static_cast<uint32_t>(random.below(300)),
                   static_cast<int32_t>(random.below(10'000)) - 5000);
      if (random.chance(20))
        code.command(cpe::unit::kDma, cpe::dma_op::kClass, static_cast<uint32_t>(random.below(3)));
      code.command(cpe::unit::kDma, store ? cpe::dma_op::kStore : cpe::dma_op::kLoad,
                   random.chance(90) ? cpe::kLdmBase + static_cast<uint32_t>(random.below(1000))
                                     : some_address(random),
                   static_cast<uint32_t>(random.below(random.chance(70) ? 300 : 3000)))
          .command(cpe::unit::kDma, cpe::dma_op::kWait, 1);
      break;
  }
  return code.ret();
}

}  // namespace swai::cg
