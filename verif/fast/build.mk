# Tests of the card as a functional model, in one process with it.

$(eval $(call cxx_program,test-fast-card,$(addprefix verif/fast/,bed.cpp group_job.cpp snapshot_test.cpp) \
  verif/common/doctest_main.cpp,$(B)/lib/cpe-random.a $(fast_libs)))
