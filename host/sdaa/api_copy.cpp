// Copies and fills.
#include <limits>
#include <vector>

#include "host/sdaa/call.hpp"
#include "host/sdaa/copy.hpp"

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
  return call("sdaaMemcpyPeer", [&] {
    const auto target = Runtime::get().device(to_device);
    const auto source = Runtime::get().device(from_device);
    if (target == source) {
      Device::Lock lock = target->enter();
      const auto stream = target->default_stream();
      copy(*target, lock, *stream, to, from, {bytes, 1, 0, 0}, sdaaMemcpyDeviceToDevice, Mode::kSync);
      return;
    }
    // Through the host, a piece after the other.
    constexpr size_t kPiece = 4 << 20;
    std::vector<uint8_t> piece(std::min(bytes, kPiece));
    const auto address = [](const void* pointer, size_t offset) {
      return reinterpret_cast<void*>(reinterpret_cast<uintptr_t>(pointer) + offset);
    };
    for (size_t done = 0; done < bytes; done += piece.size()) {
      const CopyShape shape{std::min(piece.size(), bytes - done), 1, 0, 0};
      {
        Device::Lock lock = source->enter();
        const auto stream = source->default_stream();
        copy(*source, lock, *stream, piece.data(), address(from, done), shape, sdaaMemcpyDeviceToHost,
             Mode::kSync);
      }
      Device::Lock lock = target->enter();
      const auto stream = target->default_stream();
      copy(*target, lock, *stream, address(to, done), piece.data(), shape, sdaaMemcpyHostToDevice,
           Mode::kSync);
    }
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
