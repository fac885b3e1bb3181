// Requests that wait until the card is free: one after the other, in a thread of its own.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include "host/http/exchange.hpp"

namespace swai::http {

class Line {
 public:
  // So many wait at most, beside the one that is being worked on.
  explicit Line(size_t most);
  // The one that is being worked on comes to its end; others are not begun.
  ~Line();
  Line(const Line&) = delete;
  Line& operator=(const Line&) = delete;

  // `work` answers the exchange, throws nothing, and is left out when the client is gone before. Throws
  // Problem when too many wait already.
  void add(std::shared_ptr<Exchange> exchange, std::function<void()> work);

 private:
  struct One {
    std::shared_ptr<Exchange> exchange;
    std::function<void()> work;
  };
  void run();

  const size_t most_;
  std::mutex mutex_;
  std::condition_variable some_;
  std::deque<One> waiting_;
  bool ends_ = false;
  std::thread thread_;
};

}  // namespace swai::http
