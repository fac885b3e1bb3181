#include "host/walk/walker.hpp"

#include <utility>

namespace swai::walk {

Walker::Walker(std::string name, std::span<const uint8_t> module) : name_(std::move(name)) {
  check(sdaaModuleLoadBytes(&module_, module.data(), module.size()), name_);
  check(sdaaModuleGetFunction(&function_, module_, "walk"), name_);
  check(sdaaEventCreate(&begin_), name_);
  check(sdaaEventCreate(&end_), name_);
}

Walker::~Walker() {
  for (const sdaaEvent_t event : {begin_, end_})
    if (event != nullptr) static_cast<void>(sdaaEventDestroy(event));
  if (module_ != nullptr) static_cast<void>(sdaaModuleUnload(module_));
}

void Walker::walk(const node::WalkArgs& args) {
  sdaaLaunchConfig_t config = {};
  config.structBytes = sizeof config;
  config.group = sdaaAnyGroup;
  check(sdaaEventRecord(begin_, nullptr), name_);
  check(sdaaLaunch(function_, &config, &args, sizeof args, nullptr), name_);
  check(sdaaEventRecord(end_, nullptr), name_);
  check(sdaaEventSynchronize(end_), name_);
}

uint64_t Walker::nanoseconds() const {
  float milliseconds = 0;
  check(sdaaEventElapsedTime(&milliseconds, begin_, end_), name_);
  return static_cast<uint64_t>(milliseconds * 1e6F + 0.5F);
}

}  // namespace swai::walk
