// SPDX-License-Identifier: Apache-2.0
#include "host/daemon/cards/card_server.hpp"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <fstream>

#include "host/daemon/cards/virtual_card.hpp"
#include "host/lib/printable.hpp"

namespace swai::serve {
namespace {

// What each client may take, so that all of them together leave the process room.
socket::Limits limits_of(const CardServer::Options& options, unsigned vectors) {
  constexpr unsigned kMostMaps = 1024;
  constexpr unsigned kOtherLines = 2;  // ERR and REQ, beside those of MSI-X
  return {.maps = std::min(kMostMaps, socket::kProcessMaps / 2 / (options.clients * options.cards)),
          .mapped_bytes = uint64_t{64} << 30,
          .access_bytes = 64 << 10,
          .eventfds = vectors + kOtherLines,
          .per_process = options.per_process,
          .per_user = options.audience == socket::Audience::kGroup ? (options.clients + 1) / 2 : 0};
}

std::string name_of_process(pid_t process) {
  std::ifstream file(fmt::format("/proc/{}/comm", process));
  std::string name;
  std::getline(file, name);
  // A process can choose any name; this one is for the log and for clients of the daemon.
  return name.empty() ? "?" : common::printable(name);
}

// The same connection: a process may have several.
const Client* find(const std::vector<Client>& clients, const Client& wanted) {
  const auto found =
      std::ranges::find_if(clients, [&](const Client& one) { return one.place == wanted.place; });
  return found == clients.end() || found->peer.process != wanted.peer.process ? nullptr : &*found;
}

}  // namespace

CardServer::CardServer(std::unique_ptr<link::Card> card, Options options, std::function<void()> ended)
    : options_(std::move(options)),
      ended_(std::move(ended)),
      card_(std::move(card), options_.log),
      server_(card_, {.audience = options_.audience,
                      .limits = limits_of(options_, card_.describe().vectors),
                      .log = options_.log}) {
  std::vector<size_t> all;
  for (unsigned i = 0; i < options_.clients; ++i) {
    virtual_cards_.push_back(std::make_unique<VirtualCard>(card_));
    all.push_back(server_.add(*virtual_cards_.back()));
  }
  if (options_.audience == socket::Audience::kGroup) {
    // Somebody else's half of the contexts stays free.
    card_.share_among_users([this](unsigned client) {
      const auto peer = server_.client(client);
      return peer ? peer->user : ~uid_t{0};
    });
  }
  server_.listen(all, options_.socket);
  thread_ = std::thread([this] { serve(); });
}

CardServer::~CardServer() {
  stop_ = true;
  server_.stop();
  thread_.join();
}

void CardServer::serve() {
  try {
    while (!stop_) {
      pollfd card = {card_.fd(), POLLIN, 0};
      server_.turn(-1, {&card, 1});
      if (card.revents != 0 || card_.fd() != card.fd) card_.look_at_connection();
      note_clients();
    }
  } catch (const std::exception& error) {
    give_up(error.what());
  }
}

// Otherwise clients that wait for an answer, including threads of this process, would wait for ever.
void CardServer::give_up(const std::string& why) {
  options_.log(why);
  // Otherwise a card that does not answer would cost one timeout for each of them.
  card_.close();
  server_.close("the card is not served any more");
  {
    const std::lock_guard guard(mutex_);
    failure_ = why;
  }
  ended_();
}

void CardServer::note_clients() {
  std::vector<Client> now;
  for (size_t i = 0; i < virtual_cards_.size(); ++i) {
    const auto peer = server_.client(i);
    if (!peer) continue;
    Client client = {i, *peer, virtual_cards_[i]->context(), {}};
    // This thread alone changes them.
    const Client* const known = find(clients_, client);
    client.program = known != nullptr ? known->program : name_of_process(peer->process);
    if (client.context != 0 && (known == nullptr || known->context != client.context))
      tell(client, "comes as");
    now.push_back(std::move(client));
  }
  const std::lock_guard guard(mutex_);
  for (const Client& one : clients_) {
    const Client* const stays = find(now, one);
    if (one.context == 0 || (stays != nullptr && stays->context == one.context)) continue;
    tell(one, "has left: it was");
    ended_clients_.push_back(one);
    if (ended_clients_.size() > protocol::kContexts) ended_clients_.pop_front();
  }
  clients_ = std::move(now);
}

void CardServer::tell(const Client& client, const char* what) const {
  options_.log(
      fmt::format("{} (process {}) {} client {}", client.program, client.peer.process, what, client.context));
}

std::vector<Client> CardServer::clients() const {
  const std::lock_guard guard(mutex_);
  return clients_;
}

std::vector<Client> CardServer::ended_clients() const {
  const std::lock_guard guard(mutex_);
  return {ended_clients_.begin(), ended_clients_.end()};
}

std::string CardServer::failure() const {
  const std::lock_guard guard(mutex_);
  return failure_;
}

}  // namespace swai::serve
