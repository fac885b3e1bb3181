// SPDX-License-Identifier: Apache-2.0
// What a hart holds between runs.
#include "sim/common/archive.hpp"
#include "sim/iss/mpe/hart.hpp"

namespace swai::iss {

void Hart::visit(Archive& archive) {
  for (unsigned n = 0; n < kNowhere; ++n) archive(x_[n]);
  for (const CsrField& one : kCsrFields) archive(csrs_.*one.field);
  archive(pc_, privilege_, software_mip_, line_mip_, mcountinhibit_, cycle_, events_, selectors_,
          reservation_, config_.nmi_pc, nmi_pending_, waiting_, stuck_, ticks_, time_offset_);
  if (!archive.takes_back()) return;
  update_context();
  flush_translations();
}

}  // namespace swai::iss
