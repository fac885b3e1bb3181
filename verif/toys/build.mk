# SPDX-License-Identifier: Apache-2.0
# Small models from graph text to what they choose, by programs of the card, and by the host.

$(eval $(call model_program,toy-encode,verif/toys/encode.cpp verif/toys/toys.hpp))
$(eval $(call model_program,toy-write,verif/toys/write.cpp verif/toys/toys.hpp))
$(eval $(call cxx_program,test-toys,$(addprefix verif/toys/,model.cpp toys_test.cpp) $(addprefix verif/graph/,evaluate.cpp named.cpp) \
    host/cli/bench/paper/card_launches.cpp verif/system/rig.cpp $(addprefix verif/common/,doctest_main.cpp process.cpp), \
    $(B)/lib/walk.a $(B)/lib/graph.a $(B)/lib/sdaa.a -lfmt))
# A host of users, who have the runtime library alone.
$(eval $(call cxx_program,toy-host,verif/toys/host.cpp,$(B)/lib/sdaa.a -lfmt,-Ihost/sdaa/include))
