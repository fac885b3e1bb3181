# SPDX-License-Identifier: Apache-2.0
# Kernels with faults that a card must find, and survive.

$(eval $(call cpe_module,faults,verif/kit/faulty/faults.cpp,))
$(eval $(call cpe_module,mistakes,verif/kit/faulty/mistakes.cpp,))
$(eval $(call cpe_module,out_of_bounds,verif/kit/faulty/out_of_bounds.cpp,))
$(eval $(call cpe_module,remains,verif/kit/faulty/remains.cpp,))
$(eval $(call cpe_module,print,verif/kit/faulty/print.cpp,))
$(eval $(call cpe_module,stack,verif/kit/faulty/stack.cpp,))
$(eval $(call cpe_module,waits,verif/kit/faulty/waits.cpp,))
$(eval $(call cpe_module,undefined,verif/kit/faulty/undefined.cpp,--link-flag=-Wl$(comma)--unresolved-symbols=ignore-all))
