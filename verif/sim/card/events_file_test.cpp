// SPDX-License-Identifier: Apache-2.0
// Trace files that cannot be written.
#include "host/lib/events_file.hpp"

#include <doctest/doctest.h>

namespace swai::events {
namespace {

TEST_CASE("a trace that is small enough to be written at its end reports a full disk") {
  EventFile file("/dev/full", EventFile::kDefaultLimit);
  const unsigned source = file.add([] { return uint64_t{7}; });
  file.put(source, 7, Message().number(1, 1));
  CHECK(file.dropped() == 0);
  file.finish();
  CHECK(file.dropped() == 1);
  CHECK(file.taken() == 0);
}

}  // namespace
}  // namespace swai::events
