// SPDX-License-Identifier: Apache-2.0
// A shared card behind its socket: a thread that serves its clients.
#pragma once

#include <atomic>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "host/daemon/cards/shared_card.hpp"
#include "host/daemon/cards/virtual_card.hpp"
#include "host/transport/server/server.hpp"

namespace swai::serve {

struct Client {
  size_t place = 0;  // among the connections
  socket::Peer peer;
  uint64_t context = 0;  // 0: it is not attached
  std::string program;
};

class CardServer {
 public:
  struct Options {
    std::string socket;  // for the clients
    unsigned clients = 16;
    unsigned cards = 1;  // of this process
    socket::Audience audience = socket::Audience::kOwner;
    unsigned per_process = 4;  // connections; 0: no limit
    SharedCard::Log log;
  };

  // Listens at once. `ended` is called by the thread when the card is lost, or cannot be served any more for
  // another reason: all connections are closed by then, and failure() states why.
  CardServer(std::unique_ptr<link::Card> card, Options options, std::function<void()> ended);
  ~CardServer();
  CardServer(const CardServer&) = delete;
  CardServer& operator=(const CardServer&) = delete;

  const std::string& socket() const { return options_.socket; }
  std::vector<Client> clients() const;
  // The last that were attached and have left: what they had may still be on the card.
  std::vector<Client> ended_clients() const;
  // Why the card is not served any more; empty: it is.
  std::string failure() const;

 private:
  void serve();
  void give_up(const std::string& why);
  void note_clients();
  void tell(const Client& client, const char* what) const;

  Options options_;
  std::function<void()> ended_;
  SharedCard card_;
  std::vector<std::unique_ptr<VirtualCard>> virtual_cards_;  // one for each client that may come
  ::swai::socket::Server server_;
  mutable std::mutex mutex_;
  std::vector<Client> clients_;
  std::deque<Client> ended_clients_;
  std::string failure_;
  std::atomic<bool> stop_ = false;
  std::thread thread_;
};

}  // namespace swai::serve
