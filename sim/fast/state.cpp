// SPDX-License-Identifier: Apache-2.0
// What a card holds between runs.
#include "card_regs.hpp"
#include "sim/common/archive.hpp"
#include "sim/fast/card.hpp"

namespace swai::fast {

void RegisterBlock::visit(Archive& archive) {
  for (Register& one : registers_) archive(one.value);
}

void Uart::visit(Archive& archive) {
  RegisterBlock::visit(archive);
  archive(input_);
}

void Sha256::visit(Archive& archive) {
  RegisterBlock::visit(archive);
  archive(message_, length_, done_);
}

void Flash::visit(Archive& archive) {
  RegisterBlock::visit(archive);
  archive(fifo_, wire_free_, periods_per_byte_, phase_, remaining_, tap_, discard_);
}

void Irq::visit(Archive& archive) {
  RegisterBlock::visit(archive);
  archive(levels_, edges_);
}

void System::visit(Archive& archive) {
  RegisterBlock::visit(archive);
  archive(reset_asked_, watching_, expired_, remaining_, cause_, count_, last_progress_);
}

void DebugPort::visit(Archive& archive) {
  RegisterBlock::visit(archive);
  archive(halted_, stepping_, leaving_, fault_, cause_, scratch_);
}

void Management::visit(Archive& archive) {
  archive(hart_, timer_, uart_, sha_, flash_, irq_, system_, inbox_, debug_, epoch_, stalled_until_,
          instructions_);
}

void ConfigSpace::visit(Archive& archive) {
  archive(link_up_, command_, cache_line_, irq_line_, bar0_, bar2_, bar4_, d3_, msix_, device_control_,
          device_control2_, target_speed_);
}

void Msix::visit(Archive& archive) { archive(table_, masked_, pending_, last_); }

void Endpoint::visit(Archive& archive) {
  RegisterBlock::visit(archive);
  archive(config_, msix_);
}

void DmaEngine::Channel::visit(Archive& archive) {
  archive(state, fetched, head, wire_free, last_done, jobs);
}

void DmaEngine::visit(Archive& archive) {
  RegisterBlock::visit(archive);
  archive(channels_, wire_free_);
}

void Card::visit(Archive& archive) {
  archive(memory_, chip_, management_, dma_, endpoint_, last_round_, ready_cycle_);
  for (const auto& group : groups_) archive(*group);
}

}  // namespace swai::fast
