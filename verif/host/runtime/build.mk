# SPDX-License-Identifier: Apache-2.0
# The runtime library: against a card that is played (the firmware's own code, compiled for the host), and on the
# simulated card.

SDAA_TESTS := $(call as_one,sdaa,$(addprefix verif/host/runtime/, \
    copy_test.cpp \
    device_test.cpp \
    engine_test.cpp \
    graph_build_test.cpp \
    graph_test.cpp \
    journal_test.cpp \
    launch_test.cpp \
    memory_check_test.cpp \
    memory_test.cpp \
    page_list_test.cpp \
    placement_test.cpp \
    pool_test.cpp \
    profile_test.cpp \
    program_test.cpp \
    properties_test.cpp \
    record_test.cpp \
    refused_test.cpp \
    shapes_test.cpp \
    stream_test.cpp \
    thread_test.cpp \
))
SDAA_FAKE := $(addprefix verif/host/runtime/,fake_card.cpp fake_module.cpp fake_processor.cpp) verif/abi/module_file.cpp

$(eval $(call cpe_module,sdaa-tests,verif/host/runtime/kernels.cpp,))
$(eval $(call model_program,building,verif/host/runtime/programs/building.cpp verif/host/runtime/programs/building.hpp))
$(eval $(call model_program,hostile,verif/host/runtime/programs/hostile.cpp verif/host/runtime/programs/hostile.hpp))
# The firmware on the host, for whoever plays a card.
$(eval $(call cxx_library,played-card,$(SDAA_FAKE) $(addprefix verif/kit/,doctest_main.cpp process.cpp)))
$(eval $(call cxx_test,test-sdaa,$(SDAA_TESTS),$(B)/lib/played-card.a $(B)/lib/sdaa.a -lfmt))
$(eval $(call cxx_program,test-sdaa-threads,verif/host/runtime/thread_test.cpp $(SDAA_FAKE) $(SDAA_PARTS) verif/kit/doctest_main.cpp,\
    -lfmt,$(THREAD_SANITIZER)))
$(eval $(call cxx_test,test-sdaa-soak,verif/host/runtime/soak_test.cpp,$(B)/lib/played-card.a $(B)/lib/sdaa.a -lfmt))
$(eval $(call cxx_program,test-sdaa-card,$(addprefix verif/host/runtime/, \
    card_building_test.cpp \
    card_check_test.cpp \
    card_decode_test.cpp \
    card_engine_test.cpp \
    card_journal_test.cpp \
    card_listen_test.cpp \
    card_memory_test.cpp \
    card_names_test.cpp \
    card_program_test.cpp \
    card_spoilt_test.cpp \
    card_test.cpp \
) $(addprefix verif/system/,rig.cpp bar_debug.cpp) host/lib/elf.cpp sim/common/gdb_stub_mpe.cpp verif/host/models/graph/random_text.cpp bench/paper/card_launches.cpp $(addprefix verif/kit/,doctest_main.cpp process.cpp) $(SDAA_FAKE),$(B)/lib/sdaa.a $(B)/lib/graph.a -lfmt))
