// SPDX-License-Identifier: Apache-2.0
#include "host/runtime/peers.hpp"

#include <algorithm>
#include <array>
#include <random>
#include <vector>

#include "card_regs.hpp"
#include "host/runtime/bars.hpp"
#include "host/runtime/card_memory.hpp"
#include "host/runtime/copy.hpp"
#include "host/runtime/runtime.hpp"
#include "host/runtime/service_copies.hpp"

namespace swai::sdaa {
namespace {

using command::Type;

uint64_t bar0_of(Device& device) {
  return device.connection().card().read<uint64_t>(kControlBar, regs::pcie::bar0::kOffset);
}
// Where other cards find memory of this one.
uint64_t bus_address(Device& device, uint64_t pointer) {
  const uint64_t physical = device.connection().ask(protocol::Operation::kPointerInfo, {pointer})[3];
  return bar0_of(device) + (physical - regs::kHbmRegion.base);
}
StreamWriter default_writer(Device& device, Device::Lock& lock) {
  return {device, lock, *device.streams().default_stream()};
}
// What the default stream was given is complete.
void settle(Device& device, Device::Lock& lock) {
  StreamWriter stream = default_writer(device, lock);
  stream.wait(stream.mark());
}

// One whose window hides the bus cannot name other cards; and two hosts each put their first card in the same
// place.
bool may_reach(Device& device, Device& peer) {
  uint64_t here = 0;
  {
    const Device::Lock lock = device.enter();
    if (device.connection().routes().engines == 0) return false;
    here = bar0_of(device);
  }
  const Device::Lock lock = peer.enter();
  const uint64_t there = bar0_of(peer);
  return there != 0 && there != here;
}

using Words = std::array<uint64_t, 8>;
// Whether these words come from that address of the bus.
bool come(Device& device, const Words& words, uint64_t bus) {
  constexpr Words kNothing = {};
  Device::Lock lock = device.enter();
  const CardMemory memory(device, lock, {reinterpret_cast<const uint8_t*>(kNothing.data()), sizeof kNothing});
  const auto stream = device.make_stream(lock, sdaaStreamNonBlocking);
  Words got = {};
  try {
    StreamWriter writer(device, lock, *stream);
    copy_from_bus(writer, memory.pointer(), bus, {sizeof got, 1, 0, 0});
    writer.wait();
    copy_to_host(device, lock, got.data(), memory.pointer(), sizeof got);
  } catch (const Failure&) {
    device.streams().restart(lock, *stream);
  }
  Streams::drop(*stream);
  return got == words;
}

void through_host(const PeerMemory& to, const PeerMemory& from, uint64_t bytes) {
  constexpr uint64_t kPiece = 4 << 20;
  std::vector<uint8_t> piece(std::min(bytes, kPiece));
  const auto at = [](const PeerMemory& memory, uint64_t offset) {
    return reinterpret_cast<void*>(memory.pointer + offset);
  };
  for (uint64_t done = 0; done < bytes; done += piece.size()) {
    const CopyShape shape{std::min<uint64_t>(piece.size(), bytes - done), 1, 0, 0};
    {
      Device::Lock lock = from.device->enter();
      copy(default_writer(*from.device, lock), piece.data(), at(from, done), shape, sdaaMemcpyDeviceToHost,
           Mode::kSync);
    }
    Device::Lock lock = to.device->enter();
    copy(default_writer(*to.device, lock), at(to, done), piece.data(), shape, sdaaMemcpyHostToDevice,
         Mode::kSync);
  }
}

bool is_direct(const PeerMemory& to, const PeerMemory& from) {
  const Device::Lock lock = to.device->enter();
  return to.device->peers().contains(from.device->number());
}

// Where the bus has it, when all that was to come before is there.
uint64_t settled(const PeerMemory& memory, uint64_t bytes) {
  Device::Lock lock = memory.device->enter();
  memory.device->allocations().check(memory.pointer, bytes);
  settle(*memory.device, lock);
  return bus_address(*memory.device, memory.pointer);
}
void start_direct(const PeerMemory& to, uint64_t bus, uint64_t bytes, StreamWriter stream) {
  to.device->allocations().check(to.pointer, bytes);
  copy_from_bus(stream, to.pointer, bus, {bytes, 1, 0, 0});
}

}  // namespace

bool reaches(const std::shared_ptr<Device>& device, const std::shared_ptr<Device>& peer) {
  if (device == peer || !may_reach(*device, *peer)) return false;
  std::random_device random;
  Words words;
  for (uint64_t& word : words) word = uint64_t{random()} << 32 | random() | 1;
  uint64_t pointer = 0;
  uint64_t bus = 0;
  {
    Device::Lock lock = peer->enter();
    pointer =
        CardMemory(*peer, lock, {reinterpret_cast<const uint8_t*>(words.data()), sizeof words}).release();
    bus = bus_address(*peer, pointer);
  }
  const bool there = come(*device, words, bus);
  const Device::Lock lock = peer->enter();
  peer->connection().ask(protocol::Operation::kFree, {pointer});
  return there;
}

void copy_between(const PeerMemory& to, const PeerMemory& from, uint64_t bytes) {
  if (bytes == 0) return;
  if (to.device == from.device) {
    Device::Lock lock = to.device->enter();
    return copy(default_writer(*to.device, lock), reinterpret_cast<void*>(to.pointer),
                reinterpret_cast<const void*>(from.pointer), {bytes, 1, 0, 0}, sdaaMemcpyDeviceToDevice,
                Mode::kSync);
  }
  if (!is_direct(to, from)) return through_host(to, from, bytes);
  const uint64_t bus = settled(from, bytes);
  Device::Lock lock = to.device->enter();
  StreamWriter stream = default_writer(*to.device, lock);
  start_direct(to, bus, bytes, stream);
  stream.wait();
}

void start_copy_between(const PeerMemory& to, const PeerMemory& from, uint64_t bytes, sdaaStream_t stream) {
  if (bytes == 0) return;
  const bool direct = to.device != from.device && is_direct(to, from);
  const uint64_t bus = direct ? settled(from, bytes) : 0;
  {
    auto use = Runtime::get().use_stream(stream);
    if (use.device == to.device && to.device == from.device) {
      return copy(use.writer(), reinterpret_cast<void*>(to.pointer),
                  reinterpret_cast<const void*>(from.pointer), {bytes, 1, 0, 0}, sdaaMemcpyDeviceToDevice,
                  Mode::kAsync);
    }
    StreamWriter writer = use.writer();
    writer.check();
    writer.refuse_capture();
    if (direct && use.device == to.device) return start_direct(to, bus, bytes, writer);
    writer.wait();
  }
  copy_between(to, from, bytes);
}

}  // namespace swai::sdaa
