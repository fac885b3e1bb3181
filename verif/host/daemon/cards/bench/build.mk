# SPDX-License-Identifier: Apache-2.0
$(eval $(call cpe_module,serve-bench,verif/host/daemon/cards/bench/spin.cpp,))
$(eval $(call cxx_program,serve-client,verif/host/daemon/cards/bench/serve_client.cpp,$(B)/lib/sdaa.a -lfmt))
