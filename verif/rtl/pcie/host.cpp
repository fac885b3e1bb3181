// SPDX-License-Identifier: Apache-2.0
#include "verif/rtl/pcie/host.hpp"

#include <fmt/format.h>

#include <bit>

namespace swai::pcie {

using verif::check;

namespace {

constexpr unsigned kReadCompletionBoundary = 64;

unsigned first_byte(unsigned enables) {
  return enables == 0 ? 0 : static_cast<unsigned>(std::countr_zero(enables));
}

// Table "Byte Count Based on Byte Enables": from the first enabled byte to the last one; 1 for a read of
// nothing.
unsigned byte_count(const Tlp& request) {
  if (!request.is_memory()) return 4;
  const unsigned last = request.length == 1 ? request.first_be : request.last_be;
  if (last == 0) return 1;
  const unsigned behind = 3 - (static_cast<unsigned>(std::bit_width(last)) - 1);
  return 4 * request.length - first_byte(request.first_be) - behind;
}

}  // namespace

Tlp Host::request(bool write, uint64_t addr, unsigned count) {
  Tlp tlp;
  const bool far = addr + count > uint64_t{1} << 32;
  tlp.fmt_type = write ? (far ? kMemWrite64 : kMemWrite32) : (far ? kMemRead64 : kMemRead32);
  tlp.addr = addr & ~uint64_t{3};
  const auto offset = static_cast<unsigned>(addr & 3);
  tlp.length = (offset + count + 3) / 4;
  const unsigned end = (offset + count - 1) % 4;
  const unsigned first = (0xf << offset) & 0xf;
  const unsigned last = 0xf >> (3 - end);
  tlp.first_be = tlp.length == 1 ? first & last : first;
  tlp.last_be = tlp.length == 1 ? 0 : last;
  tlp.attr = static_cast<unsigned>(random_.below(4));
  tlp.tc = static_cast<unsigned>(random_.below(8));
  return tlp;
}

void Host::ask(Tlp request, Done done) {
  do {
    request.tag = static_cast<unsigned>(random_.below(256));
  } while (asked_.contains(request.tag));
  request.requester = static_cast<unsigned>(random_.below(0x10000));
  const unsigned count = byte_count(request);
  const uint64_t next = request.is_memory() ? request.addr + first_byte(request.first_be) : 0;
  asked_.emplace(request.tag, Asked{request, std::move(done), {}, next, count, 0});
  wire_->send(request);
}

void Host::read(uint64_t addr, unsigned count, Done done) {
  const auto offset = static_cast<unsigned>(addr & 3);
  ask(request(false, addr, count), [offset, count, done = std::move(done)](const Result& result) {
    Result trimmed = result;
    if (result.status == kSuccess) {
      trimmed.bytes.assign(result.bytes.begin() + offset, result.bytes.begin() + offset + count);
    }
    done(trimmed);
  });
}

void Host::write(uint64_t addr, const std::vector<uint8_t>& bytes) {
  Tlp tlp = request(true, addr, static_cast<unsigned>(bytes.size()));
  tlp.requester = static_cast<unsigned>(random_.below(0x10000));
  tlp.tag = static_cast<unsigned>(random_.below(256));
  tlp.data.resize(tlp.length);
  for (auto& word : tlp.data) word = static_cast<uint32_t>(random_.next());
  for (size_t i = 0; i < bytes.size(); ++i) {
    const size_t at = (addr & 3) + i;
    auto& word = tlp.data[at / 4];
    word = (word & ~(0xffU << (8 * (at % 4)))) | static_cast<uint32_t>(bytes[i]) << (8 * (at % 4));
  }
  wire_->send(tlp);
}

void Host::check_completion(const Asked& asked, const Tlp& tlp) const {
  const auto& request = asked.request;
  const std::string text = tlp.text() + " for " + request.text();
  check(tlp.requester == request.requester && tlp.tc == request.tc && tlp.attr == request.attr,
        "requester, class or attributes are wrong: " + text);
  check(tlp.completer == id, fmt::format("completer is {:#x}: {}", tlp.completer, text));
  check(tlp.byte_count == asked.remaining, fmt::format("byte count, {} remain: {}", asked.remaining, text));
  check(!tlp.td, "a digest: " + text);
  if (!request.is_memory()) {
    check(tlp.lower_addr == 0, "lower address: " + text);
    check(tlp.has_data() == (tlp.status == kSuccess && !request.has_data()), "data or none: " + text);
    return;
  }
  const uint64_t lower = request.first_be == 0 ? request.addr : asked.next;
  check(tlp.lower_addr == (lower & 0x7f), "lower address: " + text);
  check(tlp.has_data() == (tlp.status == kSuccess), "data or none: " + text);
  if (!tlp.has_data()) return;
  check(4 * tlp.length <= mps, "longer than allowed: " + text);
  const uint64_t end = asked.next / 4 * 4 + 4 * uint64_t{tlp.length};
  const bool last = asked.dwords + tlp.length == request.length;
  check(asked.dwords + tlp.length <= request.length, "more than was asked for: " + text);
  check(last || end % kReadCompletionBoundary == 0, "cut at the wrong place: " + text);
}

void Host::take(const Tlp& tlp) {
  if (!tlp.is_completion()) {
    on_request(tlp);
    return;
  }
  on_completion(tlp);
  const auto found = asked_.find(tlp.tag);
  check(found != asked_.end(), "nobody asked: " + tlp.text());
  auto& asked = found->second;
  check_completion(asked, tlp);
  asked.result.status = tlp.status;
  asked.result.poisoned |= tlp.ep;
  for (const uint32_t word : tlp.data) {
    for (unsigned i = 0; i < 4; ++i) asked.result.bytes.push_back(static_cast<uint8_t>(word >> (8 * i)));
  }
  asked.dwords += tlp.length;
  const uint64_t end = asked.next / 4 * 4 + 4 * uint64_t{tlp.length};
  if (tlp.status == kSuccess && asked.request.is_memory() && asked.dwords < asked.request.length) {
    asked.remaining -= static_cast<unsigned>(end - asked.next);
    asked.next = end;
    return;
  }
  const Asked finished = std::move(asked);
  asked_.erase(found);
  finished.done(finished.result);
}

}  // namespace swai::pcie
