// SPDX-License-Identifier: Apache-2.0
// tb_launch with its CPEs, its model, and software that reads and writes registers.
#pragma once

#include <cstdint>
#include <optional>

#include "card_regs.hpp"
#include "sim/group/noc_port.hpp"
#include "verif/rtl/group/launch/launch_model.hpp"

namespace swai::cg {

class LaunchBench : public verif::Bench<Vtb_launch> {
 public:
  explicit LaunchBench(uint64_t seed)
      : Bench(seed),
        group(static_cast<unsigned>(random().below(4))),
        cpes(top(), random()),
        model(top(), cpes, group, random()) {
    top().group_i = static_cast<CData>(group);
    top().req_valid_i = 0;
    top().rsp_ready_i = 0;
    top().done_ready_i = 0;
    top().done_rsp_valid_i = 0;
    add(cpes);
    add(model);
  }

  struct Answer {
    Status status;
    uint64_t data;
  };
  Answer access(bool write, uint64_t offset, uint64_t data = 0, uint64_t strobes = 0xff, bool sets = false);

  uint64_t read(uint64_t offset);
  void write(uint64_t offset, uint64_t value);

  // Mask and setup as the model is to know them, then the doorbell. False: refused, because the queue was
  // full.
  void set_up(const Launch& launch);
  bool ring(uint32_t pc, uint32_t argument, bool sets = false);

  void enable(uint32_t mask) { write(regs::cg::cpe_enable::kOffset, mask); }
  uint64_t status() { return read(regs::cg::launch_status::kOffset); }
  // Until all launches have ended and been told of.
  void finish(uint64_t limit = 20000);
  void check_records();  // compares all of them, and clears those that are pending
  void check_results();

  const unsigned group;
  Cpes cpes;
  LaunchModel model;
};

}  // namespace swai::cg
