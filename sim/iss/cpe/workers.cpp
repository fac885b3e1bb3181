#include "sim/iss/cpe/workers.hpp"

namespace swai::iss::cpe {

Workers::Workers(unsigned count) {
  for (unsigned i = 1; i < count; ++i) threads_.emplace_back([this, i] { serve(i); });
}

Workers::~Workers() {
  stop_ = true;
  ++round_;
  round_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void Workers::serve(unsigned worker) {
  for (uint32_t round = 0;; ++round) {
    round_.wait(round);
    if (stop_) return;
    (*work_)(worker);
    if (--left_ == 0) left_.notify_one();
  }
}

void Workers::run(const std::function<void(unsigned worker)>& work) {
  work_ = &work;
  left_ = static_cast<uint32_t>(threads_.size());
  ++round_;
  round_.notify_all();
  work(0);
  for (uint32_t left = left_; left != 0; left = left_) left_.wait(left);
}

}  // namespace swai::iss::cpe
