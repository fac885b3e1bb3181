# The functional model of a core group as a library.

ISS_CPE_SOURCES := $(addprefix verif/iss/cpe/,channel.cpp cpe.cpp decode.cpp dma.cpp fp32.cpp group.cpp hart.cpp memory.cpp port.cpp \
  special.cpp sync.cpp systolic.cpp text.cpp vector.cpp)
ISS_CPE_LIB := $(B)/lib/iss-cpe.a
$(eval $(call cxx_library,iss-cpe,$(ISS_CPE_SOURCES),-O3))

# Random programs for whole groups, for tests of the model and of RTL. It needs the model's units.
$(eval $(call cxx_library,cpe-random,$(addprefix verif/iss/cpe/random/,group_program.cpp group_units.cpp),))

$(eval $(call cxx_program,test-iss-cpe,$(addprefix verif/iss/cpe/test/,units_test.cpp systolic_test.cpp vector_test.cpp group_test.cpp random_test.cpp) \
  verif/common/doctest_main.cpp,$(B)/lib/cpe-random.a $(ISS_CPE_LIB) -lfmt,))
$(eval $(call cxx_program,iss-cpe-run,$(addprefix verif/iss/cpe/,iss_cpe_run.cpp model_device.cpp),\
  $(B)/lib/kernel-run.a $(ISS_CPE_LIB) -lfmt,))
$(eval $(call cxx_program,test-compute-kernels,verif/iss/cpe/test/kernels_test.cpp verif/firmware/test_tools.cpp \
  verif/common/doctest_main.cpp,$(B)/lib/flash.a $(ISS_CPE_LIB) -lfmt,-Icpe-kernels/include))
