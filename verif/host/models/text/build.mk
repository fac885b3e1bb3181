# SPDX-License-Identifier: Apache-2.0
# Tests of text generation: what is told to the card, against double precision.

$(eval $(call cxx_program,test-generate,$(addprefix verif/host/models/text/,chat_test.cpp llama_test.cpp) verif/host/models/graph/evaluate.cpp verif/host/models/graph/named.cpp \
    $(addprefix verif/host/models/files/,reference.cpp samples.cpp) verif/kit/doctest_main.cpp,$(B)/lib/generate.a $(B)/lib/graph.a $(B)/lib/models.a -lfmt))

$(eval $(call cxx_test,test-packed,verif/host/models/text/packed_test.cpp verif/kit/doctest_main.cpp,$(B)/lib/model-samples.a $(B)/lib/generate.a $(B)/lib/models.a $(B)/lib/graph.a -lfmt))

# The reference by itself, for measurements.
$(eval $(call cxx_program,llama-reference,verif/host/models/text/reference_main.cpp verif/host/models/files/reference.cpp,$(B)/lib/models.a $(B)/lib/graph.a -lfmt))

# Texts beside each other, on the card.
$(eval $(call cxx_program,test-batch,verif/host/models/text/batch_test.cpp verif/system/rig.cpp $(addprefix verif/kit/,doctest_main.cpp process.cpp), \
    $(B)/lib/generate.a $(B)/lib/walk.a $(B)/lib/graph.a $(B)/lib/models.a $(B)/lib/sdaa.a -lfmt))
