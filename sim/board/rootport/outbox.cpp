// SPDX-License-Identifier: Apache-2.0
#include "sim/board/rootport/outbox.hpp"

namespace swai::rootport {
Credits credits_of(const Tlp& tlp) {
  Credits credits;
  if (tlp.posted()) {
    credits.posted_header = 1;
    credits.posted_data = static_cast<uint16_t>(tlp.data_credits());
  } else if (tlp.nonposted()) {
    credits.nonposted_header = 1;
    credits.nonposted_data = static_cast<uint16_t>(tlp.data_credits());
  }
  return credits;
}

Outbox::Queue& Outbox::queue_of(const Tlp& tlp) {
  if (tlp.posted()) return posted_;
  return tlp.completion() ? completions_ : nonposted_;
}

void Outbox::push(const Tlp& tlp, RootPort* origin) {
  Entry& entry = queue_of(tlp).push();
  entry.order = order_++;
  entry.origin = origin;
  entry.tlp = tlp;
}

bool Outbox::credits_for(const Tlp& tlp) const {
  Credits used = used_;
  used.add(credits_of(tlp));
  return enough(limit_, used);
}

// Writes go before completions: host software's few writes do not wait behind kilobytes of answers.
const Outbox::Queue* Outbox::choose() const {
  if (!nonposted_.empty() && (posted_.empty() || nonposted_.front().order < posted_.front().order) &&
      credits_for(nonposted_.front().tlp)) {
    return &nonposted_;
  }
  if (!posted_.empty()) {
    if (credits_for(posted_.front().tlp)) return &posted_;
    // Only completions from before the write may go.
    return !completions_.empty() && completions_.front().order < posted_.front().order ? &completions_
                                                                                       : nullptr;
  }
  return completions_.empty() ? nullptr : &completions_;
}

void Outbox::pop() {
  Queue& queue = const_cast<Queue&>(*choose());
  used_.add(credits_of(queue.front().tlp));
  queue.pop();
}

size_t Outbox::clear(const std::function<void(const Entry&)>& lost) {
  size_t count = 0;
  for (Queue* queue : {&posted_, &nonposted_, &completions_}) {
    count += queue->size();
    for (size_t i = 0; i < queue->size(); ++i) lost((*queue)[i]);
    queue->clear();
  }
  used_ = limit_ = {};
  return count;
}

void Outbox::forget(const RootPort* origin) {
  for (Queue* queue : {&posted_, &nonposted_, &completions_}) {
    for (size_t i = 0; i < queue->size(); ++i) {
      if ((*queue)[i].origin == origin) (*queue)[i].origin = nullptr;
    }
  }
}

}  // namespace swai::rootport
