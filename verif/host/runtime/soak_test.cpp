// SPDX-License-Identifier: Apache-2.0
// A soak: four threads, each with a stream of its own, give a played card mixed commands, some of which fail.
// Every thread knows what its memory must hold: what was before a failure has happened, once, and nothing
// behind it has.
#include <array>
#include <atomic>
#include <cstring>
#include <deque>
#include <thread>

#include "verif/host/runtime/kernels.hpp"
#include "verif/host/runtime/tools.hpp"
#include "verif/kit/doctest_main.hpp"

using namespace swai;
using namespace swai::sdaa;

namespace {

constexpr unsigned kThreads = 4;
constexpr uint64_t kCommands = 100'000;  // of all threads together
constexpr uint32_t kCount = 4096;        // numbers in a buffer
constexpr size_t kBytes = kCount * sizeof(int32_t);

using Numbers = std::vector<int32_t>;

struct Failure {};

class Client {
 public:
  Client(uint64_t seed, uint64_t commands) : random_(seed), left_(commands) {}

  // False: what() says what was not as it should be.
  bool run() {
    try {
      begin();
      while (left_ > 0) {
        batch();
        if (below(8) == 0) compare("memory", y_, ys_);
        if (below(100) == 0) reload();
      }
      compare("memory", y_, ys_);
      compare("other memory", x_, xs_);
      end();
      return true;
    } catch (const Failure&) {
      return false;
    }
  }
  const std::string& what() const { return what_; }
  uint64_t given() const { return given_; }
  uint64_t failures() const { return failures_; }

 private:
  // What of it is compared when the stream is complete.
  struct Read {
    size_t first;
    std::vector<uint8_t> expected;
    std::vector<uint8_t> got;
  };

  uint32_t below(uint32_t limit) { return static_cast<uint32_t>(random_() % limit); }
  [[noreturn]] void fail(const std::string& what) {
    what_ = what;
    throw Failure{};
  }
  void need(sdaaError_t result, const char* call) {
    if (result != sdaaSuccess) fail(std::string(call) + ": " + swai::sdaa::what(result));
  }

  void begin() {
    need(sdaaStreamCreateWithFlags(&stream_, sdaaStreamNonBlocking), "stream");
    need(sdaaEventCreate(&event_), "event");
    need(sdaaMalloc(&x_, kBytes), "memory");
    need(sdaaMalloc(&y_, kBytes), "memory");
    need(sdaaMallocHost(&pinned_, kBytes), "pinned memory");
    need(sdaaMemset(x_, 0, kBytes), "memset");
    need(sdaaMemset(y_, 0, kBytes), "memset");
    load();
  }
  void end() {
    need(sdaaModuleUnload(module_), "unload");
    need(sdaaFree(x_), "free");
    need(sdaaFree(y_), "free");
    need(sdaaFreeHost(pinned_), "free");
    need(sdaaEventDestroy(event_), "event");
    need(sdaaStreamDestroy(stream_), "stream");
  }
  void load() {
    const auto file = fake_module();
    need(sdaaModuleLoadBytes(&module_, file.data(), file.size()), "load");
    for (const auto& [name, function] :
         {std::pair{"axpy_int", &axpy_}, {"hang", &hang_}, {"breakpoint", &breakpoint_}})
      need(sdaaModuleGetFunction(function, module_, name), name);
  }
  void reload() {
    need(sdaaModuleUnload(module_), "unload");
    load();
  }

  // Some commands, of which one may fail; then everything is compared.
  void batch() {
    const auto count = static_cast<uint32_t>(std::min<uint64_t>(left_, 1 + below(40)));
    const uint32_t fault_at = below(6) == 0 ? below(count) : count;
    expected_ = sdaaSuccess;
    reads_.clear();
    sources_.clear();
    for (uint32_t i = 0; i < count; ++i) {
      ++given_;
      --left_;
      const sdaaError_t result = i == fault_at ? fault() : command();
      // A failure may be known before the last command is given.
      if (result != sdaaSuccess && result == expected_) break;
      need(result, "command");
    }
    const sdaaError_t result = sdaaStreamSynchronize(stream_);
    if (result != expected_) fail("a stream ended otherwise than it should: " + swai::sdaa::what(result));
    if (expected_ != sdaaSuccess) {
      ++failures_;
      need(sdaaStreamReset(stream_), "reset");
    }
    for (const Read& read : reads_) {
      if (read.got != read.expected) fail("a copy to the host brought something else");
    }
    if (called_ != calls_) fail("functions of the host were called more or less often");
  }

  // The model moves only while nothing has failed.
  bool happens() const { return expected_ == sdaaSuccess; }

  sdaaError_t command() {
    const size_t first = below(kBytes);
    const size_t bytes = 1 + below(static_cast<uint32_t>(kBytes - first));
    auto* const to = reinterpret_cast<uint8_t*>(ys_.data()) + first;
    switch (below(9)) {
      case 0: {
        const auto value = static_cast<uint8_t>(random_());
        if (happens()) std::memset(to, value, bytes);
        return sdaaMemsetAsync(beyond(y_, first), value, bytes, stream_);
      }
      case 1: {
        sources_.push_back(random_bytes(random_, bytes));
        if (happens()) std::memcpy(to, sources_.back().data(), bytes);
        return sdaaMemcpyAsync(beyond(y_, first), sources_.back().data(), bytes, sdaaMemcpyHostToDevice,
                               stream_);
      }
      case 2: {
        if (happens()) std::memcpy(reinterpret_cast<uint8_t*>(xs_.data()) + first, to, bytes);
        return sdaaMemcpyAsync(beyond(x_, first), beyond(y_, first), bytes, sdaaMemcpyDeviceToDevice,
                               stream_);
      }
      case 3:
      case 4: {
        const uint32_t at = 16 * below(kCount / 16);
        const uint32_t count = 16 * (1 + below((kCount - at) / 16));
        const auto a = static_cast<int32_t>(below(7));
        if (happens()) {
          for (uint32_t i = at; i < at + count; ++i) {
            ys_[i] = static_cast<int32_t>(static_cast<uint32_t>(ys_[i]) +
                                          static_cast<uint32_t>(a) * static_cast<uint32_t>(xs_[i]));
          }
        }
        const AxpyIntArgs args = {cpe::GlobalPtr<int32_t>(bits(beyond(y_, at * 4))),
                                  cpe::GlobalPtr<const int32_t>(bits(beyond(x_, at * 4))), count, a};
        return sdaaLaunchKernel(axpy_, &args, 0, stream_);
      }
      case 5: {
        if (happens()) ++calls_;
        return sdaaLaunchHostFunc(
            stream_, [](void* user) { ++*static_cast<std::atomic<uint64_t>*>(user); }, &called_);
      }
      case 6: {
        // Pageable memory: filled when the stream is complete.
        if (!happens()) return sdaaEventRecord(event_, stream_);
        reads_.push_back({first, {to, to + bytes}, std::vector<uint8_t>(bytes)});
        return sdaaMemcpyAsync(reads_.back().got.data(), beyond(y_, first), bytes, sdaaMemcpyDeviceToHost,
                               stream_);
      }
      case 7: {
        const size_t width = 1 + below(100);
        const size_t rows = 1 + below(static_cast<uint32_t>(kBytes / 128));
        if (happens()) {
          for (size_t row = 0; row < rows; ++row)
            std::memset(reinterpret_cast<uint8_t*>(ys_.data()) + row * 128, 0x5a, width);
        }
        return sdaaMemset2DAsync(y_, 128, 0x5a, width, rows, stream_);
      }
      default: {
        // Memory that comes and goes beside the stream.
        void* more = nullptr;
        const sdaaError_t result = sdaaMalloc(&more, size_t{1} << below(22));
        if (result == sdaaErrorOutOfMemory) return sdaaEventRecord(event_, stream_);
        need(result, "malloc");
        need(sdaaFree(more), "free");
        return sdaaSuccess;
      }
    }
  }

  sdaaError_t fault() {
    switch (below(3)) {
      case 0: {
        expected_ = sdaaErrorAssert;
        return sdaaLaunchKernel(breakpoint_, nullptr, 0, stream_);
      }
      case 1: {
        expected_ = sdaaErrorLaunchTimeOut;
        const sdaaLaunchConfig_t config = {sizeof config, 0, sdaaAnyGroup, 20'000, 0};
        return sdaaLaunch(hang_, &config, nullptr, 0, stream_);
      }
      default: {
        expected_ = sdaaErrorIllegalAddress;
        const AxpyIntArgs args = {cpe::GlobalPtr<int32_t>(uint64_t{0x7123} << 48),
                                  cpe::GlobalPtr<const int32_t>(bits(x_)), 64, 1};
        return sdaaLaunchKernel(axpy_, &args, 0, stream_);
      }
    }
  }

  void compare(const char* name, const void* device, const Numbers& expected) {
    const sdaaError_t result = sdaaMemcpyAsync(pinned_, device, kBytes, sdaaMemcpyDeviceToHost, stream_);
    need(result, "copy");
    need(sdaaStreamSynchronize(stream_), "copy");
    if (std::memcmp(pinned_, expected.data(), kBytes) != 0)
      fail(std::string(name) + " is not what it should be");
  }

  std::mt19937_64 random_;
  uint64_t left_;
  uint64_t given_ = 0;
  uint64_t failures_ = 0;
  std::string what_;
  sdaaStream_t stream_ = nullptr;
  sdaaEvent_t event_ = nullptr;
  sdaaModule_t module_ = nullptr;
  sdaaFunction_t axpy_ = nullptr;
  sdaaFunction_t hang_ = nullptr;
  sdaaFunction_t breakpoint_ = nullptr;
  void* x_ = nullptr;
  void* y_ = nullptr;
  void* pinned_ = nullptr;
  Numbers xs_ = Numbers(kCount);
  Numbers ys_ = Numbers(kCount);
  sdaaError_t expected_ = sdaaSuccess;  // of the batch
  std::deque<Read> reads_;
  std::deque<std::vector<uint8_t>> sources_;
  uint64_t calls_ = 0;
  std::atomic<uint64_t> called_ = 0;
};

}  // namespace

TEST_CASE("mixed commands from four threads, some of which fail: nothing is lost and nothing left behind") {
  const Fakes fakes;
  size_t free_before = 0;
  size_t total = 0;
  REQUIRE_OK(sdaaMemGetInfo(&free_before, &total));
  std::deque<Client> clients;
  for (unsigned i = 0; i < kThreads; ++i) clients.emplace_back(test_seed() * 100 + i, kCommands / kThreads);
  std::array<bool, kThreads> good{};
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < kThreads; ++i) threads.emplace_back([&, i] { good[i] = clients[i].run(); });
  for (std::thread& thread : threads) thread.join();
  uint64_t failures = 0;
  for (unsigned i = 0; i < kThreads; ++i) {
    INFO(clients[i].what());
    CHECK(good[i]);
    CHECK(clients[i].given() == kCommands / kThreads);
    failures += clients[i].failures();
  }
  CHECK(failures > kCommands / 1000);
  size_t free_after = 0;
  REQUIRE_OK(sdaaMemGetInfo(&free_after, &total));
  CHECK(free_after == free_before);
}
