# Tests of transcription that need no card.

$(eval $(call cxx_program,test-transcribe,$(addprefix verif/transcribe/,output_test.cpp rules_test.cpp segments_test.cpp transcriber_test.cpp whisper_test.cpp) \
    verif/graph/evaluate.cpp verif/graph/named.cpp $(addprefix verif/models/,reference.cpp samples.cpp) verif/common/doctest_main.cpp,$(B)/lib/transcribe.a $(B)/lib/graph.a $(B)/lib/models.a -lfmt -lz))
