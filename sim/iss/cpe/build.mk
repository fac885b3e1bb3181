# SPDX-License-Identifier: Apache-2.0
# The functional model of a core group as a library, and the program that runs kernels on it.

ISS_CPE_SOURCES := $(addprefix sim/iss/cpe/, \
    allocations.cpp \
    channel.cpp \
    check.cpp \
    clock.cpp \
    code.cpp \
    cpe.cpp \
    decode.cpp \
    dma.cpp \
    footprint.cpp \
    fp32.cpp \
    group.cpp \
    group_registers.cpp \
    group_unit.cpp \
    hart.cpp \
    hart_rows.cpp \
    hbm_time.cpp \
    host_code.cpp \
    lanes.cpp \
    memory.cpp \
    port.cpp \
    products.cpp \
    rate.cpp \
    round_memory.cpp \
    simd.cpp \
    special.cpp \
    state.cpp \
    sync.cpp \
    systolic.cpp \
    systolic_fast.cpp \
    text.cpp \
    vector.cpp \
)
ISS_CPE_LIB := $(B)/lib/iss-cpe.a $(B)/lib/host-threads.a
$(eval $(call cxx_library,iss-cpe,$(ISS_CPE_SOURCES),-O3))

$(eval $(call cxx_program,iss-cpe-run,$(addprefix sim/iss/cpe/,iss_cpe_run.cpp model_device.cpp),\
  $(B)/lib/kernel-run.a $(ISS_CPE_LIB) -lfmt,))
