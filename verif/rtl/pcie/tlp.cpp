// SPDX-License-Identifier: Apache-2.0
#include "verif/rtl/pcie/tlp.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "verif/rtl/lib/bench.hpp"

namespace swai::pcie {

using verif::check;

std::string Tlp::text() const {
  if (is_completion()) {
    return fmt::format("completion {:#x} for {:#x}/{} status {} length {} bytes {} lower {:#x} ep {}",
                       fmt_type, requester, tag, status, length, byte_count, lower_addr, ep);
  }
  return fmt::format("request {:#x} from {:#x}/{} address {:#x} length {} enables {:x}/{:x} ep {}", fmt_type,
                     requester, tag, addr, length, first_be, last_be, ep);
}

void store(verif::Field& field, const Beat& beat) {
  for (unsigned i = 0; i < 16; ++i) field.set(32 * i, 32, beat.data[i]);
  for (unsigned i = 0; i < 4; ++i) field.set(512 + 32 * (3 - i), 32, beat.header[i]);
  field.set(640, 1, beat.eop);
  field.set(641, 1, beat.sop);
}

void load(const verif::Field& field, Beat& beat) {
  for (unsigned i = 0; i < 16; ++i) beat.data[i] = static_cast<uint32_t>(field.get(32 * i, 32));
  for (unsigned i = 0; i < 4; ++i) beat.header[i] = static_cast<uint32_t>(field.get(512 + 32 * (3 - i), 32));
  beat.eop = field.get(640, 1) != 0;
  beat.sop = field.get(641, 1) != 0;
}

std::vector<Beat> to_beats(const Tlp& tlp) {
  std::array<uint32_t, 4> header{};
  header[0] = tlp.fmt_type << 24 | tlp.tc << 20 | uint32_t{tlp.td} << 15 | uint32_t{tlp.ep} << 14 |
              tlp.attr << 12 | (tlp.length & 0x3ff);
  if (tlp.is_completion() || tlp.fmt_type == kCompletionLocked) {
    header[1] = tlp.completer << 16 | tlp.status << 13 | (tlp.byte_count & 0xfff);
    header[2] = tlp.requester << 16 | tlp.tag << 8 | tlp.lower_addr;
  } else {
    header[1] = tlp.requester << 16 | tlp.tag << 8 | tlp.last_be << 4 | tlp.first_be;
    if (tlp.long_header()) {
      header[2] = static_cast<uint32_t>(tlp.addr >> 32);
      header[3] = static_cast<uint32_t>(tlp.addr);
    } else {
      header[2] = static_cast<uint32_t>(tlp.addr);
    }
  }
  std::vector<Beat> beats(std::max<size_t>(1, (tlp.data.size() + 15) / 16));
  for (size_t i = 0; i < tlp.data.size(); ++i) beats[i / 16].data[i % 16] = tlp.data[i];
  beats.front().sop = true;
  beats.front().header = header;
  beats.back().eop = true;
  return beats;
}

Tlp from_beats(const std::vector<Beat>& beats) {
  const auto& header = beats.front().header;
  Tlp tlp;
  tlp.fmt_type = header[0] >> 24;
  tlp.tc = (header[0] >> 20) & 7;
  tlp.td = (header[0] >> 15) & 1;
  tlp.ep = (header[0] >> 14) & 1;
  tlp.attr = (header[0] >> 12) & 3;
  tlp.length = header[0] & 0x3ff;
  check((header[0] & 0x008f0c00) == 0, "reserved bits in a header");
  if (tlp.is_completion()) {
    tlp.completer = header[1] >> 16;
    tlp.status = (header[1] >> 13) & 7;
    tlp.byte_count = header[1] & 0xfff;
    if (tlp.byte_count == 0) tlp.byte_count = 4096;
    tlp.requester = header[2] >> 16;
    tlp.tag = (header[2] >> 8) & 0xff;
    tlp.lower_addr = header[2] & 0x7f;
    check((header[1] & 0x1000) == 0 && (header[2] & 0x80) == 0, "reserved bits in a completion");
  } else {
    tlp.requester = header[1] >> 16;
    tlp.tag = (header[1] >> 8) & 0xff;
    tlp.last_be = (header[1] >> 4) & 0xf;
    tlp.first_be = header[1] & 0xf;
    tlp.addr = tlp.long_header() ? uint64_t{header[2]} << 32 | header[3] : header[2];
    check(!tlp.long_header() || header[2] != 0, "a long header for a short address");
  }
  check(tlp.long_header() || header[3] == 0, "a short header with a fourth doubleword");
  if (tlp.has_data() && tlp.length == 0) tlp.length = 1024;
  const size_t count = tlp.has_data() ? tlp.length : 0;
  check(beats.size() == std::max<size_t>(1, (count + 15) / 16), "beats do not fit the length: " + tlp.text());
  for (size_t i = 0; i < beats.size(); ++i) {
    check(beats[i].sop == (i == 0) && beats[i].eop == (i + 1 == beats.size()),
          "framing is wrong: " + tlp.text());
  }
  for (size_t i = 0; i < count; ++i) tlp.data.push_back(beats[i / 16].data[i % 16]);
  return tlp;
}

}  // namespace swai::pcie
