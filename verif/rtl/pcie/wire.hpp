// SPDX-License-Identifier: Apache-2.0
// The far side of the wire: sends packets within the credits that the card grants, takes what comes and
// grants credits in its turn, with stalls everywhere.
#pragma once

#include <deque>
#include <functional>
#include <optional>
#include <vector>

#include "sim/common/random.hpp"
#include "verif/rtl/lib/bench.hpp"
#include "verif/rtl/pcie/tlp.hpp"

namespace swai::pcie {

struct Credits {
  unsigned posted_header = 0;
  unsigned posted_data = 0;
  unsigned nonposted_header = 0;
  unsigned nonposted_data = 0;
  bool operator==(const Credits&) const = default;
};

struct WirePins {
  verif::Field link_up;
  verif::Field tx_valid, tx_ready, tx_beat, tx_limit;
  verif::Field rx_valid, rx_beat, rx_limit;
};

class Wire : public verif::Agent {
 public:
  Wire(WirePins pins, verif::Random& random, std::function<void(const Tlp&)> on_packet);

  // Completions may pass anything; requests keep their order, but posted ones pass non-posted ones that lack
  // credit.
  void send(const Tlp& tlp);
  // Takes no heed of credits, and sends exactly these beats. They cost what `tlp` says, unless they are
  // `free`.
  void send_raw(const Tlp& tlp, const std::vector<Beat>& beats, bool free = false) {
    raw_.push_back({tlp, beats, free});
  }
  bool idle() const {
    return posted_.empty() && other_.empty() && completions_.empty() && raw_.empty() && sending_.empty();
  }

  void link(bool up);
  bool up() const { return up_; }
  // From now on no stalls; credits are granted at once.
  void hurry();
  // How the far side grants: false for a while nothing of that kind.
  void grant(bool posted, bool nonposted) {
    grant_posted_ = posted;
    grant_nonposted_ = nonposted;
  }

  Credits sent() const { return sent_; }        // since the link came up
  Credits granted() const { return granted_; }  // by the card
  uint64_t packets_in() const { return packets_in_; }
  uint64_t last_beat_in() const { return last_beat_in_; }  // cycle of the last beat sent to the card
  uint64_t last_beat_out() const {
    return last_beat_out_;
  }  // cycle in which the card offered its last packet

  void drive() override;
  void sample() override;

 private:
  void begin_packet();
  bool affordable(const Tlp& tlp) const;
  void count_in(const Tlp& tlp);
  void count_out(const Tlp& tlp);
  void grant_some();

  WirePins pins_;
  verif::Random& random_;
  std::function<void(const Tlp&)> on_packet_;
  verif::Stalls send_stalls_, take_stalls_, grant_stalls_;
  std::deque<Tlp> posted_, completions_;
  std::deque<std::pair<Tlp, size_t>> other_;  // with the number of posted packets that go before it
  struct Raw {
    Tlp tlp;
    std::vector<Beat> beats;
    bool free;
  };
  std::deque<Raw> raw_;
  std::deque<Beat> sending_;
  std::vector<Beat> receiving_;
  bool up_ = true;
  bool hurry_ = false;
  bool grant_posted_ = true, grant_nonposted_ = true;
  bool drove_ = false;
  size_t posted_sent_ = 0, posted_queued_ = 0;
  Credits sent_, granted_, used_, limit_;
  uint64_t packets_in_ = 0, cycle_ = 0, last_beat_in_ = 0, last_beat_out_ = 0;
  std::vector<Tlp> to_return_;  // whose credits have not been given back
  std::optional<Beat> waiting_;
};

}  // namespace swai::pcie
