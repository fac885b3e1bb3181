// SPDX-License-Identifier: Apache-2.0
#include "host/runtime/queue_failure.hpp"

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "abi/fault.hpp"
#include "abi/launch.hpp"
#include "abi/module_reader.hpp"
#include "abi/wait.hpp"

namespace swai::sdaa {
namespace {

using protocol::Status;

sdaaError_t code_of_cause(launch::Cause cause) {
  using launch::Cause;
  switch (cause) {
    case Cause::kMisaligned:
    case Cause::kVacant:
    case Cause::kNoSegment:
    case Cause::kLimit:
    case Cause::kPermission:
    case Cause::kOwner:
    case Cause::kBus:
      return sdaaErrorIllegalAddress;
    case Cause::kPoison:
      return sdaaErrorECCNotCorrectable;
    case Cause::kBreakpoint:
      return sdaaErrorAssert;
    default:
      return sdaaErrorLaunchFailure;
  }
}

// Of the management processor, as in scause.
sdaaError_t code_of_trap(uint16_t cause) {
  constexpr uint16_t kIllegal = 2, kBreakpoint = 3;
  if (cause == kBreakpoint) return sdaaErrorAssert;
  return cause == kIllegal ? sdaaErrorLaunchFailure : sdaaErrorIllegalAddress;
}

// "scale, kernel.cpp:16, failed on core 3 of group 0", as far as it is known.
std::string kernel_ended(const Queue& queue, const char* how) {
  const protocol::QueueStatus& line = queue.line;
  const KernelInfo* const kernel = queue.launches.find(line.failed, line.node);
  return fmt::format("{} {} on core {} of group {}",
                     kernel == nullptr ? "a kernel" : kernel->place(line.detail_pc) + ",", how,
                     line.detail_cpe % launch::kMaxCpes, line.detail_cpe / launch::kMaxCpes);
}

// "scale, kernel.cpp:16, can never end: core 0 of group 0 waits to synchronise with all CPEs; missing: 1-31".
Failure stuck(const Queue& queue) {
  const protocol::QueueStatus& line = queue.line;
  const KernelInfo* const kernel = queue.launches.find(line.failed, line.node);
  std::string text = fmt::format("{} can never end and was stopped: core {} of group {} ",
                                 kernel == nullptr ? "a kernel" : kernel->place(line.detail_pc) + ",",
                                 line.detail_cpe % launch::kMaxCpes, line.detail_cpe / launch::kMaxCpes);
  launch::put_wait(launch::decode_wait(line.detail_address),
                   [&text](std::string_view piece) { text += piece; });
  return {sdaaErrorLaunchFailure, text};
}

std::string why_failed(const Queue& queue, launch::Cause cause) {
  const protocol::QueueStatus& line = queue.line;
  const KernelInfo* const kernel = queue.launches.find(line.failed, line.node);
  const std::string_view own = kernel == nullptr ? std::string_view() : kernel->why(cause, line.detail_pc);
  if (!own.empty()) return std::string(own);
  return fmt::format("{}; address {:#x}, pc {:#x}",
                     queue.explanation.empty() ? launch::text(cause) : queue.explanation, line.detail_address,
                     line.detail_pc);
}

Failure failure_of_command(const Queue& queue) {
  const protocol::QueueStatus& line = queue.line;
  switch (line.status) {
    case Status::kKernelFault: {
      const auto cause = static_cast<launch::Cause>(line.detail);
      if (cause == launch::Cause::kStuck) return stuck(queue);
      return {code_of_cause(cause),
              fmt::format("{}: {}", kernel_ended(queue, "failed"), why_failed(queue, cause))};
    }
    case Status::kKernelTimeout:
      return {sdaaErrorLaunchTimeOut,
              fmt::format("{}; it was at pc {:#x}; SWAI_LAUNCH_LIMIT=CYCLES (4294967295 at most) allows more "
                          "where the launch itself names no limit",
                          kernel_ended(queue, "ran too long and was stopped"), line.detail_pc)};
    case Status::kProgramFault:
      return {code_of_trap(line.detail),
              fmt::format("the program failed: {}; pc {:#x}, address {:#x}", fault::cause_text(line.detail),
                          line.detail_pc, line.detail_address)};
    case Status::kModuleRefused:
      return {sdaaErrorInvalidImage, fmt::format("the card refused the module: {}",
                                                 module::text(static_cast<module::Error>(line.detail)))};
    case Status::kTransfer:
      return {sdaaErrorTransferFailure,
              fmt::format("a transfer failed: error {} of the DMA engine at address {:#x}", line.detail,
                          line.detail_address)};
    default:
      return {code_of(line.status),
              fmt::format("command {} failed: {}", line.failed, protocol::text(line.status))};
  }
}

}  // namespace

Failure failure_of(const Queue& queue) {
  Failure failure = failure_of_command(queue);
  if (queue.line.node == 0) return failure;
  return {failure.code(), fmt::format("node {} of a graph: {}", queue.line.node - 1, failure.what())};
}

}  // namespace swai::sdaa
