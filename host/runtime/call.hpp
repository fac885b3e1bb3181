// SPDX-License-Identifier: Apache-2.0
// What every function of the C interface begins with: errors become codes, and the profiler hears of it.
#pragma once

#include <new>
#include <utility>

#include "host/runtime/error.hpp"
#include "host/runtime/profile.hpp"
#include "host/runtime/profiler.hpp"
#include "host/runtime/runtime.hpp"

namespace swai::sdaa {

// For ranges of the profile, which must not be seen there as calls.
template <typename Body>
sdaaError_t call_unseen(const char* name, Body&& body) noexcept {
  const Profiled profiled(name);
  sdaaError_t code = sdaaSuccess;
  try {
    std::forward<Body>(body)();
  } catch (const Failure& failure) {
    code = failure.code();
    // Not ready is an answer.
    if (code != sdaaErrorNotReady) remember(code, failure.what());
  } catch (const link::Error& error) {
    const Failure failure = failure_of(error);
    code = failure.code();
    remember(code, failure.what());
  } catch (const std::bad_alloc&) {
    code = sdaaErrorOutOfMemory;
    remember(code, "the host has no memory left");
  } catch (const std::exception& error) {
    code = sdaaErrorUnknown;
    remember(code, error.what());
  } catch (...) {
    code = sdaaErrorUnknown;
    remember(code, "");
  }
  return profiled.end(code);
}

template <typename Body>
sdaaError_t call(const char* name, Body&& body) noexcept {
  const ProfiledCall seen(name);
  return call_unseen(name, std::forward<Body>(body));
}

}  // namespace swai::sdaa
