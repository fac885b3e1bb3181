// SPDX-License-Identifier: Apache-2.0
// The client's side of the vfio-user protocol as a Backend; made by the functions of vfio_user_backend.hpp.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "host/transport/backend.hpp"
#include "host/transport/channel.hpp"
#include "host/transport/vfio_user_options.hpp"

namespace swai::link {

class VfioUserClient final : public Backend {
 public:
  // `turn`: see InProcess of vfio_user_backend.hpp; empty for a server in another process.
  VfioUserClient(Fd connection, std::function<void()> turn, std::string address,
                 const VfioUserOptions& options);

  const Description& describe() const override { return description_; }
  void read(unsigned region, uint64_t offset, Buffer to) override;
  void write(unsigned region, uint64_t offset, Bytes from) override;
  void post(unsigned region, uint64_t offset, Bytes from) override;
  void map(const DmaMapping& mapping) override;
  void unmap(uint64_t iova, uint64_t bytes) override;
  void set_interrupts(std::span<const int> eventfds) override;
  void reset() override;
  vendor::RunResult run_until(const vendor::RunRequest& request) override;
  bool wait(std::span<pollfd> fds, Milliseconds timeout) override;
  int fd() const override { return channel_.fd(); }
  void close() override;

 private:
  using Time = std::chrono::steady_clock::time_point;
  using Payload = std::vector<uint8_t>;

  void negotiate();
  void ask_what_it_is();
  vfio_user::RegionInfo ask_region(uint32_t index, Payload& reply);

  // Sends a command and waits for its reply, whose payload it returns. `what` is for messages.
  Payload call(vfio_user::Command command, Bytes payload, const std::string& what, Milliseconds timeout,
               std::span<const int> fds = {});
  uint16_t send(vfio_user::Command command, Bytes payload, uint32_t flags, std::span<const int> fds);
  Payload read_some(unsigned region, uint64_t offset, uint64_t count, Milliseconds timeout);
  void check_region(unsigned region, uint64_t offset, uint64_t bytes, const char* what) const;

  // Waits for input, or room for output. False: the deadline has passed.
  bool wait_for_server(Time deadline, std::span<pollfd> others = {});
  // Takes one message, if there is one; answers the card's accesses to our memory.
  std::optional<Message> receive();
  void serve(const Message& request);
  Payload dma_access(const Message& request);
  [[noreturn]] void lost(const std::string& why);

  Channel channel_;
  std::function<void()> turn_;
  VfioUserOptions options_;
  Description description_;
  uint64_t max_transfer_ = vfio_user::kDefaultTransfer;
  uint64_t max_fds_ = 1;
  uint16_t next_id_ = 1;
  std::set<uint16_t> abandoned_;  // calls that timed out and may still be answered
  std::string lost_why_;
  std::map<uint64_t, DmaMapping> mappings_;
};

}  // namespace swai::link
