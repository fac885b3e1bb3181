# SPDX-License-Identifier: Apache-2.0
# Small models from graph text to what they choose, by programs of the card, and by the host.

$(eval $(call model_program,toy-encode,verif/kit/toys/encode.cpp verif/kit/toys/toys.hpp))
$(eval $(call model_program,toy-write,verif/kit/toys/write.cpp verif/kit/toys/toys.hpp))
$(eval $(call cxx_program,test-toys,$(addprefix verif/kit/toys/,model.cpp toys_test.cpp) $(addprefix verif/host/models/graph/,evaluate.cpp named.cpp) \
    bench/paper/card_launches.cpp verif/system/rig.cpp $(addprefix verif/kit/,doctest_main.cpp process.cpp), \
    $(B)/lib/walk.a $(B)/lib/graph.a $(B)/lib/sdaa.a -lfmt))
# A host of users, who have the runtime library alone.
$(eval $(call cxx_program,toy-host,verif/kit/toys/host.cpp,$(B)/lib/sdaa.a -lfmt,-Ihost/runtime/include))
