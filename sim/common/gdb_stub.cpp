// SPDX-License-Identifier: Apache-2.0
#include "sim/common/gdb_stub.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace swai::common {

namespace {

constexpr size_t kPacketBytes = 0x4000;
constexpr unsigned kGeneralRegisters = 33;  // x0 to x31 and pc: what a `g` packet holds
constexpr std::array<uint8_t, 2> kCompressedEbreak = {0x02, 0x90};
constexpr char kInterrupt = 0x03;
constexpr unsigned kAskedFor = 1;  // why a comparator is in use: gdb asked for a hardware breakpoint
constexpr unsigned kStandsIn = 2;  // or for a software breakpoint where nothing can be written

const std::string kOk = "OK";
const std::string kUnsupported;  // the empty reply
const std::string kBadRequest = "E16";
const std::string kFault = "E0e";
const std::string kBusy = "E10";

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// Takes a hexadecimal number of at most 64 bits off the front.
std::optional<uint64_t> take_number(std::string_view& text) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  if (error != std::errc{}) return std::nullopt;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return value;
}

bool take_char(std::string_view& text, char expected) {
  if (text.empty() || text.front() != expected) return false;
  text.remove_prefix(1);
  return true;
}

bool take_prefix(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

std::string to_hex(std::span<const uint8_t> bytes) {
  std::string text;
  text.reserve(2 * bytes.size());
  for (const uint8_t byte : bytes) text += fmt::format("{:02x}", byte);
  return text;
}

std::optional<std::vector<uint8_t>> from_hex(std::string_view text) {
  if (text.size() % 2 != 0) return std::nullopt;
  std::vector<uint8_t> bytes;
  bytes.reserve(text.size() / 2);
  for (size_t i = 0; i < text.size(); i += 2) {
    const int high = hex_digit(text[i]);
    const int low = hex_digit(text[i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    bytes.push_back(static_cast<uint8_t>(high * 16 + low));
  }
  return bytes;
}

std::string register_hex(std::optional<uint64_t> value) {
  if (!value) return "xxxxxxxxxxxxxxxx";
  std::array<uint8_t, 8> bytes{};
  for (unsigned i = 0; i < 8; ++i) bytes[i] = static_cast<uint8_t>(*value >> (8 * i));
  return to_hex(bytes);
}

std::optional<uint64_t> register_value(std::string_view hex) {
  const auto bytes = from_hex(hex);
  if (!bytes || bytes->size() != 8) return std::nullopt;
  uint64_t value = 0;
  for (unsigned i = 0; i < 8; ++i) value |= uint64_t{(*bytes)[i]} << (8 * i);
  return value;
}

std::vector<uint8_t> unescape(std::string_view data) {
  std::vector<uint8_t> bytes;
  bytes.reserve(data.size());
  for (size_t i = 0; i < data.size(); ++i) {
    const bool escaped = data[i] == '}' && i + 1 < data.size();
    if (escaped) ++i;
    bytes.push_back(static_cast<uint8_t>(static_cast<uint8_t>(data[i]) ^ (escaped ? 0x20 : 0)));
  }
  return bytes;
}

// Calls f(index into the block, index into the piece) for every byte that both have in common.
template <typename F>
void for_overlap(uint64_t block, size_t block_size, uint64_t piece, size_t piece_size, F&& f) {
  for (size_t i = 0; i < piece_size; ++i) {
    const uint64_t at = piece + i - block;
    if (at < block_size) f(static_cast<size_t>(at), i);
  }
}

}  // namespace

GdbSession::GdbSession(GdbTarget& target) : target_(target) { target_.attach(true); }

std::string GdbSession::take_output() { return std::exchange(output_, {}); }

void GdbSession::feed(std::string_view bytes) {
  for (const char byte : bytes) accept_byte(byte);
}

void GdbSession::accept_byte(char byte) {
  switch (receive_) {
    case Receive::kIdle:
      if (byte == '$') {
        packet_.clear();
        sum_ = 0;
        receive_ = Receive::kPayload;
      } else if (byte == kInterrupt && running_) {
        target_.request_halt();
      } else if (byte == '-' && acknowledge_) {
        output_ += last_sent_;
      }
      break;
    case Receive::kPayload:
      if (byte == '#') {
        receive_ = Receive::kChecksumHigh;
      } else if (byte == '$') {  // the end of the last packet was lost
        packet_.clear();
        sum_ = 0;
      } else if (packet_.size() >= kPacketBytes) {
        receive_ = Receive::kIdle;
        if (acknowledge_) output_ += '-';
      } else {
        packet_ += byte;
        sum_ = static_cast<uint8_t>(sum_ + static_cast<uint8_t>(byte));
      }
      break;
    case Receive::kChecksumHigh:
      checksum_high_ = byte;
      receive_ = Receive::kChecksumLow;
      break;
    case Receive::kChecksumLow: {
      receive_ = Receive::kIdle;
      const int high = hex_digit(checksum_high_);
      const int low = hex_digit(byte);
      const bool good = high >= 0 && low >= 0 && high * 16 + low == sum_;
      if (acknowledge_) output_ += good ? '+' : '-';
      if (good) handle(packet_);
      break;
    }
  }
}

void GdbSession::send(std::string_view payload) {
  uint8_t sum = 0;
  for (const char c : payload) sum = static_cast<uint8_t>(sum + static_cast<uint8_t>(c));
  last_sent_ = fmt::format("${}#{:02x}", payload, sum);
  output_ += last_sent_;
}

void GdbSession::handle(std::string_view packet) {
  if (const Reply reply = dispatch(packet)) send(*reply);
}

GdbSession::Reply GdbSession::dispatch(std::string_view packet) {
  if (packet.empty()) return kUnsupported;
  const char command = packet.front();
  std::string_view arguments = packet.substr(1);
  if (command == 'q' || command == 'Q') return query(packet);
  if (command == 'k') {
    killed_ = true;
    return std::nullopt;
  }
  if (command == 'D' && !running_) {
    close();
    detached_ = true;
    return kOk;
  }
  if (command == 'H') return kOk;
  if (command == 'T') return arguments == "1" ? kOk : kBadRequest;
  if (take_prefix(packet, "vKill")) {
    killed_ = true;
    return kOk;
  }
  if (packet == "vCont?") return "vCont;c;C;s;S";
  if (running_ || !target_.halted()) return kBusy;

  switch (command) {
    case '?':
      return stop_reply();
    case 'g':
      return read_registers();
    case 'G':
      return write_registers(arguments);
    case 'p':
      return read_one_register(arguments);
    case 'P':
      return write_one_register(arguments);
    case 'm':
      return read_memory(arguments);
    case 'M':
      return write_memory(arguments, false);
    case 'X':
      return write_memory(arguments, true);
    case 'Z':
    case 'z':
      return breakpoint(arguments, command == 'Z');
    case 'c':
    case 's':
      if (!arguments.empty()) {
        const auto pc = take_number(arguments);
        if (!pc || !target_.write_register(32, *pc)) return kBadRequest;
      }
      return resume_command(command);
    case 'C':  // there are no signals to deliver
      return resume_command('c');
    case 'S':
      return resume_command('s');
    case 'v':
      if (take_prefix(packet, "vCont;")) return resume_command(packet.empty() ? '?' : packet.front());
      return kUnsupported;
    default:
      return kUnsupported;
  }
}

GdbSession::Reply GdbSession::query(std::string_view packet) {
  if (packet.starts_with("qSupported")) {
    return fmt::format(
        "PacketSize={:x};QStartNoAckMode+;qXfer:features:read+;swbreak+;hwbreak+;vContSupported+",
        kPacketBytes);
  }
  if (packet == "QStartNoAckMode") {
    acknowledge_ = false;
    return kOk;
  }
  if (packet == "qC") return "QC1";
  if (packet == "qfThreadInfo") return "m1";
  if (packet == "qsThreadInfo") return "l";
  if (packet.starts_with("qAttached")) return "1";
  if (take_prefix(packet, "qXfer:features:read:target.xml:")) return transfer_description(packet);
  if (take_prefix(packet, "qRcmd,")) {
    const auto command = from_hex(packet);
    if (!command) return kBadRequest;
    if (running_ || !target_.halted()) return kBusy;
    const auto answer =
        target_.monitor(std::string_view(reinterpret_cast<const char*>(command->data()), command->size()));
    if (!answer) return kBadRequest;
    if (answer->empty()) return kOk;
    return to_hex({reinterpret_cast<const uint8_t*>(answer->data()), answer->size()});
  }
  return kUnsupported;
}

GdbSession::Reply GdbSession::transfer_description(std::string_view arguments) {
  const auto offset = take_number(arguments);
  if (!offset || !take_char(arguments, ',')) return kBadRequest;
  const auto length = take_number(arguments);
  if (!length || !arguments.empty()) return kBadRequest;
  const std::string text = target_.description();
  if (*offset >= text.size()) return "l";
  const std::string piece = text.substr(*offset, std::min<uint64_t>(*length, kPacketBytes - 8));
  return (*offset + piece.size() < text.size() ? "m" : "l") + piece;
}

GdbSession::Reply GdbSession::resume_command(char action) {
  if (action != 'c' && action != 'C' && action != 's' && action != 'S') return kBadRequest;
  running_ = true;
  sync_code();
  if (action == 's' || action == 'S') {
    target_.step();
  } else {
    target_.resume();
  }
  return std::nullopt;
}

void GdbSession::sync_code() {
  if (code_written_) target_.sync_code();
  code_written_ = false;
}

std::string GdbSession::stop_reply() const {
  switch (target_.stop_reason()) {
    case GdbTarget::StopReason::kHaltRequest:
      return "T02thread:1;";  // SIGINT
    case GdbTarget::StopReason::kHardwareBreakpoint:
      return "T05hwbreak:;thread:1;";
    case GdbTarget::StopReason::kEbreak:
      return "T05swbreak:;thread:1;";
    default:
      return "T05thread:1;";
  }
}

void GdbSession::poll() {
  if (!running_ || !target_.halted()) return;
  running_ = false;
  send(stop_reply());
}

void GdbSession::exited(int code) {
  if (!running_) return;
  running_ = false;
  send(fmt::format("W{:02x}", code & 0xff));
}

void GdbSession::close() {
  if (target_.halted()) {
    remove_all_breakpoints();
    sync_code();
    target_.attach(false);
    target_.resume();
  } else {
    target_.attach(false);
  }
  running_ = false;
}

GdbSession::Reply GdbSession::read_registers() {
  std::string text;
  for (unsigned number = 0; number < kGeneralRegisters; ++number) {
    text += register_hex(target_.read_register(number));
  }
  return text;
}

GdbSession::Reply GdbSession::write_registers(std::string_view hex) {
  if (hex.size() != 16 * kGeneralRegisters) return kBadRequest;
  for (unsigned number = 0; number < kGeneralRegisters; ++number) {
    const auto value = register_value(hex.substr(16 * number, 16));
    if (!value) return kBadRequest;
    if (number != 0 && !target_.write_register(number, *value)) return kFault;
  }
  return kOk;
}

GdbSession::Reply GdbSession::read_one_register(std::string_view arguments) {
  const auto number = take_number(arguments);
  if (!number || !arguments.empty() || *number > 0xffff) return kBadRequest;
  return register_hex(target_.read_register(static_cast<unsigned>(*number)));
}

GdbSession::Reply GdbSession::write_one_register(std::string_view arguments) {
  const auto number = take_number(arguments);
  if (!number || *number > 0xffff || !take_char(arguments, '=')) return kBadRequest;
  const auto value = register_value(arguments);
  if (!value) return kBadRequest;
  return target_.write_register(static_cast<unsigned>(*number), *value) ? kOk : kFault;
}

GdbSession::Reply GdbSession::read_memory(std::string_view arguments) {
  const auto addr = take_number(arguments);
  if (!addr || !take_char(arguments, ',')) return kBadRequest;
  const auto length = take_number(arguments);
  if (!length || !arguments.empty()) return kBadRequest;
  std::vector<uint8_t> bytes(std::min<uint64_t>(*length, kPacketBytes / 2 - 8));
  const size_t got = target_.read_memory(*addr, bytes);
  if (got == 0 && !bytes.empty()) return kFault;
  bytes.resize(got);
  for (const auto& [at, saved] : software_) {
    const auto& original = saved;
    for_overlap(*addr, bytes.size(), at, saved.size(), [&](size_t i, size_t k) { bytes[i] = original[k]; });
  }
  return to_hex(bytes);
}

GdbSession::Reply GdbSession::write_memory(std::string_view arguments, bool binary) {
  const auto addr = take_number(arguments);
  if (!addr || !take_char(arguments, ',')) return kBadRequest;
  const auto length = take_number(arguments);
  if (!length || !take_char(arguments, ':')) return kBadRequest;
  auto bytes = binary ? unescape(arguments) : from_hex(arguments);
  if (!bytes || bytes->size() != *length) return kBadRequest;
  if (bytes->empty()) return kOk;
  // Breakpoints stay in place; what is written under them comes to light when they go.
  auto written = *bytes;
  for (const auto& [at, saved] : software_) {
    for_overlap(*addr, written.size(), at, saved.size(),
                [&](size_t i, size_t k) { written[i] = kCompressedEbreak[k]; });
  }
  code_written_ = true;
  if (!target_.write_memory(*addr, written)) return kFault;
  for (auto& [at, saved] : software_) {
    auto& original = saved;
    for_overlap(*addr, bytes->size(), at, saved.size(),
                [&](size_t i, size_t k) { original[k] = (*bytes)[i]; });
  }
  return kOk;
}

GdbSession::Reply GdbSession::breakpoint(std::string_view arguments, bool insert) {
  const auto type = take_number(arguments);
  if (!type || !take_char(arguments, ',')) return kBadRequest;
  const auto addr = take_number(arguments);
  if (!addr || !take_char(arguments, ',') || (*addr & 1) != 0) return kBadRequest;
  if (*type > 1) return kUnsupported;  // no watchpoints
  if (*type == 1) {
    const bool done =
        insert ? add_comparator_user(*addr, kAskedFor) : remove_comparator_user(*addr, kAskedFor);
    return done ? kOk : kFault;
  }
  if (insert) {
    // Code that cannot be written (ROM, read-only pages) gets one of the comparators instead.
    const bool done = software_.contains(*addr) || insert_software_breakpoint(*addr) ||
                      add_comparator_user(*addr, kStandsIn);
    return done ? kOk : kFault;
  }
  const bool done = software_.contains(*addr) ? remove_software_breakpoint(*addr)
                                              : remove_comparator_user(*addr, kStandsIn);
  return done ? kOk : kFault;
}

bool GdbSession::add_comparator_user(uint64_t addr, unsigned user) {
  if (!hardware_.contains(addr) && !target_.set_hardware_breakpoint(addr)) return false;
  hardware_[addr] |= user;
  return true;
}

bool GdbSession::remove_comparator_user(uint64_t addr, unsigned user) {
  const auto found = hardware_.find(addr);
  if (found == hardware_.end()) return true;
  found->second &= ~user;
  if (found->second != 0) return true;
  hardware_.erase(found);
  return target_.clear_hardware_breakpoint(addr);
}

bool GdbSession::insert_software_breakpoint(uint64_t addr) {
  std::vector<uint8_t> saved(kCompressedEbreak.size());
  code_written_ = true;
  if (target_.read_memory(addr, saved) != saved.size() || !target_.write_memory(addr, kCompressedEbreak))
    return false;
  std::vector<uint8_t> now(saved.size());
  if (target_.read_memory(addr, now) != now.size() || !std::ranges::equal(now, kCompressedEbreak))
    return false;
  software_[addr] = std::move(saved);
  return true;
}

bool GdbSession::remove_software_breakpoint(uint64_t addr) {
  const auto node = software_.extract(addr);
  code_written_ = true;
  return target_.write_memory(addr, node.mapped());
}

void GdbSession::remove_all_breakpoints() {
  while (!software_.empty()) remove_software_breakpoint(software_.begin()->first);
  for (const auto& [addr, users] : hardware_) target_.clear_hardware_breakpoint(addr);
  hardware_.clear();
}

}  // namespace swai::common
