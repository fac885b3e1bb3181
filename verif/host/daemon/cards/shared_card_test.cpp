// SPDX-License-Identifier: Apache-2.0
// What clients of one card share, without sockets: every step happens when the test says so.
#include "host/daemon/cards/shared_card.hpp"

#include <doctest/doctest.h>

#include <cstring>

#include "card_regs.hpp"
#include "host/daemon/cards/virtual_card.hpp"
#include "host/runtime/bars.hpp"
#include "verif/host/runtime/fake_card.hpp"

namespace swai::serve {
namespace {

using namespace swai::sdaa;
using protocol::Operation;
using protocol::Status;

// A client's end of its virtual card.
class Client final : public socket::Host {
 public:
  explicit Client(VirtualCard& card) : card_(card) { card_.connect(*this); }

  Status try_to_attach() {
    ring(Operation::kAttach, 1, {protocol::kVersion | uint64_t{protocol::kMinimumVersion} << 16});
    return status_of(1);
  }
  void attach() { REQUIRE(try_to_attach() == Status::kOk); }
  void send(Operation operation, uint32_t tag, std::vector<uint64_t> arguments = {}) {
    arguments.insert(arguments.begin(), card_.context());
    ring(operation, tag, arguments);
  }
  // The first value of the reply to the request of that tag.
  uint64_t reply_to(uint32_t tag) {
    REQUIRE(status_of(tag) == Status::kOk);
    return answer_[1];
  }
  Status status_of(uint32_t tag) {
    constexpr unsigned kMostLooks = 10'000;
    for (unsigned looks = 0; looks < kMostLooks; ++looks) {
      card_.start_read(kControlBar, shared_word(protocol::word::kReply), sizeof answer_);
      if (protocol::tag(answer_[0]) != tag) continue;
      const Status status = protocol::status(answer_[0]);
      answer_[0] = 0;
      return status;
    }
    FAIL("no reply to request ", tag);
    return Status::kInternal;
  }
  void read_done(int error, std::span<const uint8_t> data) override {
    REQUIRE(error == 0);
    REQUIRE(data.size() == sizeof answer_);
    std::memcpy(answer_.data(), data.data(), sizeof answer_);
  }
  void interrupt(unsigned /*vector*/) override {}
  void fatal_error() override {}
  void host_read(uint32_t /*tag*/, uint64_t /*iova*/, uint32_t /*bytes*/) override {}
  void host_write(uint32_t /*tag*/, uint64_t /*iova*/, std::span<const uint8_t> /*data*/) override {}

 private:
  void ring(Operation operation, uint32_t tag, const std::vector<uint64_t>& arguments) {
    for (size_t i = 0; i < arguments.size(); ++i)
      put(shared_word(protocol::word::kArguments + i), arguments[i]);
    put(shared_word(protocol::word::kRequest), protocol::request(operation, tag));
    put(regs::pcie::doorbell::kOffset, protocol::kRequestDoorbell);
  }
  void put(uint64_t offset, uint64_t value) {
    REQUIRE(card_.region_write(kControlBar, offset,
                               {reinterpret_cast<const uint8_t*>(&value), sizeof value}) == 0);
  }

  VirtualCard& card_;
  std::array<uint64_t, 2> answer_ = {};
};

TEST_CASE("what a client asks while its request is under way gets its own reply, whoever leaves meanwhile") {
  SharedCard shared(std::make_unique<link::Card>(make_fake_card()), [](const std::string&) {});
  VirtualCard first(shared);
  VirtualCard second(shared);
  Client stays(first);
  Client leaves(second);
  stays.attach();
  leaves.attach();
  stays.send(Operation::kQueueOpen, 2);
  stays.send(Operation::kAllocate, 3, {4096, 0xff00});
  second.client_gone();
  const uint64_t memory = stays.reply_to(3);
  stays.send(Operation::kFree, 4, {memory});
  stays.reply_to(4);
}

TEST_CASE("one user has half of the contexts of a card for a group, not more, and they come back") {
  constexpr unsigned kHalf = protocol::kContexts / 2;
  SharedCard shared(std::make_unique<link::Card>(make_fake_card()), [](const std::string&) {});
  shared.share_among_users([](unsigned client) { return client <= kHalf ? uid_t{1000} : uid_t{1001}; });
  std::vector<std::unique_ptr<Client>> clients;
  std::vector<std::unique_ptr<VirtualCard>> cards;
  for (unsigned i = 0; i < kHalf + 2; ++i) {
    cards.push_back(std::make_unique<VirtualCard>(shared));
    clients.push_back(std::make_unique<Client>(*cards.back()));
  }
  for (unsigned i = 0; i < kHalf; ++i) clients[i]->attach();
  CHECK(clients[kHalf]->try_to_attach() == Status::kNoContext);
  clients[kHalf + 1]->attach();  // another user's
  cards[0]->client_gone();
  CHECK(clients[kHalf]->try_to_attach() == Status::kOk);
}

}  // namespace
}  // namespace swai::serve
