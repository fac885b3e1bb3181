// SPDX-License-Identifier: Apache-2.0
#include "host/transport/fault_backend.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <optional>
#include <thread>
#include <utility>

namespace swai::link {

const char* name(InjectedFault fault) {
  static constexpr const char* kNames[kInjectedFaults] = {"connection dropped before",
                                                          "connection dropped after",
                                                          "refused",
                                                          "answer lost",
                                                          "delayed",
                                                          "short read"};
  return kNames[static_cast<unsigned>(fault)];
}

namespace {

class FaultBackend final : public Backend {
 public:
  FaultBackend(std::unique_ptr<Backend> wrapped, FaultPlan plan)
      : wrapped_(std::move(wrapped)), plan_(std::move(plan)), engine_(plan_.seed) {}

  const Description& describe() const override { return wrapped_->describe(); }

  void read(unsigned region, uint64_t offset, Buffer to) override {
    around("read", true, [&](bool cut) {
      if (!cut || to.size() < 2) return wrapped_->read(region, offset, to);
      const size_t some = 1 + engine_() % (to.size() - 1);
      wrapped_->read(region, offset, to.first(some));
      throw Error(ErrorKind::kIncomplete,
                  fmt::format("injected: only {} of {} bytes were read", some, to.size()));
    });
  }
  void write(unsigned region, uint64_t offset, Bytes from) override {
    around("write", false, [&](bool) { wrapped_->write(region, offset, from); });
  }
  void post(unsigned region, uint64_t offset, Bytes from) override {
    around("post", false, [&](bool) { wrapped_->post(region, offset, from); });
  }
  void map(const DmaMapping& mapping) override {
    around("map", false, [&](bool) { wrapped_->map(mapping); });
  }
  void unmap(uint64_t iova, uint64_t bytes) override {
    around("unmap", false, [&](bool) { wrapped_->unmap(iova, bytes); });
  }
  void set_interrupts(std::span<const int> eventfds) override {
    around("set_interrupts", false, [&](bool) { wrapped_->set_interrupts(eventfds); });
  }
  void reset() override {
    around("reset", false, [&](bool) { wrapped_->reset(); });
  }
  vendor::RunResult run_until(const vendor::RunRequest& request) override {
    vendor::RunResult result;
    around("run_until", false, [&](bool) { result = wrapped_->run_until(request); });
    return result;
  }
  bool wait(std::span<pollfd> fds, Milliseconds timeout) override {
    bool result = false;
    around("wait", false, [&](bool) { result = wrapped_->wait(fds, timeout); });
    return result;
  }
  int fd() const override { return wrapped_->fd(); }
  void close() override { wrapped_->close(); }

 private:
  std::optional<InjectedFault> draw(bool is_read) {
    if (calls_++ < plan_.spare_calls) return std::nullopt;
    // One draw per call, so that the same calls meet the same faults.
    const unsigned drawn = static_cast<unsigned>(engine_() % 1000);
    unsigned sum = 0;
    for (unsigned i = 0; i < kInjectedFaults; ++i) {
      sum += plan_.per_mille[i];
      if (drawn >= sum) continue;
      const auto fault = static_cast<InjectedFault>(i);
      return fault == InjectedFault::kShortRead && !is_read ? std::nullopt : std::optional(fault);
    }
    return std::nullopt;
  }

  [[noreturn]] void drop() {
    wrapped_->close();
    throw Error(ErrorKind::kLost, "injected: the connection to the card is lost; open it again");
  }

  template <typename Call>
  void around(const char* what, bool is_read, const Call& call) {
    const auto fault = draw(is_read);
    if (fault && plan_.on_fault) plan_.on_fault(*fault, what);
    if (fault == InjectedFault::kDropBefore) drop();
    if (fault == InjectedFault::kRefuse) {
      throw Error(ErrorKind::kRefused, fmt::format("injected: {} was refused", what), EIO);
    }
    if (fault == InjectedFault::kDelay) std::this_thread::sleep_for(plan_.delay);
    call(fault == InjectedFault::kShortRead);
    if (fault == InjectedFault::kDropAfter) drop();
    if (fault == InjectedFault::kTimeOut) {
      throw Error(ErrorKind::kTimedOut, fmt::format("injected: the answer to {} did not come", what));
    }
  }

  std::unique_ptr<Backend> wrapped_;
  FaultPlan plan_;
  std::mt19937_64 engine_;
  uint64_t calls_ = 0;
};

}  // namespace

std::unique_ptr<Backend> inject_faults(std::unique_ptr<Backend> wrapped, FaultPlan plan) {
  return std::make_unique<FaultBackend>(std::move(wrapped), std::move(plan));
}

}  // namespace swai::link
