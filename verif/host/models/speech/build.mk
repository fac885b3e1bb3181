# SPDX-License-Identifier: Apache-2.0
# Tests of transcription that need no card.

$(eval $(call cxx_program,test-transcribe,$(addprefix verif/host/models/speech/,beam_search_test.cpp output_test.cpp rules_test.cpp segments_test.cpp transcriber_test.cpp whisper_test.cpp) \
    verif/host/models/graph/evaluate.cpp verif/host/models/graph/named.cpp $(addprefix verif/host/models/files/,reference.cpp samples.cpp) verif/kit/doctest_main.cpp,$(B)/lib/transcribe.a $(B)/lib/graph.a $(B)/lib/models.a -lfmt -lz))

# What opens packed files, and makes the graphs of what they hold.
PACKED_WHISPER := $(addprefix host/models/speech/, \
    beam_chunks.cpp \
    card_whisper.cpp \
    eager_graph.cpp \
    special_tokens.cpp \
    storing.cpp \
    whisper_graph.cpp \
    whisper_model.cpp \
    whisper_weights.cpp \
)

$(eval $(call cxx_test,test-packed-whisper,verif/host/models/speech/packed_test.cpp verif/kit/doctest_main.cpp,$(B)/lib/model-samples.a $(B)/lib/transcribe.a $(B)/lib/models.a $(B)/lib/graph.a -lfmt))

# The reference by itself, for measurements.
$(eval $(call cxx_program,whisper-reference,verif/host/models/speech/reference_main.cpp verif/host/models/files/reference.cpp,$(B)/lib/transcribe.a $(B)/lib/models.a $(B)/lib/graph.a $(B)/lib/audio.a -lfmt $(AUDIO_LIBS) -lz))

# The model on the host, bit by bit.
HOST_SPEECH_LIBS := $(B)/lib/transcribe.a $(B)/lib/models.a $(B)/lib/graph.a
$(eval $(call cxx_program,whisper-host,verif/host/models/speech/host_main.cpp verif/host/models/speech/host_speech.cpp,$(HOST_SPEECH_LIBS) $(B)/lib/audio.a $(GOLDEN_LIBS) -lfmt $(AUDIO_LIBS) -lz))

# The same lists on it and on the functional model of a core group.
$(eval $(call cxx_program,test-host-model,verif/host/models/speech/host_model_test.cpp verif/host/models/files/samples.cpp verif/cpe-kernels/operators/card.cpp verif/firmware/test_tools.cpp \
    verif/kit/doctest_main.cpp,$(HOST_SPEECH_LIBS) $(B)/lib/golden.a $(B)/lib/flash.a $(KERNEL_RUN_LIBS) -lfmt -lz))

# The host's part of loading, for Python: measured in one process with PyTorch's.
LOAD_BENCH := verif/host/models/speech/load_bench.cpp $(PACKED_WHISPER) $(MODEL_SOURCES) $(GRAPH_SOURCES)
$(eval $(call shared_objects,$(LOAD_BENCH)))
$(B)/load-bench.so: $(call objects_of,$(LOAD_BENCH))
	$(call say,LINK,$@)
	$(Q)$(CXX) -shared -Wl,-z,defs -pthread -o $@ $^ -lfmt -lz
