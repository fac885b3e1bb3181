// SPDX-License-Identifier: Apache-2.0
// Those who are attached. A client is a context: a number of its own for a long time, which modulo kContexts
// is its place, so that what is kept for each client is found by the number.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "abi/launch.hpp"
#include "abi/protocol.hpp"

namespace swai::runtime {

using protocol::Attached;

// What a client did.
struct Counts {
  uint64_t commands = 0;
  uint64_t launches = 0;
  uint64_t busy = 0;
  uint64_t bytes_to_card = 0;
  uint64_t bytes_to_host = 0;

  void add(const Counts& other) {
    commands += other.commands;
    launches += other.launches;
    busy += other.busy;
    bytes_to_card += other.bytes_to_card;
    bytes_to_host += other.bytes_to_host;
  }
};

struct Client {
  uint8_t context = 0;  // of the last one that had this place
  Attached attached = Attached::kNobody;
  bool shared = false;
  bool stopped = false;  // is leaving or has left, and touches host memory no more
  uint16_t queues = 0;   // open
  uint64_t page = 0;     // bus address of its status page; 0: nobody listens
  // The bus addresses that it names count from `base` and lie below `bytes`; 0: they are what they are.
  uint64_t base = 0;
  uint64_t bytes = 0;
  Counts counts = {};

  // Has the link for itself.
  bool alone() const { return !shared && bytes == 0; }
  // So many bytes there.
  bool reaches(uint64_t address, uint64_t length) const {
    return bytes == 0 || (address <= bytes && length <= bytes - address);
  }
  uint64_t bus(uint64_t address) const { return bytes == 0 ? address : base + address; }
  // What it calls a bus address, if that is one of its own.
  uint64_t named(uint64_t address) const { return address - base < bytes ? address - base : address; }
};

class Clients {
 public:
  using Places = std::array<Client, protocol::kContexts>;

  void init() {
    places_ = {};
    before_ = {};
    crowded_ = false;
    leaving_ = 0;
  }

  // A number that nobody has, for a client with these properties; 0: no place is free. `may_act`: something
  // of the client that had a number may still act as it.
  template <typename MayAct>
  [[gnu::cold, gnu::noinline]] uint8_t add(const Client& client, MayAct may_act) {
    if (std::ranges::none_of(places_, [](const Client& one) { return one.attached == Attached::kNobody; }))
      return 0;
    do {
      last_ = static_cast<uint8_t>(last_ % protocol::kMaxContext + 1);
    } while (of(last_).attached != Attached::kNobody || may_act(last_));
    of(last_) = client;
    of(last_).context = last_;
    of(last_).attached = Attached::kYes;
    recount();
    return last_;
  }
  void leave(Client& client) {
    client.attached = Attached::kLeaving;
    client.stopped = false;
    recount();
  }
  // Nothing of it is left but its counts.
  void forget(Client& client) {
    client.attached = Attached::kNobody;
    before_.add(client.counts);
    recount();
  }

  Client& of(uint8_t context) { return places_[context % protocol::kContexts]; }
  const Client& of(uint8_t context) const { return places_[context % protocol::kContexts]; }
  // Whose number that is, also after it has gone; nullptr: nobody's.
  Client* find(uint64_t context) {
    Client& client = places_[context % protocol::kContexts];
    return client.context == context && context != 0 ? &client : nullptr;
  }
  Places& all() { return places_; }
  const Places& all() const { return places_; }
  bool any_leaving() const { return leaving_ != 0; }
  unsigned attached() const { return attached_; }

  // While there are others nobody fills what all wait for: so many launches of a client may wait in a group,
  // each with a wipe before it, so many channels may copy for it. Then up to four of them find room at any
  // time, and a group takes their launches in turns.
  bool crowded() const { return crowded_; }
  unsigned launches_each() const { return std::clamp(launch::kQueue / 2 / attached_, 1U, 2U); }
  unsigned channels_each(unsigned channels) const { return std::max(channels / attached_, 1U); }

  // Of all who have gone.
  const Counts& before() const { return before_; }

 private:
  [[gnu::cold, gnu::noinline]] void recount() {
    attached_ = count(Attached::kYes);
    leaving_ = count(Attached::kLeaving);
    crowded_ = attached_ > 1;
  }
  unsigned count(Attached wanted) const {
    return static_cast<unsigned>(std::ranges::count(places_, wanted, &Client::attached));
  }

  Places places_ = {};
  Counts before_ = {};
  bool crowded_ = false;
  unsigned attached_ = 0;
  unsigned leaving_ = 0;
  uint8_t last_ = 0;
};

}  // namespace swai::runtime
