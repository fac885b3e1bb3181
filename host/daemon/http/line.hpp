// SPDX-License-Identifier: Apache-2.0
// Requests that wait until the card is free: one after the other, in a thread of its own. Texts of one model
// that follow each other may be written at once.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include "host/daemon/http/exchange.hpp"
#include "host/daemon/http/text_model.hpp"

namespace swai::http {

class Line {
 public:
  // So many wait at most, beside those that are being worked on.
  explicit Line(size_t most = 16);
  // What is being worked on comes to its end; others are not begun.
  ~Line();
  Line(const Line&) = delete;
  Line& operator=(const Line&) = delete;

  // Both throw Problem when too many wait already. What is for a client that is gone is left out.
  // `work` answers the exchange, and throws nothing.
  void add(std::shared_ptr<Exchange> exchange, std::function<void()> work);
  void add(TextModel& model, std::shared_ptr<TextAnswer> text);

 private:
  struct One {
    std::function<bool()> is_wanted;
    std::function<void()> work;        // or:
    TextModel* model = nullptr;        // which writes
    std::shared_ptr<TextAnswer> text;  // this
  };
  void add(One one);
  void run();
  WaitingTexts texts_of(const TextModel& model);
  bool is_next(const TextModel& model);

  const size_t most_;
  std::mutex mutex_;
  std::condition_variable some_;
  std::deque<One> waiting_;
  bool ends_ = false;
  std::thread thread_;
};

}  // namespace swai::http
