# SPDX-License-Identifier: Apache-2.0
$(eval $(call cpe_module,serve-bench,verif/serve/bench/spin.cpp,))
$(eval $(call cxx_program,serve-client,verif/serve/bench/serve_client.cpp,$(B)/lib/sdaa.a -lfmt))
