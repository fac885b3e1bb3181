// Arguments of the kernels in cpe-kernels/kernels: shared by them and by those who launch them. All sizes are
// in bytes; "share" is what one CPE of the launch does: part rank of count.
#pragma once

#include "swai/global.hpp"

namespace swai::cpe {

// fill: fills `bytes` with the low byte of `value`.
struct MemsetArgs {
  GlobalPtr<void> to;
  uint32_t bytes;
  uint32_t value;
};

// The faulty kernels of cpe-kernels/tests. `culprit` is the number of the CPE that misbehaves; the others
// return at once.
struct FaultArgs {
  GlobalPtr<void> at;
  uint32_t culprit;
  uint32_t value;
};

// copy: any alignment; the areas do not overlap.
struct CopyArgs {
  GlobalPtr<void> to;
  GlobalPtr<const void> from;
  uint32_t bytes;
  uint32_t reserved;
};

// broadcast: in each row the CPE in column `sender` loads `bytes` from `from` + row * bytes and sends them
// `rounds` times to all others of its row; every CPE, the sender too, stores what it has to `to` + number *
// bytes. Sizes in multiples of 32.
struct BroadcastArgs {
  GlobalPtr<void> to;
  GlobalPtr<const void> from;
  uint32_t bytes;
  uint32_t sender;
  uint32_t rounds;
  uint32_t reserved;
};

// sync_loop: `rounds` barriers of all, or of rows (1), or of columns (2).
struct SyncArgs {
  uint32_t rounds;
  uint32_t scope;
};

// stream: each CPE moves its share, `bytes` from `at` + rank * bytes on, in pieces of `piece` bytes, as many
// under way as local memory has room for, at most 8. mode 0 loads, 1 stores (whatever is in local memory),
// `rounds` times over.
struct StreamArgs {
  GlobalPtr<void> at;
  uint32_t bytes;
  uint32_t piece;
  uint32_t mode;
  uint32_t rounds;
};

// scalar: a mix of arithmetic, loads, stores and branches for `rounds` rounds; every CPE stores a check value
// to `to`[number].
struct ScalarArgs {
  GlobalPtr<uint32_t> to;
  uint32_t rounds;
  uint32_t reserved;
};

}  // namespace swai::cpe
