#include "host/walk/walker.hpp"

#include <bit>
#include <utility>

#include "host/sdaa/include/sdaa/simulation.h"

namespace swai::walk {

Walker::Walker(std::string name, std::span<const uint8_t> module) : name_(std::move(name)) {
  check(sdaaModuleLoadBytes(&module_, module.data(), module.size()), name_);
  check(sdaaModuleGetFunction(&function_, module_, "walk"), name_);
}

Walker::~Walker() {
  if (module_ != nullptr) static_cast<void>(sdaaModuleUnload(module_));
}

void Walker::walk(std::span<const node::WalkArgs> lists) {
  sdaaLaunchConfig_t config = {};
  config.structBytes = sizeof config;
  config.group = sdaaAnyGroup;
  time_.begin();
  for (const node::WalkArgs& args : lists) {
    if (host_ns_ != 0) check(sdaaDeviceLetTimePass(host_ns_), "the host's time");
    check(sdaaLaunch(function_, &config, &args, sizeof args, nullptr), name_);
  }
  time_.end();
}

program::Kernel Walker::kernel() const {
  sdaaProgramKernel_t kernel = {};
  check(sdaaProgramGetKernel(&kernel, function_, nullptr), name_);
  return std::bit_cast<program::Kernel>(kernel);
}

}  // namespace swai::walk
