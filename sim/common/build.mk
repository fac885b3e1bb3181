# SPDX-License-Identifier: Apache-2.0
# Threads of the host that simulate the CPEs of all cards of a process.

$(eval $(call cxx_library,host-threads,$(addprefix sim/common/,host_threads.cpp workers.cpp),-O3))
