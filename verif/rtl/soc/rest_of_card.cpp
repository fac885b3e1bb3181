// SPDX-License-Identifier: Apache-2.0
#include "verif/rtl/soc/rest_of_card.hpp"

#include <fmt/format.h>

#include <cstring>
#include <optional>

namespace swai::soc {

using verif::check;

Line card_line(uint64_t address, unsigned op) { return rom_line((address + op * 1009) % 65521); }
bool card_refuses(uint64_t address) { return address / kLineBytes % 16 == 5; }

RestOfCard::RestOfCard(verif::Bench<Vtb_soc>& bench)
    : bench_(bench),
      slave_(
          "card",
          {{verif::Field(top().card_req_valid_o, 0, 1), verif::Field(top().card_req_ready_i, 0, 1),
            verif::Field(top().card_req_o, 0, verif::kMbusReqBits)},
           verif::Field(top().card_rsp_valid_i, 0, 1),
           verif::Field(top().card_rsp_i, 0, verif::kMbusRspBits)},
          bench.random(),
          [](const verif::MbusRequest& request) {
            verif::MbusResponse response{.id = request.id, .err = card_refuses(request.addr)};
            response.data = card_line(request.addr, static_cast<unsigned>(request.op));
            return response;
          },
          verif::Field(top().card_rsp_ready_o, 0, 1)),
      visitor_(
          "visitor",
          {{verif::Field(top().visit_req_valid_i, 0, 1), verif::Field(top().visit_req_ready_o, 0, 1),
            verif::Field(top().visit_req_i, 0, verif::kMbusReqBits)},
           verif::Field(top().visit_rsp_valid_o, 0, 1),
           verif::Field(top().visit_rsp_o, 0, verif::kMbusRspBits)},
          bench.random(), [this] { return visiting_ ? std::optional(visit()) : std::nullopt; },
          [this](const verif::MbusRequest& request, const verif::MbusResponse& response) {
            check_visit(request, response);
          }) {
  top().host_reset_i = 0;
  top().card_busy_i = 0;
  bench.add(slave_);
  bench.add(visitor_);
  bench.add(*this);
}

// Lines of an id end in its number, so that their order is that of the model.
verif::MbusRequest RestOfCard::visit() {
  auto& random = bench_.random();
  verif::MbusRequest request;
  request.id = static_cast<uint8_t>(random.below(3));
  request.size = 3;
  for (auto& byte : request.data) byte = static_cast<uint8_t>(random.next());
  switch (random.below(8)) {
    case 0:
      request.addr = regs::inbox::done2::kAddr;
      break;
    case 1:
      request.addr = random.chance(50) ? regs::system::scratch0::kAddr : regs::kHbmRegion.base;
      break;
    default:
      request.addr = kBase + (3 * random.below(kLines) + request.id) * kLineBytes + 8 * random.below(8);
      break;
  }
  const auto kind = random.below(10);
  request.op = kind < 4   ? common::MbusOp::kRead
               : kind < 8 ? common::MbusOp::kWrite
               : kind < 9 ? common::MbusOp::kAdd
                          : common::MbusOp::kLr;
  if (request.op == common::MbusOp::kWrite) request.strb = uint64_t{0xFF} << (request.addr % kLineBytes);
  return request;
}

void RestOfCard::check_visit(const verif::MbusRequest& request, const verif::MbusResponse& response) {
  const auto at = static_cast<std::ptrdiff_t>(request.addr % kLineBytes);
  const bool sram = request.addr >= kBase && request.addr < kBase + 3 * kLines * kLineBytes;
  const bool inbox = request.addr == regs::inbox::done2::kAddr;
  const bool allowed =
      (sram && request.op != common::MbusOp::kLr) ||
      (inbox && (request.op == common::MbusOp::kRead || request.op == common::MbusOp::kWrite));
  check(response.err == !allowed, fmt::format("visit of {:#x}: error is {}", request.addr, response.err));
  if (!allowed) return;
  uint64_t operand = 0;
  uint64_t answer = 0;
  std::memcpy(&operand, request.data.data() + at, 8);
  std::memcpy(&answer, response.data.data() + at, 8);
  const auto known = words_.find(request.addr);
  if (request.op != common::MbusOp::kWrite && known != words_.end()) {
    check(answer == known->second, fmt::format("visitor reads {:#x} at {:#x}", answer, request.addr));
  }
  if (request.op == common::MbusOp::kWrite) words_[request.addr] = operand;
  if (request.op == common::MbusOp::kAdd && known != words_.end()) known->second += operand;
}

}  // namespace swai::soc
