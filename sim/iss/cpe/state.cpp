// SPDX-License-Identifier: Apache-2.0
// What a group holds between rounds.
#include "sim/common/archive.hpp"
#include "sim/iss/cpe/group_unit.hpp"

namespace swai::iss::cpe {

void Hart::visit(Archive& archive) {
  for (unsigned n = 0; n < Slot::kNowhere; ++n) archive(x_[n]);
  archive(pc_, instructions_, extra_, pointer_, launch_mask_, argument_segment_, fault_, command_);
}

void Dma::visit(Archive& archive) {
  archive(global_, shape_, background_, begun_, fault_, bytes_loaded_, bytes_stored_, bytes_of_background_,
          lines_);
}

void Code::visit(Archive& archive) {
  if (!archive.takes_back()) return archive(entered_);
  invalidate();
  archive(entered_);
  for (const uint32_t line : entered_) {
    if (line >= kHalves / kHalvesOfLine) throw Archive::Mismatch("code lies where none can");
    was_entered_[line] = true;
  }
  told_ = entered_.size();
}

void Channel::visit(Archive& archive) {
  for (End& end : ends_) archive(end.send, end.receive);
  archive(participants_, bus_);
}

void Rate::visit(Archive& archive) { archive(pieces_, full_from_, full_to_); }

void HbmTime::visit(Archive& archive) { archive(lines_, channels_, ring_, busy_until_, awake_at_); }

void Clock::visit(Archive& archive) {
  archive(time_, core_, asleep_, waits_, ends_, moving_, dma_free_, array_free_, array_before_, drain_free_,
          half_free_, lanes_free_);
}

void Sync::visit(Archive& archive) { archive(active_, states_); }

void Systolic::Settings::visit(Archive& archive) {
  archive(activations, weights, weights_column_stride, scales, scales_column_stride, group, output,
          output_row_stride, output_column_stride, factors, biases, row_factors, least, largest, column_tiles,
          k_tiles, block, rows);
}

void Systolic::visit(Archive& archive) { archive(now_, sums_, begun_, rows_, fault_, failed_, failed_mode_); }

void Vector::visit(Archive& archive) { archive(now_, begun_, groups_, fault_, failed_, failed_mode_); }

void Port::visit(Archive& archive) {
  archive(table_base_, table_entries_, daemon_segment_, code_segment_, argument_segment_, owner_);
}

void RoundMemory::visit(Archive& archive) { archive(lines_read_, lines_written_); }

void Cpe::visit(Archive& archive) {
  archive(memory_, dma_, systolic_, vector_, hart_, launch_, pending_, running_, waiting_, wants_to_be_alone_,
          failed_launch_, taken_, stopped_, first_instruction_, launch_instructions_, before_, clock_);
}

void Group::visit(Archive& archive) {
  archive(port_, sync_, daemon_, enabled_, limit_, launch_, abandoned_, records_, faults_, restarts_, used_,
          hbm_, time_, launched_);
  for (Channel& channel : channels_) archive(channel);
  for (const auto& cpe : cpes_) archive(*cpe);
  archive.pages(ldm_);
  archive(code_);
}

void GroupUnit::State::visit(Archive& archive) {
  archive(mask, setup, hold, watchdog, daemon, table, entries, enable, fault_enable, cpe_fault_enable,
          results, records, launches, failures, refused, queue, doomed, held, started, ended, running, notify,
          waited, cycles, ahead, kill, stuck, fault);
}

void GroupUnit::visit(Archive& archive) { archive(group_, now_, time_, before_); }

}  // namespace swai::iss::cpe
