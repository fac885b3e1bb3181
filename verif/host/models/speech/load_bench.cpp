// SPDX-License-Identifier: Apache-2.0
// What the host does to load a packed Whisper model, stage by stage, for measure_load.py, which loads this
// library so that all is measured in one process. Everything ends in a window as the runtime has it: its
// buffers, which the card reads while the next one is filled. The card itself is not there, and its time in
// no figure.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

#include "host/models/files/packed_file.hpp"
#include "host/models/speech/whisper_model.hpp"
#include "host/runtime/host_copies.hpp"
#include "host/runtime/host_memory.hpp"

namespace swai {
namespace {

using Json = nlohmann::ordered_json;

class Window {
 public:
  // Shared, as memory is that the card's process maps; all pages are there, as pinned ones are.
  Window() {
    void* const at =
        ::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    if (at == MAP_FAILED) throw std::runtime_error("no memory for the window");
    memory_ = static_cast<uint8_t*>(at);
  }
  ~Window() { ::munmap(memory_, kBytes); }
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;

  static constexpr size_t kPiece = sdaa::HostMemory::kBufferBytes;
  uint8_t* next() { return memory_ + kPiece * (turn_++ % sdaa::Staging::kBuffers); }

  void take(std::span<const uint8_t> contents) {
    for (size_t at = 0; at < contents.size(); at += kPiece)
      std::memcpy(next(), contents.data() + at, std::min(kPiece, contents.size() - at));
    taken_ += contents.size();
  }
  size_t count_taken() { return std::exchange(taken_, 0); }

 private:
  static constexpr size_t kBytes = kPiece * sdaa::Staging::kBuffers;
  uint8_t* memory_ = nullptr;
  size_t turn_ = 0;
  size_t taken_ = 0;
};

Window& window() {
  static Window one;
  return one;
}

// Milliseconds from one stage's end to the next one's.
class Stages {
 public:
  void end(const char* name) {
    const auto now = Clock::now();
    json_[name] = std::chrono::duration<double, std::milli>(now - begin_).count();
    begin_ = now;
  }
  const Json& json() const { return json_; }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point begin_ = Clock::now();
  Json json_;
};

// As transcribe::open_whisper does it, and transcribe::CardSpeech with what comes of it.
Json load(const std::string& path) {
  Stages stages;
  const auto file = models::PackedFile::open(path);
  if (!file) throw std::runtime_error(path + " is not packed");
  stages.end("map and header");
  const transcribe::WhisperModel model = transcribe::open_packed(*file);
  stages.end("graphs and spans");
  const auto put = [](const std::string&, std::span<const uint8_t> contents) { window().take(contents); };
  model.encoder(put);
  model.decoder(put);
  stages.end("copy");
  return stages.json();
}

// The least that any load can take: the file read into the window.
Json read(const std::string& path) {
  Stages stages;
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  ssize_t got = 0;
  do {
    got = ::read(file, window().next(), Window::kPiece);
  } while (got > 0);
  if (file >= 0) ::close(file);
  if (got < 0) throw std::runtime_error(path + " cannot be read");
  stages.end("read");
  return stages.json();
}

Json answer(Json (*measure)(const std::string&), const char* path) {
  try {
    return measure(path);
  } catch (const std::exception& error) {
    return {{"error", error.what()}};
  }
}

const char* kept(const Json& json) {
  static std::string text;
  text = json.dump();
  return text.c_str();
}

}  // namespace
}  // namespace swai

// Both give milliseconds by stage, as JSON that stays until the next call.
extern "C" __attribute__((visibility("default"))) const char* load_bench_load(const char* path) {
  return swai::kept(swai::answer(swai::load, path));
}

extern "C" __attribute__((visibility("default"))) const char* load_bench_read(const char* path) {
  return swai::kept(swai::answer(swai::read, path));
}

// For those who have something else to bring into the window.
extern "C" __attribute__((visibility("default"))) void load_bench_take(const void* contents, size_t bytes) {
  swai::window().take({static_cast<const uint8_t*>(contents), bytes});
}

// Bytes that came into the window since the last call, of what is read apart.
extern "C" __attribute__((visibility("default"))) size_t load_bench_taken() {
  return swai::window().count_taken();
}
