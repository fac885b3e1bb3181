// SPDX-License-Identifier: Apache-2.0
#include "verif/rtl/pcie/wire.hpp"

#include <fmt/format.h>

namespace swai::pcie {

using verif::check;

namespace {

constexpr Credits kInitial{16, 64, 8, 8};

Credits load_credits(const verif::Field& field) {
  return {static_cast<unsigned>(field.get(32, 8)), static_cast<unsigned>(field.get(20, 12)),
          static_cast<unsigned>(field.get(12, 8)), static_cast<unsigned>(field.get(0, 12))};
}

void store_credits(verif::Field& field, const Credits& credits) {
  field.set(32, 8, credits.posted_header & 0xff);
  field.set(20, 12, credits.posted_data & 0xfff);
  field.set(12, 8, credits.nonposted_header & 0xff);
  field.set(0, 12, credits.nonposted_data & 0xfff);
}

}  // namespace

Wire::Wire(WirePins pins, verif::Random& random, std::function<void(const Tlp&)> on_packet)
    : pins_(std::move(pins)),
      random_(random),
      on_packet_(std::move(on_packet)),
      send_stalls_(random),
      take_stalls_(random),
      grant_stalls_(random),
      limit_(kInitial) {}

void Wire::send(const Tlp& tlp) {
  if (tlp.is_completion()) {
    completions_.push_back(tlp);
  } else if (tlp.is_posted()) {
    posted_.push_back(tlp);
    ++posted_queued_;
  } else {
    other_.emplace_back(tlp, posted_queued_);
  }
}

void Wire::link(bool up) {
  up_ = up;
  sending_.clear();
  receiving_.clear();
  posted_.clear();
  other_.clear();
  completions_.clear();
  raw_.clear();
  to_return_.clear();
  waiting_.reset();
  posted_queued_ = posted_sent_ = 0;
  sent_ = used_ = {};
  limit_ = kInitial;
}

void Wire::hurry() {
  hurry_ = true;
  send_stalls_.never();
  take_stalls_.never();
  grant_stalls_.never();
  grant(true, true);
}

// What has been used after this packet lies before what has been granted, as far as counters of their size
// can tell.
bool Wire::affordable(const Tlp& tlp) const {
  const unsigned data = tlp.data_credits();
  const unsigned header_room = ((tlp.is_posted() ? granted_.posted_header - sent_.posted_header
                                                 : granted_.nonposted_header - sent_.nonposted_header) -
                                1) &
                               0xff;
  const unsigned data_room = ((tlp.is_posted() ? granted_.posted_data - sent_.posted_data
                                               : granted_.nonposted_data - sent_.nonposted_data) -
                              data) &
                             0xfff;
  return header_room < 128 && data_room < 2048;
}

void Wire::count_out(const Tlp& tlp) {
  if (tlp.is_completion()) return;
  if (tlp.is_posted()) {
    ++sent_.posted_header;
    sent_.posted_data += tlp.data_credits();
  } else {
    ++sent_.nonposted_header;
    sent_.nonposted_data += tlp.data_credits();
  }
}

void Wire::begin_packet() {
  const auto begin = [this](const Tlp& tlp) {
    const auto beats = to_beats(tlp);
    sending_.assign(beats.begin(), beats.end());
    count_out(tlp);
    posted_sent_ += tlp.is_posted();
  };
  if (!raw_.empty()) {
    const auto& raw = raw_.front();
    sending_.assign(raw.beats.begin(), raw.beats.end());
    if (!raw.free) count_out(raw.tlp);
    raw_.pop_front();
  } else if (!completions_.empty() && random_.chance(50)) {
    begin(completions_.front());
    completions_.pop_front();
  } else if (!other_.empty() && posted_sent_ >= other_.front().second && affordable(other_.front().first) &&
             random_.chance(70)) {
    begin(other_.front().first);
    other_.pop_front();
  } else if (!posted_.empty() && affordable(posted_.front())) {
    begin(posted_.front());
    posted_.pop_front();
  }
}

void Wire::grant_some() {
  if (!grant_stalls_.go()) return;
  for (size_t i = 0; i < to_return_.size();) {
    const Tlp& tlp = to_return_[i];
    const bool allowed = tlp.is_posted() ? grant_posted_ : grant_nonposted_;
    if (!allowed || (!hurry_ && random_.chance(70))) {
      ++i;
      continue;
    }
    if (tlp.is_posted()) {
      ++limit_.posted_header;
      limit_.posted_data += tlp.data_credits();
    } else {
      ++limit_.nonposted_header;
      limit_.nonposted_data += tlp.data_credits();
    }
    to_return_.erase(to_return_.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

void Wire::count_in(const Tlp& tlp) {
  ++packets_in_;
  if (tlp.is_completion()) return;
  if (tlp.is_posted()) {
    ++used_.posted_header;
    used_.posted_data += tlp.data_credits();
  } else {
    ++used_.nonposted_header;
    used_.nonposted_data += tlp.data_credits();
  }
  check(used_.posted_header <= limit_.posted_header && used_.posted_data <= limit_.posted_data &&
            used_.nonposted_header <= limit_.nonposted_header &&
            used_.nonposted_data <= limit_.nonposted_data,
        "sent without credit: " + tlp.text());
  to_return_.push_back(tlp);
}

void Wire::drive() {
  pins_.link_up.set(up_);
  if (sending_.empty() && up_ && (sending_.size() > 0 || send_stalls_.go())) begin_packet();
  // Beats of one packet may have gaps between them.
  drove_ = up_ && !sending_.empty() && send_stalls_.go();
  pins_.rx_valid.set(drove_);
  if (drove_) {
    store(pins_.rx_beat, sending_.front());
  } else {
    pins_.rx_beat.scramble(random_);
  }
  pins_.tx_ready.set(take_stalls_.go());
  if (up_) grant_some();
  Credits shown = limit_;
  if (!up_) shown = {};
  store_credits(pins_.tx_limit, shown);
}

void Wire::sample() {
  ++cycle_;
  if (drove_) {
    sending_.pop_front();
    last_beat_in_ = cycle_;
  }
  granted_ = load_credits(pins_.rx_limit);
  if (!up_) return;
  const bool valid = pins_.tx_valid.get() != 0;
  check(valid || !waiting_, "tx: a beat was withdrawn");
  if (!valid) return;
  Beat beat;
  load(pins_.tx_beat, beat);
  check(!waiting_ || *waiting_ == beat, "tx: a beat changed while it waited");
  if (!waiting_) last_beat_out_ = cycle_;
  waiting_ = beat;
  if (pins_.tx_ready.get() == 0) return;
  waiting_.reset();
  check(receiving_.empty() == beat.sop, "tx: a packet begins inside another, or does not begin");
  receiving_.push_back(beat);
  if (!beat.eop) return;
  const Tlp tlp = from_beats(receiving_);
  receiving_.clear();
  count_in(tlp);
  on_packet_(tlp);
}

}  // namespace swai::pcie
