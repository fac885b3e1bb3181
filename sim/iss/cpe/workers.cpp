#include "sim/iss/cpe/workers.hpp"

#include <chrono>

namespace swai::iss::cpe {

namespace {

// Who sleeps takes longer to wake up than this: work that follows upon work finds everybody awake, and what
// has none for a while costs nothing.
constexpr std::chrono::microseconds kAwake(30);

// Until the value is another one.
void wait_for_change(const std::atomic<uint32_t>& value, uint32_t seen) {
  const auto end = std::chrono::steady_clock::now() + kAwake;
  while (value == seen) {
    if (std::chrono::steady_clock::now() > end) return value.wait(seen);
  }
}

}  // namespace

Workers::Workers(unsigned count) {
  for (unsigned i = 1; i < count; ++i) threads_.emplace_back([this] { serve(); });
}

Workers::~Workers() {
  stop_ = true;
  ++calls_;
  calls_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void Workers::serve() {
  for (uint32_t seen = 0; !stop_;) {
    wait_for_change(calls_, seen);
    seen = calls_;
    take_pieces();
  }
}

// A piece that was taken is not done yet: so what the pieces are does not change.
void Workers::take_pieces() {
  for (int32_t left = left_--; left > 0; left = left_--) {
    const unsigned pieces = pieces_;
    (*work_)(pieces - static_cast<unsigned>(left));
    if (++done_ == pieces) done_.notify_one();
  }
}

void Workers::run(unsigned pieces, const std::function<void(unsigned piece)>& work) {
  work_ = &work;
  pieces_ = pieces;
  done_ = 0;
  left_ = static_cast<int32_t>(pieces);
  ++calls_;
  calls_.notify_all();
  take_pieces();
  for (uint32_t done = done_; done != pieces; done = done_) wait_for_change(done_, done);
}

}  // namespace swai::iss::cpe
