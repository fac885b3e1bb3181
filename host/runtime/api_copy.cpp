// SPDX-License-Identifier: Apache-2.0
// Copies and fills.
#include <cstdint>

#include "host/runtime/call.hpp"
#include "host/runtime/copy.hpp"
#include "host/runtime/peers.hpp"

using namespace swai::sdaa;

namespace {

void start_copy(void* to, const void* from, const CopyShape& shape, sdaaMemcpyKind kind, sdaaStream_t stream,
                Mode mode) {
  auto use = Runtime::get().use_stream(stream);
  copy(use.writer(), to, from, shape, kind, mode);
}

void start_fill(void* to, const Pattern& pattern, const CopyShape& shape, sdaaStream_t stream, Mode mode) {
  auto use = Runtime::get().use_stream(stream);
  StreamWriter writer = use.writer();
  fill(writer, to, pattern, shape);
  if (mode == Mode::kSync) writer.wait();
}
void start_fill(void* to, int value, size_t bytes, sdaaStream_t stream, Mode mode) {
  start_fill(to, {static_cast<uint8_t>(value), 1}, {bytes, 1, 0, 0}, stream, mode);
}
// `count` values of so many bytes.
void start_fill(void* to, const Pattern& pattern, size_t count, sdaaStream_t stream, Mode mode) {
  require(count <= ~size_t{0} / pattern.bytes, "more bytes than there can be");
  start_fill(to, pattern, CopyShape{count * pattern.bytes, 1, 0, 0}, stream, mode);
}

CopyShape filled_rows(size_t pitch, size_t width, size_t height) {
  require(width <= pitch, "the pitch is smaller than the width", sdaaErrorInvalidPitchValue);
  return {width, height, pitch, pitch};
}

void start_fill_box(const sdaaPitchedPtr& to, int value, const sdaaExtent& extent, sdaaStream_t stream,
                    Mode mode) {
  require(extent.depth <= 1 || extent.height <= to.ysize, "slices have fewer rows than are to be filled");
  const CopyShape shape = filled_rows(to.pitch, extent.width, extent.height);
  for (size_t z = 0; z < extent.depth; ++z)
    start_fill(slice(to, z), {static_cast<uint8_t>(value), 1}, shape, stream, mode);
}

void start_copy_box(const sdaaMemcpy3DParms* box, sdaaStream_t stream, Mode mode) {
  require(box != nullptr, "a null pointer");
  for (const CopyPiece& piece : pieces_of(*box))
    start_copy(piece.to, piece.from, piece.shape, box->kind, stream, mode);
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
    start_copy(to, from, rows_of(to_pitch, from_pitch, width, height), kind, nullptr, Mode::kSync);
  });
}

sdaaError_t sdaaMemcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                              size_t height, sdaaMemcpyKind kind, sdaaStream_t stream) {
  return call("sdaaMemcpy2DAsync", [&] {
    start_copy(to, from, rows_of(to_pitch, from_pitch, width, height), kind, stream, Mode::kAsync);
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

sdaaError_t sdaaMemcpyWithStream(void* to, const void* from, size_t bytes, sdaaMemcpyKind kind,
                                 sdaaStream_t stream) {
  return call("sdaaMemcpyWithStream", [&] {
    start_copy(to, from, {bytes, 1, 0, 0}, kind, stream, Mode::kSync);
  });
}

sdaaError_t sdaaMemcpy3D(const sdaaMemcpy3DParms* parameters) {
  return call("sdaaMemcpy3D", [&] { start_copy_box(parameters, nullptr, Mode::kSync); });
}

sdaaError_t sdaaMemcpy3DAsync(const sdaaMemcpy3DParms* parameters, sdaaStream_t stream) {
  return call("sdaaMemcpy3DAsync", [&] { start_copy_box(parameters, stream, Mode::kAsync); });
}

sdaaError_t sdaaMemcpyHtoDAsync(void* to, const void* from, size_t bytes, sdaaStream_t stream) {
  return call("sdaaMemcpyHtoDAsync", [&] {
    start_copy(to, from, {bytes, 1, 0, 0}, sdaaMemcpyHostToDevice, stream, Mode::kAsync);
  });
}

sdaaError_t sdaaMemcpyDtoHAsync(void* to, const void* from, size_t bytes, sdaaStream_t stream) {
  return call("sdaaMemcpyDtoHAsync", [&] {
    start_copy(to, from, {bytes, 1, 0, 0}, sdaaMemcpyDeviceToHost, stream, Mode::kAsync);
  });
}

sdaaError_t sdaaMemcpyDtoDAsync(void* to, const void* from, size_t bytes, sdaaStream_t stream) {
  return call("sdaaMemcpyDtoDAsync", [&] {
    start_copy(to, from, {bytes, 1, 0, 0}, sdaaMemcpyDeviceToDevice, stream, Mode::kAsync);
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
  return call("sdaaMemset", [&] { start_fill(to, value, bytes, nullptr, Mode::kSync); });
}

sdaaError_t sdaaMemsetAsync(void* to, int value, size_t bytes, sdaaStream_t stream) {
  return call("sdaaMemsetAsync", [&] { start_fill(to, value, bytes, stream, Mode::kAsync); });
}

sdaaError_t sdaaMemset2D(void* to, size_t pitch, int value, size_t width, size_t height) {
  return call("sdaaMemset2D", [&] {
    start_fill(to, {static_cast<uint8_t>(value), 1}, filled_rows(pitch, width, height), nullptr, Mode::kSync);
  });
}

sdaaError_t sdaaMemset2DAsync(void* to, size_t pitch, int value, size_t width, size_t height,
                              sdaaStream_t stream) {
  return call("sdaaMemset2DAsync", [&] {
    start_fill(to, {static_cast<uint8_t>(value), 1}, filled_rows(pitch, width, height), stream, Mode::kAsync);
  });
}

sdaaError_t sdaaMemset3D(sdaaPitchedPtr to, int value, sdaaExtent extent) {
  return call("sdaaMemset3D", [&] { start_fill_box(to, value, extent, nullptr, Mode::kSync); });
}

sdaaError_t sdaaMemset3DAsync(sdaaPitchedPtr to, int value, sdaaExtent extent, sdaaStream_t stream) {
  return call("sdaaMemset3DAsync", [&] { start_fill_box(to, value, extent, stream, Mode::kAsync); });
}

sdaaError_t sdaaMemsetD8(void* to, unsigned char value, size_t count) {
  return call("sdaaMemsetD8", [&] { start_fill(to, Pattern{value, 1}, count, nullptr, Mode::kSync); });
}

sdaaError_t sdaaMemsetD8Async(void* to, unsigned char value, size_t count, sdaaStream_t stream) {
  return call("sdaaMemsetD8Async", [&] { start_fill(to, Pattern{value, 1}, count, stream, Mode::kAsync); });
}

sdaaError_t sdaaMemsetD16(void* to, unsigned short value, size_t count) {
  return call("sdaaMemsetD16", [&] { start_fill(to, Pattern{value, 2}, count, nullptr, Mode::kSync); });
}

sdaaError_t sdaaMemsetD16Async(void* to, unsigned short value, size_t count, sdaaStream_t stream) {
  return call("sdaaMemsetD16Async", [&] { start_fill(to, Pattern{value, 2}, count, stream, Mode::kAsync); });
}

sdaaError_t sdaaMemsetD32(void* to, unsigned int value, size_t count) {
  return call("sdaaMemsetD32", [&] { start_fill(to, Pattern{value, 4}, count, nullptr, Mode::kSync); });
}

sdaaError_t sdaaMemsetD32Async(void* to, unsigned int value, size_t count, sdaaStream_t stream) {
  return call("sdaaMemsetD32Async", [&] { start_fill(to, Pattern{value, 4}, count, stream, Mode::kAsync); });
}
