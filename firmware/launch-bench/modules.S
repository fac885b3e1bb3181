# SPDX-License-Identifier: Apache-2.0
# The modules that are measured.
#include "firmware/common/embed.inc"

    module daemon
    module empty
    module broadcast
    module stream
    module sync
    module scalar
    module copy
    module faults
    module gemm
    module sparse
    module gemv
    module softmax
    module axpy
    module handover
