// SPDX-License-Identifier: Apache-2.0
// A simulated card as the socket server sees it: accesses of the client become packets on the card's wire,
// and what the card does to the host comes back.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <set>
#include <vector>

#include "host/transport/server/device.hpp"
#include "sim/board/rootport/root_complex.hpp"
#include "sim/card/card.hpp"
#include "sim/card/client_memory.hpp"

namespace swai::card {

class CardDevice final : public socket::Device {
 public:
  // `woken` is called whenever the client does something that gives the card work.
  CardDevice(Card& card, rootport::RootComplex& root, rootport::RootPort& port,
             const std::string& configuration, unsigned cards, std::function<void()> woken);

  // Link and interrupts are set up, and nothing of the client waits for that.
  bool settled() const { return ready_ && waiting_.empty(); }

  void connect(socket::Host& host) override { host_ = &host; }
  const socket::DeviceInfo& info() const override { return info_; }
  uint64_t cycle() const override { return root_.cycle(); }
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
  void on_link(rootport::LinkState state);
  void on_packet(bool to_card, uint64_t cycle);
  void on_read(uint64_t serial, uint32_t bytes, rootport::RequestStatus status,
               std::span<const uint8_t> data);
  void write_now(unsigned region, uint64_t offset, std::span<const uint8_t> data);
  void read_now(unsigned region, uint64_t offset, uint32_t bytes);
  // Now, or as soon as the link is there.
  void when_ready(std::function<void()> action);
  // What the host has been told ends the present run.
  socket::Host& tell();

  socket::ControlResult trace(std::span<const uint64_t, 4> arguments);
  socket::ControlResult poison(std::span<const uint64_t, 4> arguments, bool on);
  void heal(uint64_t line);
  socket::ControlResult inject(std::span<const uint64_t, 4> arguments);
  socket::ControlResult statistic(uint64_t which) const;
  socket::ControlResult work_statistic(uint64_t which) const;

  Card& card_;
  rootport::RootComplex& root_;
  rootport::RootPort& port_;
  std::function<void()> woken_;
  socket::DeviceInfo info_;
  socket::Host* host_ = nullptr;
  ClientMemory client_memory_;
  bool ready_ = false;
  std::deque<std::function<void()>> waiting_;
  uint64_t waiting_bytes_ = 0;
  std::set<uint64_t> poisoned_;  // lines of the client's, by their addresses in the memory of all groups
  uint64_t read_serial_ = 0;     // of the read that is open; answers to others come too late
  // When packets first crossed the card's pins since the statistics were cleared; 0: none has.
  uint64_t first_in_ = 0;
  uint64_t first_out_ = 0;
};

}  // namespace swai::card
