// SPDX-License-Identifier: Apache-2.0
#include "firmware/kernel/segments.hpp"

#include <cstring>

#include "card_regs.hpp"
#include "firmware/common/csr.hpp"
#include "firmware/common/mmio.hpp"

namespace swai::kernel::segments {
namespace {

constexpr uint64_t kStep = 2048;  // bytes
constinit unsigned groups = 0;

}  // namespace

namespace detail {

constinit uint64_t end = kTable;

[[gnu::noinline]] void grow(uint64_t address) {
  const uint64_t begin = end;
  end = kTable + ((address - kTable) / kStep + 1) * kStep;
  auto* const fresh = reinterpret_cast<void*>(mmu::virtual_of(begin));
  std::memset(fresh, 0, end - begin);
  csr::flush_cache(fresh, end - begin);
  for (unsigned i = 0; i < groups; ++i)
    fw::write_reg(regs::cg::kBase + i * regs::cg::kSize + regs::cg::segment_count::kOffset, count());
}

}  // namespace detail

void init(unsigned number_of_groups) {
  groups = number_of_groups;
  detail::end = kTable;
  detail::grow(kTable);
}

uint32_t count() { return static_cast<uint32_t>((detail::end - kTable) / sizeof(uint64_t)); }

}  // namespace swai::kernel::segments
