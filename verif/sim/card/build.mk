# SPDX-License-Identifier: Apache-2.0
# Random transactions for the models: these cases have something to gain.
$(B)/obj/%/verif/sim/card/flash_random_test.o: LESS_CXXFLAGS :=

# Tests of what is around the chip, and tests that boot the card.

$(eval $(call cxx_program,test-card-models, \
  $(addprefix verif/sim/card/,events_file_test.cpp flash_test.cpp flash_random_test.cpp flash_store_test.cpp uart_test.cpp) \
  host/lib/events_file.cpp verif/kit/doctest_main.cpp,$(B)/lib/card-models.a -lfmt))

$(eval $(call verilated_sibling,test-card-boot,swai-card,$(card_harness) verif/sim/card/boot_test.cpp verif/sim/card/boot_bench.cpp \
  verif/kit/doctest_main.cpp,$(B)/lib/flash.a $(call tile_libs,cpe-tile) $(card_libs)))

$(eval $(call cxx_program,events-session,verif/sim/card/events_session.cpp,$(B)/lib/system.a $(B)/lib/link.a -lfmt))
