// SPDX-License-Identifier: Apache-2.0
#include "firmware/launch-bench/programs.hpp"

// From modules.S.
#define MODULE(name) extern const uint8_t module_##name[], module_##name##_end[]
extern "C" {
MODULE(daemon);
MODULE(empty);
MODULE(broadcast);
MODULE(stream);
MODULE(sync);
MODULE(scalar);
MODULE(copy);
MODULE(faults);
MODULE(gemm);
MODULE(sparse);
MODULE(gemv);
MODULE(softmax);
MODULE(axpy);
MODULE(handover);
}
#undef MODULE

namespace swai::launch_bench {

std::span<const uint8_t> file_of(Program program) {
  switch (program) {
    case kDaemon:
      return {module_daemon, module_daemon_end};
    case kEmpty:
      return {module_empty, module_empty_end};
    case kBroadcast:
      return {module_broadcast, module_broadcast_end};
    case kStream:
      return {module_stream, module_stream_end};
    case kSync:
      return {module_sync, module_sync_end};
    case kScalar:
      return {module_scalar, module_scalar_end};
    case kCopy:
      return {module_copy, module_copy_end};
    case kFaults:
      return {module_faults, module_faults_end};
    case kGemm:
      return {module_gemm, module_gemm_end};
    case kSparse:
      return {module_sparse, module_sparse_end};
    case kGemv:
      return {module_gemv, module_gemv_end};
    case kSoftmax:
      return {module_softmax, module_softmax_end};
    case kAxpy:
      return {module_axpy, module_axpy_end};
    case kHandOver:
      return {module_handover, module_handover_end};
  }
  return {};
}

}  // namespace swai::launch_bench
