// SPDX-License-Identifier: Apache-2.0
#include "host/daemon/cards/shared_card.hpp"

#include <algorithm>
#include <array>
#include <random>
#include <utility>

#include "host/runtime/error.hpp"

namespace swai::serve {
namespace {

using protocol::Operation;
using protocol::Status;

constexpr sdaa::Limits kLimits;
// Between two looks at what is not there yet, and how many of them before the firmware itself is looked at
// and given up. The longest that one takes to detach is a transfer that has to be waited for.
constexpr uint64_t kPause = 2'000;
constexpr unsigned kLooks = 64;
constexpr unsigned kMostLooks = 4096;
uint64_t random_key() {
  std::random_device device;
  return uint64_t{device()} << 32 | device() | 1;  // 0 is none
}

// Below the addresses of all clients.
constexpr uint64_t kRouteIova = uint64_t{1} << 32;

}  // namespace

SharedCard::SharedCard(std::unique_ptr<link::Card> card, Log log)
    : card_(std::move(card)),
      log_(std::move(log)),
      key_(random_key()),
      route_(card_->pin(kRouteIova, protocol::kRouteBytes)),
      firmware_(sdaa::find_firmware(*card_, kLimits, sdaa::Restart::kIfStopped)),
      words_(std::in_place, *card_) {
  settle();
}

unsigned SharedCard::join(Client& client) {
  clients_.push_back(&client);
  return static_cast<unsigned>(clients_.size() - 1);
}

void SharedCard::run(uint64_t limit) {
  const link::vendor::RunResult result = card_->run_until_cycle(~uint64_t{0}, limit);
  now_ = result.cycle;
  now_is_known_ = true;
  asleep_ = result.cause == link::vendor::Cause::kAsleep;
  // Whose it is stands on the client's page: who finds nothing there goes on waiting.
  for (unsigned vector = 0; vector < describe().vectors; ++vector) {
    if ((result.vectors >> vector & 1) == 0) continue;
    for (Client* const one : clients_) one->interrupt(vector);
  }
}

uint64_t SharedCard::cycle() const {
  if (!now_is_known_) now_ = card_->cycle();
  now_is_known_ = true;
  return now_;
}

void SharedCard::read(unsigned region, uint64_t offset, std::span<uint8_t> to) {
  card_->read_block(region, offset, to);
  now_is_known_ = false;
  asleep_ = false;
}

void SharedCard::post(unsigned region, uint64_t offset, std::span<const uint8_t> from) {
  card_->post_block(region, offset, from);
  asleep_ = false;
}

int SharedCard::map(const link::DmaMapping& mapping) {
  try {
    card_->backend().map(mapping);
    return 0;
  } catch (const link::Error& error) {
    if (error.kind() != link::ErrorKind::kRefused) throw;
    return error.code();
  }
}

void SharedCard::unmap(uint64_t iova, uint64_t bytes) {
  try {
    card_->backend().unmap(iova, bytes);
  } catch (const link::Error& error) {
    log_unless_lost(error);
  }
}

// The contents of a lost card are lost. The next look at the connection reports the loss.
void SharedCard::log_unless_lost(const link::Error& error) const {
  if (error.kind() != link::ErrorKind::kLost) log_(error.what());
}

bool SharedCard::firmware_lives() {
  now_is_known_ = false;
  return !silent_ && sdaa::lives(*card_, firmware_);
}

void SharedCard::restart_firmware() {
  log_("the firmware is started again");
  sdaa::restart_firmware(*card_);
  requests_.clear();
  under_way_ = false;
  asleep_ = false;
  silent_ = false;
  for (Client* const one : clients_) one->forget();
}

bool SharedCard::user_has_enough(unsigned client) const {
  if (!user_of_) return false;
  const uid_t user = user_of_(client);
  unsigned count = 0;
  for (unsigned i = 0; i < clients_.size(); ++i)
    count += i != client && clients_[i]->is_or_becomes_attached() && user_of_(i) == user ? 1 : 0;
  return count >= protocol::kContexts / 2;
}

bool SharedCard::has_others(unsigned client) const {
  for (unsigned i = 0; i < clients_.size(); ++i) {
    if (i != client && clients_[i]->is_or_becomes_attached()) return true;
  }
  return false;
}

// --- Requests

void SharedCard::ask(Request request) {
  // It may have been started again since the last client came.
  if (request.operation == Operation::kAttach && requests_.empty() && !firmware_lives()) {
    firmware_ = sdaa::find_firmware(*card_, kLimits, sdaa::Restart::kNo);
    words_.emplace(*card_);
    settle();
  }
  requests_.push_back(std::move(request));
  send_next();
}

void SharedCard::send_next() {
  if (under_way_ || requests_.empty()) return;
  words_->send(requests_.front().operation, requests_.front().arguments);
  under_way_ = true;
  asleep_ = false;
}

// To the client whose request is under way. What it asks for meanwhile waits in the line: nothing is sent
// here.
void SharedCard::deliver(const Reply& reply) {
  requests_.front().client->take(requests_.front(), reply);
  requests_.pop_front();
  under_way_ = false;
}

void SharedCard::look_for_reply() {
  if (!under_way_) return;
  const auto reply = words_->look();
  now_is_known_ = false;
  if (!reply) return;
  deliver(*reply);
  send_next();
}

bool SharedCard::wait_for_reply(Reply& reply) {
  now_is_known_ = false;
  asleep_ = false;
  for (unsigned looks = 1; looks <= kMostLooks; ++looks) {
    if (const auto found = words_->look()) {
      reply = *found;
      return true;
    }
    if (looks % kLooks == 0 && !firmware_lives()) break;
    card_->run_until(0, kPause);
  }
  silent_ = true;
  return false;
}

bool SharedCard::finish_first() {
  if (!under_way_) return true;
  Reply reply;
  if (wait_for_reply(reply)) {
    deliver(reply);
    return true;
  }
  requests_.pop_front();
  under_way_ = false;
  return false;
}

bool SharedCard::exchange(Operation operation, std::span<const uint64_t> arguments, Reply& reply) {
  if (!finish_first()) return false;
  words_->send(operation, arguments);
  return wait_for_reply(reply);
}

bool SharedCard::detach(uint64_t context) {
  Reply reply{Status::kAgain, {}};
  for (unsigned i = 0; i < kMostLooks && reply.status == Status::kAgain; ++i) {
    if (!exchange(Operation::kDetach, std::array{context}, reply)) return false;
    if (reply.status == Status::kAgain) card_->run_until(0, kPause);
  }
  return reply.status != Status::kAgain;
}

// Who is alone takes over from all who were there before, which the kernel cannot know to be gone, and says
// where the host's buffer is for copies on the card.
void SharedCard::settle() {
  Reply reply{Status::kOk, {}};
  const std::array<uint64_t, protocol::word::kArgumentCount> alone = {
      protocol::kVersion | uint64_t{protocol::kMinimumVersion} << 16, 0, 0, 0, 0, key_};
  bool answers = true;
  for (unsigned i = 0; i < kMostLooks; ++i) {
    answers = exchange(Operation::kAttach, alone, reply);
    if (!answers || reply.status != Status::kNoContext) break;
    card_->run_until(0, kPause);
  }
  const bool alone_now = answers && reply.status == Status::kOk;
  const uint64_t context = reply.values[0];
  for (unsigned i = 0; alone_now && i < kMostLooks; ++i) {
    const bool told =
        exchange(Operation::kRoutes, std::array{context, kRouteIova, protocol::kRouteBytes}, reply);
    if (!told || reply.status != Status::kAgain) break;
    card_->run_until(0, kPause);
  }
  if (!alone_now || !detach(context))
    log_("what an earlier program has left on the card cannot be cleared away");
}

void SharedCard::part_with(Client& client) {
  try {
    if (under_way_ && requests_.front().client == &client) finish_first();
    const auto first = requests_.begin() + (under_way_ ? 1 : 0);
    requests_.erase(
        std::remove_if(first, requests_.end(), [&](const Request& one) { return one.client == &client; }),
        requests_.end());
    if (client.context() != 0 && !detach(client.context()))
      log_("the firmware does not answer; a client goes without it");
    send_next();
  } catch (const link::Error& error) {
    log_unless_lost(error);
  }
  client.forget();
}

}  // namespace swai::serve
