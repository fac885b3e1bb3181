// SPDX-License-Identifier: Apache-2.0
#include "verif/rtl/group/launch/launch_bench.hpp"

#include <fmt/format.h>

#include <cstring>

namespace swai::cg {

namespace r = regs::cg;

LaunchBench::Answer LaunchBench::access(bool write, uint64_t offset, uint64_t data, uint64_t strobes,
                                        bool sets) {
  Field pins(top().req_i, 0, kReqBits);
  Request request{.op = write ? MbusOp::kWrite : MbusOp::kRead, .source = 0, .tag = 5, .size = 3};
  request.addr =
      sets ? 0x12'0000'0000 + (uint64_t{1} << (24 + group)) + offset : r::kBase + group * r::kSize + offset;
  request.strb = strobes << offset % 64;
  std::memcpy(&request.data[offset % 64], &data, 8);
  store(pins, request);
  top().req_valid_i = 1;
  settle();
  until([&] { return top().req_ready_o != 0; }, 1000, "a request");
  step();
  top().req_valid_i = 0;
  pins.scramble(random());
  settle();
  until([&] { return top().rsp_valid_o != 0; }, 2000, "an answer");
  steps(random().below(3));
  top().rsp_ready_i = 1;
  const Answer answer{static_cast<Status>(top().rsp_status_o), top().rsp_data_o};
  step();
  top().rsp_ready_i = 0;
  return answer;
}

uint64_t LaunchBench::read(uint64_t offset) {
  const Answer answer = access(false, offset);
  check(answer.status == Status::kOk, fmt::format("reading {:#x} was refused", offset));
  return answer.data;
}

void LaunchBench::write(uint64_t offset, uint64_t value) {
  check(access(true, offset, value).status == Status::kOk, fmt::format("writing {:#x} was refused", offset));
}

void LaunchBench::set_up(const Launch& launch) {
  write(r::launch_mask::kOffset, launch.mask);
  write(r::launch_setup::kOffset, r::launch_setup::kCodeSegment.put(launch.code_segment) |
                                      r::launch_setup::kArgumentSegment.put(launch.argument_segment) |
                                      r::launch_setup::kOwner.put(launch.owner) |
                                      r::launch_setup::kNotify.put(launch.notify));
  model.next = launch;
}

bool LaunchBench::ring(uint32_t pc, uint32_t argument, bool sets) {
  model.next.pc = pc;
  model.next.argument = argument;
  const Answer answer = access(true, r::doorbell::kOffset, uint64_t{pc} << 32 | argument, 0xff, sets);
  check(answer.status == Status::kOk || answer.status == Status::kDenied, "a doorbell for nobody");
  return answer.status == Status::kOk;
}

void LaunchBench::finish(uint64_t limit) {
  until([&] { return model.queued() == 0 && model.started() == model.ended() && !top().busy_o; }, limit,
        "the end of all launches");
  model.all_told();
  check(r::launch_status::kEnded.get(status()) == model.ended(), "another number has ended");
}

void LaunchBench::check_records() {
  const uint64_t pending = read(r::fault_pending::kOffset);
  for (unsigned i = 0; i < kCpes; ++i) {
    if ((pending >> i & 1) == 0) continue;
    const Fault& expected = model.record(i);
    const uint64_t word0 = read(r::fault_record0::kOffset + i * r::fault_record0::kStride);
    const uint64_t word1 = read(r::fault_record1::kOffset + i * r::fault_record1::kStride);
    check(word0 == expected.word0() && word1 == expected.word1(),
          fmt::format("record of CPE {}: {:#x} {:#x}, not {:#x} {:#x}", i, word0, word1, expected.word0(),
                      expected.word1()));
  }
  if (random().chance(70)) write(r::fault_pending::kOffset, pending);
}

void LaunchBench::check_results() {
  for (uint32_t i = model.ended(); i != 0 && i + 16 > model.ended(); --i) {
    const uint64_t got = read(r::launch_cycles::kOffset + i % 16 * r::launch_cycles::kStride);
    check(got == model.result(i).cycles,
          fmt::format("launch {}: cycles {:#x}, not {:#x}", i, got, model.result(i).cycles));
  }
}

}  // namespace swai::cg
