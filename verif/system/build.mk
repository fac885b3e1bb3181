# SPDX-License-Identifier: Apache-2.0
# Whole-card tests: host programs against swai-card over its socket.

$(eval $(call cxx_library,system,$(addprefix verif/system/,rig.cpp dma.cpp traffic.cpp bar_debug.cpp) \
  verif/kit/process.cpp sim/common/gdb_stub_mpe.cpp verif/host/transport/raw_client.cpp))
$(eval $(call cxx_program,test-system,$(call as_one,system,$(addprefix verif/system/, \
    copy_test.cpp \
    determinism_test.cpp \
    doorbell_test.cpp \
    errors_test.cpp \
    full_test.cpp \
    kill_test.cpp \
    memory_errors_test.cpp \
    out_of_band_test.cpp \
    peer_test.cpp \
    raw_test.cpp \
)) verif/kit/doctest_main.cpp,$(B)/lib/system.a $(B)/lib/link.a -lfmt))

# Launches: with the kernels' headers, the module loader and the driver of the firmware.
$(eval $(call cxx_program,test-system-launch,$(addprefix verif/system/,launch_test.cpp launch_full_test.cpp group_rig.cpp mpe_proxy.cpp) \
  abi/module_reader.cpp verif/kit/doctest_main.cpp,$(B)/lib/system.a $(B)/lib/link.a -lfmt))

# The kernel's runtime side, without the runtime library.
$(eval $(call cxx_program,test-system-runtime,$(call as_one,system_runtime,$(addprefix verif/system/, \
    runtime_hold_test.cpp \
    runtime_leftovers_test.cpp \
    runtime_protection_test.cpp \
    runtime_sharing_test.cpp \
    runtime_stuck_test.cpp \
    runtime_test.cpp \
)) abi/module_reader.cpp verif/abi/module_file.cpp verif/kit/doctest_main.cpp, \
  $(B)/lib/system.a $(B)/lib/link.a -lfmt))

# The kernel without its service, for tests of the hardware.
FW_OPT_bare := -Os
$(eval $(call firmware_program,bare,$(filter-out firmware/kernel/service.cpp firmware/kernel/modules.S abi/%,$(FW_KERNEL)) \
  verif/system/bare_service.cpp,$(FW_BUILD)/kernel.ld))
$(FW_BUILD)/bare.img: $(FW_BUILD)/bare.elf $(B)/swai-image
	$(call say,IMAGE,$@)
	$(Q)$(B)/swai-image pack $< --output $@
$(FW_BUILD)/bare.bin: $(FW_BUILD)/bare.img $(B)/swai-image
	$(call say,FLASH,$@)
	$(Q)rm -f $@ $@.status
	$(Q)$(B)/swai-image write $< --flash $@ --create --slot a --confirmed
