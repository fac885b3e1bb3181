// SPDX-License-Identifier: Apache-2.0
// Why a queue has failed.
#pragma once

#include "host/runtime/error.hpp"
#include "host/runtime/queue.hpp"

namespace swai::sdaa {

// What the command was that failed in the queue, with all that is known about it.
Failure failure_of(const Queue& queue);

}  // namespace swai::sdaa
