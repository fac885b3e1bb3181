// SPDX-License-Identifier: Apache-2.0
#include "sim/common/workers.hpp"

#include <chrono>

namespace swai::common {

namespace {

// Longer than what is done between two rounds, by one thread: work that follows upon work finds everybody
// awake, because who sleeps takes long to wake up; and what has none for a while costs nothing.
constexpr std::chrono::microseconds kAwake(150);

// Until the value is another one.
void wait_for_change(const std::atomic<uint32_t>& value, uint32_t seen) {
  const auto end = std::chrono::steady_clock::now() + kAwake;
  while (value == seen) {
    if (std::chrono::steady_clock::now() > end) return value.wait(seen);
  }
}

}  // namespace

Workers::Workers(unsigned count) : shares_(count) {
  for (unsigned number = 1; number < count; ++number) {
    threads_.emplace_back([this, number] { serve(number); });
  }
}

Workers::~Workers() {
  stop_ = true;
  ++calls_;
  calls_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void Workers::serve(unsigned number) {
  for (uint32_t seen = 0; !stop_;) {
    wait_for_change(calls_, seen);
    seen = calls_;
    take_pieces(number);
  }
}

// A piece that was taken is not done yet: so what the pieces are does not change.
void Workers::take_pieces(unsigned number) {
  uint32_t done = 0;
  uint32_t pieces = 0;
  for (unsigned n = 0; n < count(); ++n) {
    const unsigned share = (number + n) % count();
    std::atomic<int32_t>& shared = shares_[share].left;
    for (int32_t left = shared--; left > 0; left = shared--) {
      pieces = pieces_;
      (*work_)(end_of_share(share) - static_cast<unsigned>(left));
      ++done;
    }
  }
  if (done != 0 && (done_ += done) == pieces) done_.notify_one();
}

void Workers::run(unsigned pieces, const std::function<void(unsigned piece)>& work) {
  work_ = &work;
  pieces_ = pieces;
  done_ = 0;
  unsigned begin = 0;
  for (unsigned number = 0; number < count(); ++number) {
    const unsigned end = end_of_share(number);
    shares_[number].left = static_cast<int32_t>(end - begin);
    begin = end;
  }
  ++calls_;
  calls_.notify_all();
  take_pieces(0);
  for (uint32_t done = done_; done != pieces; done = done_) wait_for_change(done_, done);
}

}  // namespace swai::common
