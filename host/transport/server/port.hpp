// SPDX-License-Identifier: Apache-2.0
// One card as its client sees it: executes the commands of the vfio-user protocol, one after the other, and
// keeps what belongs to the client (interrupts, DMA ranges, the vendor region). Sockets come and go in
// server.hpp; when time passes is decided there, too.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "host/transport/channel.hpp"
#include "host/transport/server/device.hpp"
#include "host/transport/server/dma_table.hpp"
#include "host/transport/server/irq_table.hpp"
#include "host/transport/server/limits.hpp"
#include "host/transport/server/vendor.hpp"
#include "host/transport/vfio_user.hpp"

namespace swai::socket {

// Descriptors in one message. QEMU does not talk to servers that take more.
inline constexpr unsigned kMaxFds = 16;

class Port final : public Host {
 public:
  using Log = std::function<void(const std::string&)>;
  using Time = std::chrono::steady_clock::time_point;

  Port(Device& device, Clock& clock, const Limits& limits, Log log);
  ~Port() override;
  Port(const Port&) = delete;
  Port& operator=(const Port&) = delete;

  // The client: one that has agreed on a version. The reply to it is the first thing that is sent.
  bool taken() const { return channel_.has_value(); }
  void admit(link::Channel channel, const link::vfio_user::Capabilities& agreed,
             uint64_t client_max_transfer);
  // Drops the client, if there is one: the card is reset, and all that was the client's is given back.
  void drop(const std::string& why);
  int fd() const { return channel_->fd(); }
  bool wants_input() const;
  // There is more to do than work() did at once.
  bool unfinished() const { return unfinished_; }
  bool wants_output() const { return channel_->unsent() != 0; }

  // Executes what has arrived, as far as it can be; drops a client that has left.
  void work();
  // The socket says that the client has left.
  void hung_up();
  // The client is asked for memory; time stands until it answers.
  bool owed() const { return !asked_.empty() || !failed_.empty(); }
  std::optional<Time> owed_since() const;

  // A read, RUN_UNTIL or a write without room: time must pass, up to this cycle, before the client can go on.
  bool waits_for_time() const { return waiting_ != Waiting::kNothing; }
  uint64_t time_limit() const { return waiting_ == Waiting::kRun ? vendor_.run_limit() : UINT64_MAX; }
  bool deterministic() const { return taken() && vendor_.deterministic(); }
  // Time may pass as far as this client is concerned: it has touched the card.
  bool started() const { return taken() && started_; }
  uint64_t cycle() const { return device_.cycle(); }

  // Host
  void read_done(int error, std::span<const uint8_t> data) override;
  void interrupt(unsigned vector) override;
  void fatal_error() override;
  void host_read(uint32_t tag, uint64_t iova, uint32_t bytes) override;
  void host_write(uint32_t tag, uint64_t iova, std::span<const uint8_t> data) override;

  // The server ends: tell the client that the device goes away.
  void request_release();

 private:
  using Message = link::Message;
  using Payload = std::span<const uint8_t>;
  enum class Waiting { kNothing, kRead, kRun, kRoom };
  struct Asked {  // one message to the client
    uint32_t tag = 0;
    uint64_t address = 0;
    uint64_t count = 0;
    bool write = false;
  };
  struct Access {  // one access of the device, perhaps several messages
    uint32_t messages = 0;
    bool good = true;
    uint64_t iova = 0;
    std::vector<uint8_t> data;
  };

  void work_off();
  bool next();  // executes one message; false: there is none, or none can be executed now
  std::optional<Message> fetch();
  void execute(Message message);
  void dispatch(Message& message);
  void resume();  // what has waited for time
  bool wants_reply() const { return (current_.header.flags & link::vfio_user::kNoReply) == 0; }
  void answer(Payload payload);
  void fail(int error);
  void finish(int error) { error == 0 ? answer({}) : fail(error); }

  void dma_map(Message& message);
  void dma_unmap(Payload payload);
  void get_info(Payload payload);
  void get_region_info(Payload payload);
  void get_irq_info(Payload payload);
  void set_irqs(Message& message);
  void region_read(Payload payload);
  void region_write(Payload payload);
  void write_multiple(Payload payload);
  void reset(Payload payload);

  struct RegionShape {
    uint64_t bytes;
    bool readable;
    bool writable;
  };
  std::optional<RegionShape> region(uint32_t index) const;
  int check_access(const link::vfio_user::RegionAccess& access, bool write) const;
  bool make_room(uint64_t bytes);
  int write_card(const link::vfio_user::RegionAccess& access, Payload data);

  void ask(uint32_t tag, uint64_t iova, uint64_t bytes, bool write, Payload data);
  void take_reply(const Message& message);
  void close_access(uint32_t tag, bool good);
  void deliver_interrupts();

  Device& device_;
  Clock& clock_;
  Log log_;
  VendorRegion vendor_;
  IrqTable irqs_;
  DmaTable dma_;

  std::optional<link::Channel> channel_;
  link::vfio_user::Capabilities agreed_;
  uint64_t client_max_transfer_ = 0;
  bool started_ = false;
  bool unfinished_ = false;

  std::deque<Message> queue_;  // arrived while the client owed answers
  uint64_t queued_bytes_ = 0;
  uint64_t queued_fds_ = 0;
  Message current_;
  Waiting waiting_ = Waiting::kNothing;
  link::vfio_user::RegionAccess read_;

  std::map<uint16_t, Asked> asked_;
  std::map<uint32_t, Access> accesses_;
  std::deque<uint32_t> failed_;  // accesses to answer as refused
  uint16_t next_id_ = 0;
  Time asked_at_;
  std::vector<unsigned> held_vectors_;
};

}  // namespace swai::socket
