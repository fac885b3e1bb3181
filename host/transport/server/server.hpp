// SPDX-License-Identifier: Apache-2.0
// The vfio-user server of a process with one or more cards: listens on their sockets, hands messages to the
// cards' ports, and decides when time passes. One thread, one poll(); a process whose cards have nothing to
// do sleeps in it.
//
// A socket leads to one card, or to whichever of several is free: cards that are parts of one
// (host/daemon/cards).
#pragma once

#include <poll.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "host/transport/channel.hpp"
#include "host/transport/server/audience.hpp"
#include "host/transport/server/device.hpp"
#include "host/transport/server/limits.hpp"
#include "host/transport/server/listener.hpp"
#include "host/transport/server/port.hpp"

namespace swai::socket {

struct ServerOptions {
  Audience audience = Audience::kOwner;  // of socket files
  Limits limits;
  // How long a connection may take to say which version it speaks, and a client to answer a request for its
  // memory.
  std::chrono::milliseconds handshake_timeout{10'000};
  std::chrono::milliseconds answer_timeout{30'000};
  std::function<void(const std::string&)> log;  // a line for people
};

class Server {
 public:
  explicit Server(Clock& clock, ServerOptions options = {});
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // Adds a card; returns its number here. Devices live as long as the server.
  size_t add(Device& device);
  // Clients of the card connect to this socket file, which must not be in use. A file that a dead server has
  // left is replaced. Of several cards, a client gets the first that has none. Throws SocketError.
  void listen(const std::vector<size_t>& cards, const std::string& path);
  // A connection made otherwise (socketpair).
  void connect(size_t card, link::Fd connection);

  // Serves until stop(), which may be called from signal handlers and other threads.
  void run();
  void stop();
  // Notifies all clients that their device goes away, drops them, and accepts no more: the socket files are
  // removed.
  void close(const std::string& why);

  // One turn of run(): waits for something to do, at most so long (-1: for ever), serves it, lets a slice of
  // time pass if it may. `others` are descriptors of the caller that are waited for as well.
  void turn(int timeout_ms, std::span<pollfd> others = {});
  // Time may pass now: turn() will not wait.
  bool time_may_pass() const;
  bool has_client(size_t card) const { return cards_[card]->taken(); }
  // Who the card's client is; nullopt: there is none.
  std::optional<Peer> client(size_t card) const;

 private:
  using Time = std::chrono::steady_clock::time_point;
  struct Visitor {  // a connection that has not yet said which version it speaks
    link::Channel channel;
    Time deadline;
  };
  struct Entrance {
    std::vector<Port*> ports;
    std::string path;  // empty: connections are made otherwise
    link::Fd listener;
    uint64_t inode = 0;
    std::list<Visitor> visitors;
    // No descriptor is left: until then nobody is let in.
    std::optional<Time> closed_until;
  };
  struct Watched {  // what a pollfd is
    Entrance* entrance = nullptr;
    Port* port = nullptr;
  };

  void watch(std::vector<pollfd>& fds, std::vector<Watched>& what);
  int timeout(int at_most_ms) const;
  std::vector<Port*> ports_of(const std::vector<size_t>& cards) const;
  void accept(Entrance& entrance);
  void receive_visitor(Entrance& entrance, link::Fd connection);
  // Why this one may not become a client now: an errno and words; 0: it may.
  int turn_away(const Entrance& entrance, const Visitor& visitor, std::string& why) const;
  // False: done with it.
  bool greet(const Entrance& entrance, Visitor& visitor);
  void serve();
  // The cycle in which the card is that is furthest behind.
  uint64_t present() const;
  void pass_time();
  void log(const std::string& line) const;

  Clock& clock_;
  ServerOptions options_;
  std::vector<std::unique_ptr<Port>> cards_;
  std::list<Entrance> entrances_;
  link::Fd wake_;
  uint64_t slice_ = 1024;  // cycles between two looks at the sockets
};

}  // namespace swai::socket
