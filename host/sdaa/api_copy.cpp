// Copies and fills.
#include <cstdint>

#include "host/sdaa/call.hpp"
#include "host/sdaa/copy.hpp"
#include "host/sdaa/peers.hpp"

using namespace swai::sdaa;

namespace {

void start_copy(void* to, const void* from, const CopyShape& shape, sdaaMemcpyKind kind, sdaaStream_t stream,
                Mode mode) {
  auto use = Runtime::get().use_stream(stream);
  copy(*use.device, use.lock, *use.stream, to, from, shape, kind, mode);
}

CopyShape rows(size_t to_pitch, size_t from_pitch, size_t width, size_t height) {
  require(width <= to_pitch && width <= from_pitch, "a pitch is smaller than the width",
          sdaaErrorInvalidPitchValue);
  return {width, height, to_pitch, from_pitch};
}

void start_fill(void* to, int value, size_t bytes, size_t height, size_t pitch, sdaaStream_t stream,
                Mode mode) {
  auto use = Runtime::get().use_stream(stream);
  fill(*use.device, use.lock, *use.stream, to, static_cast<uint8_t>(value), bytes, height, pitch);
  if (mode == Mode::kSync && use.stream->last.queue != nullptr) use.device->wait(use.lock, use.stream->last);
}

PeerMemory peer_memory(const void* pointer, int device) {
  return {Runtime::get().device(device), reinterpret_cast<uintptr_t>(pointer)};
}

}  // namespace

sdaaError_t sdaaMemcpy(void* to, const void* from, size_t bytes, sdaaMemcpyKind kind) {
  return call("sdaaMemcpy", [&] { start_copy(to, from, {bytes, 1, 0, 0}, kind, nullptr, Mode::kSync); });
}

sdaaError_t sdaaMemcpyAsync(void* to, const void* from, size_t bytes, sdaaMemcpyKind kind,
                            sdaaStream_t stream) {
  return call("sdaaMemcpyAsync", [&] { start_copy(to, from, {bytes, 1, 0, 0}, kind, stream, Mode::kAsync); });
}

sdaaError_t sdaaMemcpy2D(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                         size_t height, sdaaMemcpyKind kind) {
  return call("sdaaMemcpy2D", [&] {
    start_copy(to, from, rows(to_pitch, from_pitch, width, height), kind, nullptr, Mode::kSync);
  });
}

sdaaError_t sdaaMemcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                              size_t height, sdaaMemcpyKind kind, sdaaStream_t stream) {
  return call("sdaaMemcpy2DAsync", [&] {
    start_copy(to, from, rows(to_pitch, from_pitch, width, height), kind, stream, Mode::kAsync);
  });
}

sdaaError_t sdaaMemcpyHtoD(void* to, const void* from, size_t bytes) {
  return call("sdaaMemcpyHtoD", [&] {
    start_copy(to, from, {bytes, 1, 0, 0}, sdaaMemcpyHostToDevice, nullptr, Mode::kSync);
  });
}

sdaaError_t sdaaMemcpyDtoH(void* to, const void* from, size_t bytes) {
  return call("sdaaMemcpyDtoH", [&] {
    start_copy(to, from, {bytes, 1, 0, 0}, sdaaMemcpyDeviceToHost, nullptr, Mode::kSync);
  });
}

sdaaError_t sdaaMemcpyDtoD(void* to, const void* from, size_t bytes) {
  return call("sdaaMemcpyDtoD", [&] {
    start_copy(to, from, {bytes, 1, 0, 0}, sdaaMemcpyDeviceToDevice, nullptr, Mode::kSync);
  });
}

sdaaError_t sdaaMemcpyPeer(void* to, int to_device, const void* from, int from_device, size_t bytes) {
  return call("sdaaMemcpyPeer",
              [&] { copy_between(peer_memory(to, to_device), peer_memory(from, from_device), bytes); });
}

sdaaError_t sdaaMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device, size_t bytes,
                                sdaaStream_t stream) {
  return call("sdaaMemcpyPeerAsync", [&] {
    start_copy_between(peer_memory(to, to_device), peer_memory(from, from_device), bytes, stream);
  });
}

sdaaError_t sdaaMemset(void* to, int value, size_t bytes) {
  return call("sdaaMemset", [&] { start_fill(to, value, bytes, 1, 0, nullptr, Mode::kSync); });
}

sdaaError_t sdaaMemsetAsync(void* to, int value, size_t bytes, sdaaStream_t stream) {
  return call("sdaaMemsetAsync", [&] { start_fill(to, value, bytes, 1, 0, stream, Mode::kAsync); });
}

sdaaError_t sdaaMemset2D(void* to, size_t pitch, int value, size_t width, size_t height) {
  return call("sdaaMemset2D", [&] {
    require(width <= pitch, "the pitch is smaller than the width", sdaaErrorInvalidPitchValue);
    start_fill(to, value, width, height, pitch, nullptr, Mode::kSync);
  });
}

sdaaError_t sdaaMemset2DAsync(void* to, size_t pitch, int value, size_t width, size_t height,
                              sdaaStream_t stream) {
  return call("sdaaMemset2DAsync", [&] {
    require(width <= pitch, "the pitch is smaller than the width", sdaaErrorInvalidPitchValue);
    start_fill(to, value, width, height, pitch, stream, Mode::kAsync);
  });
}
