// SPDX-License-Identifier: Apache-2.0
#include "host/runtime/stream_writer.hpp"

#include <utility>

#include "host/runtime/printing.hpp"

namespace swai::sdaa {
namespace {

using command::Type;

// A command that has nothing to say.
struct Bare {
  command::Header header;
};

}  // namespace

void StreamWriter::check() const {
  require(stream_.alive, "the stream was destroyed", sdaaErrorInvalidHandle);
  if (stream_.queue->failed()) throw failure_of(*stream_.queue);
}

void StreamWriter::refuse_capture() const {
  if (stream_.capture == nullptr) return;
  stream_.capture->invalidate();
  fail(sdaaErrorStreamCaptureUnsupported, "not possible while the stream is captured");
}

Point StreamWriter::mark() { return submit(Type::kMarker, Bare{}); }

Point StreamWriter::record_event(unsigned number, uint64_t& count) {
  command::Event command = {};
  command.event = number;
  const Point point = submit(Type::kEventRecord, command);
  count = device_.events().count(number);
  return point;
}

void StreamWriter::wait_event(unsigned number, uint64_t count) {
  command::Event command = {};
  command.event = number;
  command.count = count;
  submit(Type::kEventWait, command);
}

void StreamWriter::host_call(HostCalls::Function function, bool always) {
  const Point point = submit(Type::kHostCall, Bare{});
  device_.host_calls().add(*point.queue, point.sequence, std::move(function), always);
}

void StreamWriter::wait() {
  if (stream_.last.queue != nullptr) wait(stream_.last);
}

void StreamWriter::wait_and_print() {
  sdaa::wait_and_print(device_, lock_, [&] { wait(); });
}

void StreamWriter::note(std::span<const uint8_t> command, Type type) const {
  Profile* const profile = Profile::get();
  Recorder* const recorder = Recorder::get();
  if (profile == nullptr && recorder == nullptr) return;
  const Profile::Command as = describe(command.data(), type);
  if (recorder != nullptr) recorder->given(device_.recorded(), stream_, type, command, as);
  if (profile == nullptr) return;
  Connection& connection = device_.connection();
  profile->given(device_.number(), connection.is_fast_tier(), stream_.last, as, connection.cycle());
}

}  // namespace swai::sdaa
