// Threads that do a piece of work each, again and again.
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
  // Calls work(0) to work(count() - 1), and returns when all are done.
  void run(const std::function<void(unsigned worker)>& work);

 private:
  void serve(unsigned worker);

  const std::function<void(unsigned)>* work_ = nullptr;
  std::atomic<uint32_t> round_ = 0;
  std::atomic<uint32_t> left_ = 0;
  bool stop_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace swai::iss::cpe
