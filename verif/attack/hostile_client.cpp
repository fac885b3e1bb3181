// SPDX-License-Identifier: Apache-2.0
#include "verif/attack/hostile_client.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "host/runtime/bars.hpp"

namespace swai::attack {

using protocol::Operation;
using protocol::Status;

namespace {

constexpr unsigned kMostLooks = 2000;

}  // namespace

HostileClient::HostileClient(const std::string& socket)
    : connection(link::Card::open(socket), sdaa::Limits{}) {
  const auto opened = connection.ask(Operation::kQueueOpen, {});
  queue = static_cast<unsigned>(opened[0]);
  next = static_cast<uint32_t>(opened[1]);
  // Memory that somebody else had is cleared first.
  sdaa::Connection::Values given = {};
  Status status = Status::kAgain;
  // Also the processor reaches it: it may be a list of commands, or a module.
  const uint64_t flags = protocol::AllocateFlags{protocol::Usage::kShared}.bits();
  while (status == Status::kAgain) status = connection.request(Operation::kAllocate, {kBytes, flags}, given);
  if (status != Status::kOk) sdaa::fail(sdaa::code_of(status), "no memory for a hostile client");
  pointer = given[0];
  iova = connection.take_iova(kBytes);
  pinned.emplace(connection.card().pin(iova, kBytes));
}

std::optional<sdaa::RequestWords::Reply> HostileClient::exchange(Operation operation,
                                                                 std::vector<uint64_t> words) {
  words.resize(std::min<size_t>(words.size(), protocol::word::kArgumentCount));
  sdaa::RequestWords request(connection.card());
  request.send(operation, words);
  for (unsigned looks = 0; looks < kMostLooks; ++looks) {
    if (const auto reply = request.look()) return reply;
  }
  return std::nullopt;
}

std::optional<Status> HostileClient::request(Operation operation, std::vector<uint64_t> words) {
  const auto reply = exchange(operation, std::move(words));
  return reply ? std::optional(reply->status) : std::nullopt;
}

Status HostileClient::request_as(uint64_t of, Operation operation, std::vector<uint64_t> arguments) {
  arguments.insert(arguments.begin(), of);
  return request(operation, std::move(arguments)).value_or(Status::kInternal);
}

Status HostileClient::command(const std::array<uint8_t, protocol::kSlotBytes>& slot) {
  connection.write_slots(queue, next, slot);
  connection.ring(queue);
  for (unsigned looks = 0; looks < kMostLooks && connection.queue(queue).completed != next; ++looks)
    connection.let_time_pass(10'000);
  const protocol::QueueStatus line = connection.queue(queue);
  if (line.completed != next) return Status::kInternal;
  ++next;
  if (line.status != Status::kOk)
    next = static_cast<uint32_t>(connection.ask(Operation::kQueueReset, {queue})[0]);
  return line.status;
}

Status HostileClient::copy(uint64_t device, uint64_t host, bool to_host) {
  command::Copy copy = {};
  copy.header = {next, command::Type::kCopy, 1, 0};
  copy.host = host;
  copy.device = device;
  copy.bytes = kBytes;
  copy.rows = 1;
  copy.to_host = to_host ? 1 : 0;
  std::array<uint8_t, protocol::kSlotBytes> slot = {};
  std::memcpy(slot.data(), &copy, sizeof copy);
  return command(slot);
}

void HostileClient::fill(uint8_t value) { std::ranges::fill(pinned->bytes(), value); }

bool HostileClient::holds(uint8_t value) const {
  return std::ranges::all_of(pinned->bytes(), [value](uint8_t byte) { return byte == value; });
}

bool HostileClient::refuses_read(unsigned bar, uint64_t offset, size_t bytes) {
  std::vector<uint8_t> data(bytes);
  try {
    connection.card().read_block(bar, offset, data);
  } catch (const link::Error& error) {
    return error.kind() == link::ErrorKind::kRefused && error.code() == EACCES;
  }
  return false;
}

bool HostileClient::refuses_write(unsigned bar, uint64_t offset, size_t bytes, uint8_t value) {
  const std::vector<uint8_t> data(bytes, value);
  try {
    connection.card().write_block(bar, offset, data);
  } catch (const link::Error& error) {
    return error.kind() == link::ErrorKind::kRefused && error.code() == EACCES;
  }
  return false;
}

}  // namespace swai::attack
