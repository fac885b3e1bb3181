# SPDX-License-Identifier: Apache-2.0
# The simulated card: models of what is around the chip, and swai-card.

card_models := $(addprefix sim/card/,flash_store.cpp flash_sfdp.cpp uart_pins.cpp) $(addprefix sim/board/,flash/flash_chip.cpp flash/flash_pins.cpp)

$(eval $(call cxx_library,card-models,$(card_models)))
# What the card as a program has beside a model, of whatever kind and size it is.
card_parts := $(addprefix sim/card/, \
    client_memory.cpp \
    console.cpp \
    events.cpp \
    events_cpes.cpp \
    events_perfetto.cpp \
    progress.cpp \
) host/lib/events_file.cpp $(addprefix sim/common/,gdb_stub.cpp gdb_stub_mpe.cpp gdb_stub_server.cpp)
$(eval $(call cxx_library,card-parts,$(card_parts)))
card_harness := $(addprefix sim/card/,card.cpp model.cpp trace.cpp)
card_program := $(addprefix sim/card/, \
    card_device.cpp \
    cards.cpp \
    options.cpp \
    report.cpp \
    serve.cpp \
    session.cpp \
    swai_card.cpp \
)
card_libs := $(addprefix $(B)/lib/,card-parts.a card-models.a socket.a link.a hbm-cells.a rootport.a iss.a host-threads.a) -lfmt

card_rtl := $(RTL_CARD) sim/card/card_top.sv sim/card/card_trace.sv
# What CPEs do that are no models of their own; those have it in them.
card_cpe_rtl := sim/seam/cpe_activity.sv sim/card/cpe_trace.sv

# In the fast variant every CPE is an instance of a model of its own (sim/seam), so that what is built does not grow with their
# number. The other variants, which have waves and coverage of everything, have all CPEs in one model; there all CPEs share one
# piece of code where Verilator finds that it is the same for all: tables are numbered from CPE to CPE, and a function of everything
# that a CPE settles at the start would have to be the same as a whole.
card_flags := +define+MPE_RVFI +define+CPE_ACTIVITY_WANTED=card_top.trace_i -Wno-PINMISSING -fno-table

# What is measured and used is without assertions, which cost a tenth of the time; the small card, which the tests run, has them,
# those of its CPEs among them.
# Few large functions, and always blocks left whole, are faster than many small ones: there is less to call and to ask for.
small_card_flags := $(card_flags) $(EDGE_BITS) fast:-fno-split --output-split-cfuncs 2000
large_card_flags := $(small_card_flags) fast:--no-assert

# One program per configuration with a model of its own; options.hpp names them all.
tiled_card_rtl := $(call with_tiles,$(card_rtl)) $(addprefix other:,$(card_cpe_rtl))

$(eval $(call verilated_program,swai-card,card_top,$(tiled_card_rtl),$(card_harness) $(card_program),$(large_card_flags),\
  $(call tile_libs,cpe-tile) $(card_libs)))
$(eval $(call verilated_program,swai-card-full,card_top,$(tiled_card_rtl),$(card_harness) $(card_program),\
  $(large_card_flags) -GGroups=4,$(call tile_libs,cpe-tile) $(card_libs),-DSWAI_CONFIG=full))
$(eval $(call verilated_program,swai-card-tiny,card_top,$(tiled_card_rtl),$(card_harness) $(card_program),\
  $(small_card_flags) -GRows=2 -GColumns=2,$(call tile_libs,cpe-tile-tiny) $(card_libs),-DSWAI_CONFIG=tiny))
