// SPDX-License-Identifier: Apache-2.0
// What one client sees of a shared card: the registers that the runtime library uses, its own words for
// requests, the slots of its own queues, what the firmware tells about itself; and memory of its own behind
// bus addresses of its own. Nothing else is there.
#pragma once

#include <array>
#include <span>

#include "abi/protocol.hpp"
#include "host/daemon/cards/shared_card.hpp"
#include "host/transport/server/device.hpp"

namespace swai::serve {

class VirtualCard final : public socket::Device, public SharedCard::Client {
 public:
  explicit VirtualCard(SharedCard& shared);
  VirtualCard(const VirtualCard&) = delete;
  VirtualCard& operator=(const VirtualCard&) = delete;

  void connect(socket::Host& host) override { host_ = &host; }
  const socket::DeviceInfo& info() const override { return info_; }
  uint64_t cycle() const override { return shared_.cycle(); }
  int region_write(unsigned region, uint64_t offset, std::span<const uint8_t> data) override;
  uint64_t write_room() const override { return socket::kMaxAccess; }
  void start_read(unsigned region, uint64_t offset, uint32_t bytes) override;
  int dma_map(const socket::DmaRange& range) override;
  void dma_unmap(uint64_t iova, uint64_t bytes) override;
  void host_done(uint32_t /*tag*/, bool /*good*/, std::span<const uint8_t> /*data*/) override {}
  void reset() override;
  void client_gone() override { reset(); }
  socket::ControlResult control(uint64_t command, std::span<const uint64_t, 4> arguments) override;

  // --- For what is shared

  uint64_t context() const override { return context_; }
  bool is_or_becomes_attached() const override { return context_ != 0 || waits_; }
  void interrupt(unsigned vector) override { host_->interrupt(vector); }
  void take(const SharedCard::Request& request, const SharedCard::Reply& reply) override;
  void forget() override;

 private:
  int write_control(uint64_t offset, std::span<const uint8_t> data);
  int write_memory(uint64_t offset, std::span<const uint8_t> data);
  int read_control(uint64_t offset, std::span<uint8_t> to);
  int read_memory(uint64_t offset, std::span<uint8_t> to);
  void make_request();
  protocol::Status complete(SharedCard::Request& request) const;
  int restart(uint64_t request);
  int ring(uint64_t doorbell);
  // Whether these bytes of the SRAM are slots of a queue of the client's.
  bool in_own_queue(uint64_t offset, uint64_t bytes) const;
  bool owns(uint64_t queue) const { return queue < protocol::kQueues && (queues_ >> queue & 1) != 0; }

  SharedCard& shared_;
  const unsigned number_;
  socket::Host* host_ = nullptr;
  socket::DeviceInfo info_;
  const uint64_t window_;  // bus addresses of the client's begin here on the real card
  uint64_t context_ = 0;
  uint64_t queues_ = 0;  // a bit for each that it has opened
  bool waits_ = false;   // for a reply
  bool rang_ = false;    // meanwhile
  std::array<uint64_t, protocol::word::kValues + protocol::word::kValueCount> words_ = {};
};

}  // namespace swai::serve
