// Threads that do pieces of work together, again and again.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

namespace swai::iss::cpe {

class Workers {
 public:
  // The caller is one of them.
  explicit Workers(unsigned count);
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  unsigned count() const { return static_cast<unsigned>(threads_.size()) + 1; }
  // Calls work(0) to work(pieces - 1), each once, and returns when all are done. Whoever has time takes the
  // next one: the caller never waits for a thread that has yet to wake up.
  void run(unsigned pieces, const std::function<void(unsigned piece)>& work);

 private:
  void serve();
  void take_pieces();

  // Of the work under way, which changes only when all of it is done.
  const std::function<void(unsigned)>* work_ = nullptr;
  unsigned pieces_ = 0;
  std::atomic<uint32_t> done_ = 0;
  std::atomic<int32_t> left_ = 0;  // to be taken; below 0: looked for in vain
  std::atomic<uint32_t> calls_ = 0;
  std::atomic<bool> stop_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace swai::iss::cpe
