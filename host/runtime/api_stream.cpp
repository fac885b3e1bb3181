// SPDX-License-Identifier: Apache-2.0
// Streams, events, functions of the host.
#include "host/runtime/call.hpp"
#include "host/runtime/in_use.hpp"
#include "host/runtime/printing.hpp"
#include "host/runtime/queue_failure.hpp"

using namespace swai::sdaa;
namespace protocol = swai::protocol;

namespace {

InUse<Event> use_event(sdaaEvent_t handle) {
  return use_object(Runtime::get().events.get(handle, "no such event"), "the event was destroyed");
}

// The card has counted it, or its queue is beyond it.
bool is_complete(const Connection& connection, const Event& event) {
  return event.count == 0 || connection.event(event.number).count >= event.count || event.recorded.reached();
}

// Of an event that stands for a place in a graph nothing can be told.
void refuse_captured(const Event& event) {
  require(event.captured == nullptr, "the event was recorded in a capture", sdaaErrorCapturedEvent);
}

// A stream goes on behind an event, and one of the two is captured.
void join(const std::shared_ptr<Stream>& stream, const Event& event) {
  if (event.captured == nullptr) {
    stream->capture->invalidate();
    fail(sdaaErrorStreamCaptureIsolation, "the event was recorded outside of the capture");
  }
  if (event.captured->ended()) refuse_captured(event);
  require(!stream->is_default, "the default stream cannot be captured", sdaaErrorStreamCaptureImplicit);
  if (stream->capture != nullptr && stream->capture != event.captured) {
    stream->capture->invalidate();
    event.captured->invalidate();
    fail(sdaaErrorStreamCaptureMerge, "the event belongs to another capture");
  }
  event.captured->join(stream, event.frontier);
  stream->capture = event.captured;
}

void throw_if_failed(const Event& event) {
  if (event.count != 0 && event.recorded.failed()) throw failure_of(*event.recorded.queue);
}

void create_stream(sdaaStream_t* stream, unsigned flags) {
  require(stream != nullptr, "a null pointer");
  require(flags <= sdaaStreamNonBlocking, "flags that do not exist");
  const auto device = Runtime::get().current();
  Device::Lock lock = device->enter();
  *stream = reinterpret_cast<sdaaStream_t>(Runtime::get().streams.add(device->make_stream(lock, flags)));
}

void create_event(sdaaEvent_t* event, unsigned flags) {
  require(event != nullptr, "a null pointer");
  require((flags & sdaaEventInterprocess) == 0, "an event is its client's", sdaaErrorNotSupported);
  require((flags & ~(sdaaEventBlockingSync | sdaaEventDisableTiming)) == 0, "flags that do not exist");
  const auto device = Runtime::get().current();
  const Device::Lock lock = device->enter();
  auto fresh = std::make_shared<Event>();
  fresh->device = device;
  fresh->number = device->events().take();
  fresh->timed = (flags & sdaaEventDisableTiming) == 0;
  device->adopt(fresh);
  *event = reinterpret_cast<sdaaEvent_t>(Runtime::get().events.add(std::move(fresh)));
}

void record_event(sdaaEvent_t event, sdaaStream_t stream) {
  auto use = Runtime::get().use_stream(stream);
  const auto found = Runtime::get().events.get(event, "no such event");
  require(found->alive, "the event was destroyed", sdaaErrorInvalidHandle);
  require(found->device == use.device, "event and stream are of different devices", sdaaErrorInvalidHandle);
  if (use.stream->capture != nullptr) {
    found->captured = use.stream->capture;
    found->frontier = use.stream->frontier;
    return;
  }
  uint64_t count = 0;
  const Point point = use.writer().record_event(found->number, count);
  found->count = count;
  found->recorded = point;
  found->captured.reset();
}

}  // namespace

sdaaError_t sdaaStreamCreate(sdaaStream_t* stream) {
  return call("sdaaStreamCreate", [&] { create_stream(stream, sdaaStreamDefault); });
}

sdaaError_t sdaaStreamCreateWithFlags(sdaaStream_t* stream, unsigned int flags) {
  return call("sdaaStreamCreateWithFlags", [&] { create_stream(stream, flags); });
}

sdaaError_t sdaaStreamCreateWithPriority(sdaaStream_t* stream, unsigned int flags, int) {
  return call("sdaaStreamCreateWithPriority", [&] { create_stream(stream, flags); });
}

sdaaError_t sdaaStreamGetPriority(sdaaStream_t stream, int* priority) {
  return call("sdaaStreamGetPriority", [&] {
    require(priority != nullptr, "a null pointer");
    const auto use = Runtime::get().use_stream(stream);
    *priority = 0;
  });
}

sdaaError_t sdaaStreamGetDevice(sdaaStream_t stream, int* device) {
  return call("sdaaStreamGetDevice", [&] {
    require(device != nullptr, "a null pointer");
    *device = Runtime::get().use_stream(stream).device->number();
  });
}

sdaaError_t sdaaStreamGetId(sdaaStream_t stream, unsigned long long* id) {
  return call("sdaaStreamGetId", [&] {
    require(id != nullptr, "a null pointer");
    const auto use = Runtime::get().use_stream(stream);
    // Handles are never used twice, and a default stream is its device's.
    *id = stream == nullptr ? static_cast<unsigned long long>(use.device->number())
                            : reinterpret_cast<uintptr_t>(stream);
  });
}

sdaaError_t sdaaStreamDestroy(sdaaStream_t stream) {
  return call("sdaaStreamDestroy", [&] {
    require(stream != nullptr, "the default stream cannot be destroyed", sdaaErrorInvalidHandle);
    auto use = Runtime::get().use_stream(stream);
    const StreamWriter writer = use.writer();
    writer.refuse_capture();
    // What it was given goes on by itself.
    Streams::drop(*use.stream);
    Runtime::get().streams.remove(stream);
  });
}

sdaaError_t sdaaStreamSynchronize(sdaaStream_t stream) {
  return call("sdaaStreamSynchronize", [&] {
    auto use = Runtime::get().use_stream(stream);
    StreamWriter writer = use.writer();
    writer.refuse_capture();
    writer.wait_and_print();
    use.device->pools().trim(use.device->connection());
    writer.check();
  });
}

sdaaError_t sdaaStreamQuery(sdaaStream_t stream) {
  return call("sdaaStreamQuery", [&] {
    auto use = Runtime::get().use_stream(stream);
    const StreamWriter writer = use.writer();
    writer.refuse_capture();
    use.device->queues().look();
    if (!use.stream->last.reached()) use.device->waiting().let_a_moment_pass();
    writer.check();
    if (!use.stream->last.reached()) fail(sdaaErrorNotReady, "");
  });
}

sdaaError_t sdaaStreamGetFlags(sdaaStream_t stream, unsigned int* flags) {
  return call("sdaaStreamGetFlags", [&] {
    require(flags != nullptr, "a null pointer");
    *flags = Runtime::get().use_stream(stream).stream->flags;
  });
}

sdaaError_t sdaaStreamReset(sdaaStream_t stream) {
  return call("sdaaStreamReset", [&] {
    auto use = Runtime::get().use_stream(stream);
    StreamWriter writer = use.writer();
    writer.refuse_capture();
    use.device->streams().restart(use.lock, *use.stream);
  });
}

sdaaError_t sdaaStreamWaitEvent(sdaaStream_t stream, sdaaEvent_t event, unsigned int flags) {
  return call("sdaaStreamWaitEvent", [&] {
    require(flags == 0, "flags that do not exist");
    auto use = Runtime::get().use_stream(stream);
    const auto found = Runtime::get().events.get(event, "no such event");
    require(found->alive, "the event was destroyed", sdaaErrorInvalidHandle);
    require(found->device == use.device, "event and stream are of different devices", sdaaErrorInvalidHandle);
    if (found->captured != nullptr || use.stream->capture != nullptr) {
      if (found->captured != nullptr || found->count != 0) join(use.stream, *found);
      return;
    }
    StreamWriter writer = use.writer();
    writer.check();
    // Never recorded, or complete: there is nothing to wait for.
    if (is_complete(use.device->connection(), *found)) return;
    writer.wait_event(found->number, found->count);
  });
}

sdaaError_t sdaaLaunchHostFunc(sdaaStream_t stream, sdaaHostFn_t function, void* user) {
  return call("sdaaLaunchHostFunc", [&] {
    require(function != nullptr, "a null pointer");
    auto use = Runtime::get().use_stream(stream);
    StreamWriter writer = use.writer();
    writer.refuse_capture();
    writer.host_call([function, user](sdaaError_t) { function(user); }, false);
  });
}

sdaaError_t sdaaStreamAddCallback(sdaaStream_t stream, sdaaStreamCallback_t function, void* user,
                                  unsigned int flags) {
  return call("sdaaStreamAddCallback", [&] {
    require(function != nullptr, "a null pointer");
    require(flags == 0, "flags that do not exist");
    auto use = Runtime::get().use_stream(stream);
    StreamWriter writer = use.writer();
    writer.refuse_capture();
    writer.host_call([=](sdaaError_t status) { function(stream, status, user); }, true);
  });
}

sdaaError_t sdaaEventCreate(sdaaEvent_t* event) {
  return call("sdaaEventCreate", [&] { create_event(event, sdaaEventDefault); });
}

sdaaError_t sdaaEventCreateWithFlags(sdaaEvent_t* event, unsigned int flags) {
  return call("sdaaEventCreateWithFlags", [&] { create_event(event, flags); });
}

sdaaError_t sdaaEventDestroy(sdaaEvent_t event) {
  return call("sdaaEventDestroy", [&] {
    const auto use = use_event(event);
    use.object->alive = false;
    use.object->device->events().give_back(use.object->number);
    Runtime::get().events.remove(event);
  });
}

sdaaError_t sdaaEventRecord(sdaaEvent_t event, sdaaStream_t stream) {
  return call("sdaaEventRecord", [&] { record_event(event, stream); });
}

sdaaError_t sdaaEventRecordWithFlags(sdaaEvent_t event, sdaaStream_t stream, unsigned int flags) {
  return call("sdaaEventRecordWithFlags", [&] {
    require((flags & sdaaEventRecordExternal) == 0, "a graph knows no events", sdaaErrorNotSupported);
    require(flags == sdaaEventRecordDefault, "flags that do not exist");
    record_event(event, stream);
  });
}

sdaaError_t sdaaEventSynchronize(sdaaEvent_t event) {
  return call("sdaaEventSynchronize", [&] {
    auto use = use_event(event);
    refuse_captured(*use.object);
    Device& device = *use.object->device;
    wait_and_print(device, use.lock, [&] {
      device.waiting().until(use.lock, [&] { return is_complete(device.connection(), *use.object); });
    });
    device.pools().trim(device.connection());
    throw_if_failed(*use.object);
  });
}

sdaaError_t sdaaEventQuery(sdaaEvent_t event) {
  return call("sdaaEventQuery", [&] {
    const auto use = use_event(event);
    refuse_captured(*use.object);
    Device& device = *use.object->device;
    device.queues().look();
    if (!is_complete(device.connection(), *use.object)) device.waiting().let_a_moment_pass();
    throw_if_failed(*use.object);
    if (!is_complete(device.connection(), *use.object)) fail(sdaaErrorNotReady, "");
  });
}

sdaaError_t sdaaEventElapsedTime(float* milliseconds, sdaaEvent_t start, sdaaEvent_t end) {
  return call("sdaaEventElapsedTime", [&] {
    require(milliseconds != nullptr, "a null pointer");
    const auto first = Runtime::get().events.get(start, "no such event");
    const auto use = use_event(end);
    Device& device = *use.object->device;
    require(first->device.get() == &device, "the events are of different devices", sdaaErrorInvalidHandle);
    require(first->timed && use.object->timed, "an event was made without timing", sdaaErrorInvalidHandle);
    require(first->count != 0 && use.object->count != 0, "an event was never recorded",
            sdaaErrorInvalidHandle);
    device.queues().look();
    for (const auto& event : {first, use.object}) {
      refuse_captured(*event);
      throw_if_failed(*event);
      if (!is_complete(device.connection(), *event)) fail(sdaaErrorNotReady, "");
    }
    const uint64_t from = device.connection().event(first->number).cycle;
    const uint64_t to = device.connection().event(use.object->number).cycle;
    *milliseconds = static_cast<float>(static_cast<double>(static_cast<int64_t>(to - from)) * 1e-6);
  });
}
