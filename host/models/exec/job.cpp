// SPDX-License-Identifier: Apache-2.0
#include "host/models/exec/job.hpp"

#include <fmt/format.h>

namespace swai::walk {

Job::Job(std::string name, std::span<const uint8_t> program) : name_(std::move(name)) {
  check(sdaaProgramLoadBytes(&program_, program.data(), program.size()), name_);
}

Job::~Job() {
  if (program_ != nullptr) static_cast<void>(sdaaProgramDestroy(program_));
}

void Job::start(std::span<const uint8_t> arguments) {
  time_.begin();
  check(sdaaProgramStart(program_, arguments.data(), arguments.size()), name_);
}

bool Job::read(void* message, size_t bytes) {
  size_t got = bytes;
  const sdaaError_t error = sdaaProgramRead(program_, message, &got);
  if (error == sdaaErrorNotFound) return false;
  check(error, name_);
  if (got != bytes)
    throw CardError(sdaaErrorUnknown, fmt::format("{}: a message of {} bytes, not {}", name_, got, bytes));
  return true;
}

void Job::tell(unsigned number, uint64_t word) {
  const sdaaError_t error = sdaaProgramTell(program_, number, word);
  if (error != sdaaErrorIllegalState) check(error, name_);
}

void Job::cancel() {
  const sdaaError_t error = sdaaProgramCancel(program_);
  if (error != sdaaErrorIllegalState) check(error, name_);
}

uint32_t Job::wait() {
  uint32_t code = 0;
  check(sdaaProgramWait(program_, &code), name_);
  time_.end();
  return code;
}

void Job::fail(uint32_t code) const {
  throw CardError(sdaaErrorUnknown, fmt::format("{}: ended with code {}", name_, code));
}

}  // namespace swai::walk
