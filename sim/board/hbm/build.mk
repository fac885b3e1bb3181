# SPDX-License-Identifier: Apache-2.0
# The cells of the HBM: memory that is not ours.

$(eval $(call cxx_library,hbm-cells,sim/board/hbm/hbm_cells.cpp,-isystem $(VERILATOR_ROOT)/include/vltstd))
