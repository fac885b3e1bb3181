// SPDX-License-Identifier: Apache-2.0
#include "host/models/exec/walker.hpp"

#include <bit>
#include <cstdlib>
#include <utility>

#include "host/runtime/host_software_time.hpp"

namespace swai::walk {
namespace {

// The encoder's list of a large model takes longer than the second that the card gives launches by itself.
// Who sets a limit means these, too.
sdaaLaunchConfig_t settings() {
  constexpr uint32_t kLongest = 4'000'000'000;
  sdaaLaunchConfig_t config = {};
  config.structBytes = sizeof config;
  config.group = sdaaAnyGroup;
  const char* const limit = std::getenv("SWAI_LAUNCH_LIMIT");
  config.timeoutCycles = limit == nullptr || *limit == '\0' ? kLongest : 0;
  return config;
}

}  // namespace

Walker::Walker(std::string name, std::span<const uint8_t> module) : name_(std::move(name)) {
  check(sdaaModuleLoadBytes(&module_, module.data(), module.size()), name_);
  check(sdaaModuleGetFunction(&function_, module_, "walk"), name_);
}

Walker::~Walker() {
  if (module_ != nullptr) static_cast<void>(sdaaModuleUnload(module_));
}

void Walker::walk(std::span<const node::WalkArgs> lists) {
  const sdaaLaunchConfig_t config = settings();
  time_.begin();
  for (const node::WalkArgs& args : lists) {
    if (host_ns_ != 0) check(sdaa::let_device_time_pass(host_ns_), "the host's time");
    check(sdaaLaunch(function_, &config, &args, sizeof args, nullptr), name_);
  }
  time_.end();
}

program::Kernel Walker::kernel() const {
  const sdaaLaunchConfig_t config = settings();
  sdaaProgramKernel_t kernel = {};
  check(sdaaProgramGetKernel(&kernel, function_, &config), name_);
  return std::bit_cast<program::Kernel>(kernel);
}

}  // namespace swai::walk
