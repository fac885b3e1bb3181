#include "host/serve/card_server.hpp"

#include "host/serve/virtual_card.hpp"

namespace swai::serve {

CardServer::CardServer(std::unique_ptr<link::Card> card, Options options, std::function<void()> ended)
    : options_(std::move(options)),
      ended_(std::move(ended)),
      card_(std::move(card), options_.clients, options_.log),
      server_(card_, {.permissions = options_.permissions, .log = options_.log}) {
  std::vector<size_t> all;
  for (const auto& one : card_.cards()) all.push_back(server_.add(*one));
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
      server_.turn(-1);
      note_clients();
    }
  } catch (const std::exception& error) {
    options_.log(error.what());
    {
      const std::lock_guard guard(mutex_);
      failure_ = error.what();
    }
    ended_();
  }
}

void CardServer::note_clients() {
  std::vector<Client> now;
  for (size_t i = 0; i < card_.cards().size(); ++i) {
    if (!server_.has_client(i)) continue;
    now.push_back({server_.client_process(i), card_.cards()[i]->context()});
  }
  const std::lock_guard guard(mutex_);
  clients_ = std::move(now);
}

std::vector<Client> CardServer::clients() const {
  const std::lock_guard guard(mutex_);
  return clients_;
}

std::string CardServer::failure() const {
  const std::lock_guard guard(mutex_);
  return failure_;
}

}  // namespace swai::serve
