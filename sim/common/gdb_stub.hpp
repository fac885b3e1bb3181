// SPDX-License-Identifier: Apache-2.0
// A server for gdb's remote serial protocol: one hart, all-stop. Three layers, so that each can be tested
// alone: GdbTarget is what is debugged, GdbSession speaks the protocol on plain bytes, GdbServer is the TCP
// socket.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace swai::common {

// What a debugger can do with a hart. Registers have gdb's numbers: 0-31 integer registers, 32 pc, 65 + n CSR
// n, 4161 the privilege mode. Registers and memory are only asked for while halted() is true.
class GdbTarget {
 public:
  enum class StopReason { kNone, kEbreak, kHardwareBreakpoint, kHaltRequest, kStep };

  virtual ~GdbTarget() = default;
  virtual std::string description() const = 0;  // target.xml
  virtual void attach(bool attached) = 0;       // attached: ebreak halts the hart
  virtual bool halted() const = 0;
  virtual StopReason stop_reason() const = 0;
  virtual void request_halt() = 0;  // returns at once; halted() becomes true later
  virtual void resume() = 0;
  virtual void step() = 0;  // returns at once as well
  virtual std::optional<uint64_t> read_register(unsigned number) = 0;
  virtual bool write_register(unsigned number, uint64_t value) = 0;
  virtual size_t read_memory(uint64_t addr,
                             std::span<uint8_t> to) = 0;  // returns the bytes read before a fault
  virtual bool write_memory(uint64_t addr, std::span<const uint8_t> from) = 0;
  virtual bool set_hardware_breakpoint(uint64_t addr) = 0;
  virtual bool clear_hardware_breakpoint(uint64_t addr) = 0;
  virtual void sync_code() = 0;  // code was written: the next fetch must see it
  virtual std::optional<std::string> monitor(std::string_view command) = 0;  // gdb's `monitor` command
};

class GdbSession {
 public:
  explicit GdbSession(GdbTarget& target);

  void feed(std::string_view bytes);  // bytes from gdb
  std::string take_output();          // bytes for gdb
  void poll();                        // reports a stop of the target to gdb, if it waits for one
  void exited(int code);              // the program has ended
  void close();                       // gdb has gone: breakpoints out, target runs on

  bool kill_requested() const { return killed_; }
  bool detached() const { return detached_; }

 private:
  using Reply = std::optional<std::string>;  // none: no reply (yet)

  void accept_byte(char byte);
  void finish_packet();
  void send(std::string_view payload);
  void handle(std::string_view packet);
  Reply dispatch(std::string_view packet);
  Reply query(std::string_view packet);
  Reply resume_command(char action);
  void sync_code();
  Reply read_registers();
  Reply write_registers(std::string_view hex);
  Reply read_one_register(std::string_view arguments);
  Reply write_one_register(std::string_view arguments);
  Reply read_memory(std::string_view arguments);
  Reply write_memory(std::string_view arguments, bool binary);
  Reply breakpoint(std::string_view arguments, bool insert);
  Reply transfer_description(std::string_view arguments);
  std::string stop_reply() const;
  bool insert_software_breakpoint(uint64_t addr);
  bool remove_software_breakpoint(uint64_t addr);
  bool add_comparator_user(uint64_t addr, unsigned user);
  bool remove_comparator_user(uint64_t addr, unsigned user);
  void remove_all_breakpoints();

  enum class Receive { kIdle, kPayload, kChecksumHigh, kChecksumLow };

  GdbTarget& target_;
  std::string output_;
  Receive receive_ = Receive::kIdle;
  std::string packet_;
  uint8_t sum_ = 0;
  char checksum_high_ = 0;
  std::string last_sent_;
  bool acknowledge_ = true;
  bool running_ = false;  // gdb waits for a stop reply
  bool killed_ = false;
  bool detached_ = false;
  std::map<uint64_t, std::vector<uint8_t>> software_;  // address and what the ebreak there has replaced
  std::map<uint64_t, unsigned> hardware_;              // address and who wants it
  bool code_written_ = false;
};

// The port cannot be had; what() says which and why.
class GdbPortError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Listens on a TCP port of this machine only; port 0 picks a free one.
class GdbServer {
 public:
  // Throws GdbPortError. `run_until_halted` lets simulated time pass until the target stands still or a bound
  // is reached.
  GdbServer(uint16_t port, GdbTarget& target, std::function<void()> run_until_halted);
  ~GdbServer();
  GdbServer(const GdbServer&) = delete;
  GdbServer& operator=(const GdbServer&) = delete;

  uint16_t port() const { return port_; }
  bool connected() const { return client_ >= 0; }
  bool kill_requested() const { return killed_; }

  // Serves what has arrived. Call it now and then while the target runs, and with `wait_ms` set while there
  // is nothing to simulate (halted, or nobody connected yet and the caller wants to wait).
  void poll(int wait_ms = 0);
  void exited(int code);

 private:
  void accept_client();
  void receive();
  void flush();
  void drop_client();

  GdbTarget& target_;
  std::function<void()> run_until_halted_;
  int listener_ = -1;
  int client_ = -1;
  uint16_t port_ = 0;
  bool killed_ = false;
  std::optional<GdbSession> session_;
};

}  // namespace swai::common
