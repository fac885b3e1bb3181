# The simulated card: models of what is around the chip, their unit tests, swai-card, and the tests that boot it.

card_models := $(addprefix verif/card/,flash_store.cpp flash_chip.cpp flash_pins.cpp uart_pins.cpp)

$(eval $(call cxx_library,card-models,$(card_models)))
$(eval $(call cxx_program,test-card-models,verif/card/flash_test.cpp verif/card/uart_test.cpp \
  verif/common/doctest_main.cpp,$(B)/lib/card-models.a -lfmt))

# The design under the card, packages first.
CARD_RTL := $(filter %_pkg.sv,$(RTL_LIB) $(RTL_SOC)) $(sort $(wildcard rtl/mpe/*_pkg.sv)) \
  $(filter-out %_pkg.sv,$(RTL_LIB) $(RTL_SOC) $(sort $(wildcard rtl/mpe/*.sv))) verif/card/card_top.sv
card_harness := verif/card/model.cpp verif/card/card.cpp verif/common/gdb_stub_mpe.cpp

$(eval $(call verilated_program,swai-card,card_top,$(CARD_RTL),$(card_harness) \
  $(addprefix verif/card/,swai_card.cpp options.cpp session.cpp console.cpp progress.cpp report.cpp) \
  $(addprefix verif/common/,gdb_stub.cpp gdb_stub_server.cpp),-Wno-UNOPTFLAT,$(B)/lib/card-models.a -lfmt))

# test-card-boot links the model and the harness that swai-card was built from: one card is enough to verilate.
boot_test := verif/card/boot_test.cpp verif/card/boot_bench.cpp verif/common/doctest_main.cpp
# 1: variant, 2: folder of the generated model
define boot_test_variant
$(call cxx_objects,$(2)-test-obj,$(boot_test),$(BASE_CXXFLAGS) $(VLT_INCLUDES) $(VM_$(1)) -I$(2) $(OUR_$(1)),$(2).stamp)
$(program_$(1))/test-card-boot: $(patsubst %.cpp,$(2)-test-obj/%.o,$(boot_test)) \
    $(patsubst %.cpp,$(2)-obj/%.o,$(card_harness)) $(2)/Vcard_top__ALL.a $(B)/verilated/$(1)/runtime.a \
    $(B)/lib/card-models.a $(B)/lib/flash.a
	$$(call say,LINK,$$@)
	$$(Q)mkdir -p $$(@D)
	$$(Q)$(CXX) -o $$@ $$^ -lfmt $(VLT_LIBS_$(1)) -pthread -latomic
endef
$(foreach v,$(VARIANTS),$(eval $(call boot_test_variant,$(v),$(B)/verilated/$(v)/swai-card)))
VERILATED_PROGRAMS += test-card-boot
PROGRAMS += $(B)/test-card-boot
