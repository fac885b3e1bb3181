// SPDX-License-Identifier: Apache-2.0
// What goes wrong inside the library travels as an exception up to the C function that was called, which
// turns it into a code and remembers it for its thread.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

#include "abi/protocol.hpp"
#include "host/runtime/include/sdaa_runtime.h"
#include "host/transport/backend.hpp"

namespace swai::sdaa {

class Failure : public std::runtime_error {
 public:
  Failure(sdaaError_t code, const std::string& what) : std::runtime_error(what), code_(code) {}
  sdaaError_t code() const { return code_; }

 private:
  sdaaError_t code_;
};

[[noreturn]] inline void fail(sdaaError_t code, const std::string& what) { throw Failure(code, what); }
inline void require(bool condition, const char* what, sdaaError_t code = sdaaErrorInvalidValue) {
  if (!condition) throw Failure(code, what);
}

// What a status of the card means to the caller of a request.
sdaaError_t code_of(protocol::Status status);
Failure failure_of(const link::Error& error);

// --- The thread's last error

void remember(sdaaError_t code, const char* message) noexcept;

}  // namespace swai::sdaa
