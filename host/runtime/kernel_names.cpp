// SPDX-License-Identifier: Apache-2.0
#include "host/runtime/kernel_names.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>

#include "abi/kernel_segments.hpp"
#include "host/transport/backend.hpp"
#include "host/transport/trace_command.hpp"

namespace swai::sdaa {
namespace {

using link::vendor::Trace;

// Throws link::Error when nobody writes a trace.
void name_kernel(link::Card& card, uint16_t segment, uint32_t pc, std::string_view name) {
  for (size_t at = 0; at < name.size(); at += 2 * sizeof(uint64_t)) {
    const std::string_view rest = name.substr(at);
    std::array<uint64_t, 2> part{};
    std::memcpy(part.data(), rest.data(), std::min(rest.size(), sizeof part));
    card.command(link::vendor::Command::kTrace,
                 {static_cast<uint64_t>(at == 0 ? Trace::kKernel : Trace::kKernelMore),
                  uint64_t{segment} << 32 | pc, part[0], part[1]});
  }
}

}  // namespace

void name_kernels(link::Card& card, uint16_t segment, const module::Module& module) {
  try {
    for (uint32_t i = 0; i < module.kernel_count(); ++i) {
      const auto kernel = module.kernel(i);
      name_kernel(card, segment, kernel.pc, kernel.name);
    }
  } catch (const link::Error&) {
  }
}

void name_own_kernels(link::Card& card) {
  using link::vendor::kAnyPc;
  try {
    name_kernel(card, protocol::kCopySegment, kAnyPc, "copy on the card");
    name_kernel(card, protocol::kFillSegment, kAnyPc, "fill on the card");
    name_kernel(card, protocol::kWipeSegment, kAnyPc, "clearing memory");
  } catch (const link::Error&) {
  }
}

}  // namespace swai::sdaa
