# SPDX-License-Identifier: Apache-2.0
# Tests of text generation: what is told to the card, against double precision.

$(eval $(call cxx_program,test-generate,$(addprefix verif/generate/,chat_test.cpp llama_test.cpp) verif/graph/evaluate.cpp verif/graph/named.cpp \
    $(addprefix verif/models/,reference.cpp samples.cpp) verif/common/doctest_main.cpp,$(B)/lib/generate.a $(B)/lib/graph.a $(B)/lib/models.a -lfmt))

$(eval $(call cxx_test,test-packed,verif/generate/packed_test.cpp verif/common/doctest_main.cpp,$(B)/lib/model-samples.a $(B)/lib/generate.a $(B)/lib/models.a $(B)/lib/graph.a -lfmt))

# The reference by itself, for measurements.
$(eval $(call cxx_program,llama-reference,verif/generate/reference_main.cpp verif/models/reference.cpp,$(B)/lib/models.a $(B)/lib/graph.a -lfmt))

# Texts beside each other, on the card.
$(eval $(call cxx_program,test-batch,verif/generate/batch_test.cpp verif/system/rig.cpp $(addprefix verif/common/,doctest_main.cpp process.cpp), \
    $(B)/lib/generate.a $(B)/lib/walk.a $(B)/lib/graph.a $(B)/lib/models.a $(B)/lib/sdaa.a -lfmt))
