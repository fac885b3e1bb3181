# SPDX-License-Identifier: Apache-2.0
# The card as a functional model: `swai-card --tier fast`. No Verilator in it.

FAST_SOURCES := $(addprefix sim/fast/, \
    card.cpp \
    card_memory.cpp \
    config_space.cpp \
    core_group.cpp \
    data_cache.cpp \
    debug_port.cpp \
    devices.cpp \
    dma_engine.cpp \
    endpoint.cpp \
    host_memory.cpp \
    management.cpp \
    mistakes.cpp \
    msix.cpp \
    register_block.cpp \
    snapshot.cpp \
    state.cpp \
) host/lib/sha256.cpp
$(eval $(call cxx_library,fast-card,$(FAST_SOURCES),-O3))

fast_libs := $(addprefix $(B)/lib/,fast-card.a card-parts.a card-models.a socket.a link.a rootport.a iss.a kernel-run.a iss-cpe.a host-threads.a) -lfmt
fast_program := $(addprefix sim/fast/,swai_card_fast.cpp session.cpp cards.cpp card_device.cpp) \
  $(addprefix sim/card/,options.cpp serve.cpp)
$(eval $(call cxx_program,swai-card-fast,$(fast_program),$(fast_libs),-DSWAI_FAST))
