# SPDX-License-Identifier: Apache-2.0
# Measurements on the whole card.
$(eval $(call cxx_program,pcie-bench,verif/system/bench/pcie_bench.cpp,$(B)/lib/system.a $(B)/lib/link.a -lfmt))
$(eval $(call cxx_program,fabric-bench,verif/system/bench/fabric_bench.cpp,$(B)/lib/system.a $(B)/lib/link.a -lfmt))
