// SPDX-License-Identifier: Apache-2.0
// A card of the fast tier as the socket server sees it: what the client does reaches the card after the
// wire's delay, and so does what the card says.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "host/transport/server/device.hpp"
#include "sim/board/rootport/options.hpp"
#include "sim/card/client_memory.hpp"
#include "sim/fast/card.hpp"

namespace swai::fast {

struct DeviceOptions {
  CardOptions card;
  std::string configuration;
  unsigned cards = 1;
};

class CardDevice final : public socket::Device {
 public:
  // `woken` is called whenever the client does something that gives the card work.
  CardDevice(const DeviceOptions& options, card::FlashStore& flash, std::function<void(uint8_t)> console,
             std::function<void()> woken);

  Card& card() { return card_; }
  // A snapshot of the card, without its client; and a card that goes on from one. Both throw
  // std::runtime_error.
  void save(const std::string& path);
  void restore(const std::string& path);
  // Up to the cycle `until`; ends earlier when something was told to the host, or everything sleeps. True:
  // told.
  bool run(uint64_t until);
  bool asleep();
  // Of another card, or its own: a bus address in the window that the host has given to this card. False:
  // refused.
  bool routed(bool write, uint64_t address, std::span<uint8_t> bytes);
  bool owns(uint64_t address) const;

  void connect(socket::Host& host) override { host_ = &host; }
  const socket::DeviceInfo& info() const override { return info_; }
  uint64_t cycle() const override { return card_.cycle(); }
  int region_write(unsigned region, uint64_t offset, std::span<const uint8_t> data) override;
  uint64_t write_room() const override;
  void start_read(unsigned region, uint64_t offset, uint32_t bytes) override;
  int dma_map(const socket::DmaRange& range) override;
  void dma_unmap(uint64_t iova, uint64_t bytes) override;
  void host_done(uint32_t tag, bool good, std::span<const uint8_t> data) override;
  void reset() override;
  void client_gone() override;
  socket::ControlResult control(uint64_t command, std::span<const uint64_t, 4> arguments) override;

 private:
  struct Request {
    uint64_t due = 0;
    bool write = false;
    unsigned region = 0;
    uint64_t offset = 0;
    std::vector<uint8_t> data;  // of a read: room for the answer
  };
  // What is on its way to the host.
  struct Answer {
    uint64_t due = 0;
    bool read = false;  // else an interrupt
    unsigned vector = 0;
    std::vector<uint8_t> data;
  };

  static constexpr uint64_t kNever = ~uint64_t{0};
  uint64_t due() const;
  void do_due();
  void link_up();
  void link_down();
  void send(Request request);
  void execute(Request& request);
  void message(const Msix::Message& message);
  void answer(Answer answer);
  socket::Host& tell();

  std::function<void()> woken_;
  Card card_;
  socket::DeviceInfo info_;
  socket::Host* host_ = nullptr;
  card::ClientMemory client_memory_;
  rootport::PortOptions wire_;
  std::array<uint64_t, 6> bars_{};
  std::deque<Request> requests_;
  std::deque<Answer> answers_;
  uint64_t request_bytes_ = 0;
  uint64_t link_up_at_ = 0;  // kNever: it is up
  // The server asked how much it may write, and has not written: it may wait for room.
  mutable bool asked_for_room_ = false;
  bool told_ = false;
};

}  // namespace swai::fast
