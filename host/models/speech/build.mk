# SPDX-License-Identifier: Apache-2.0
# What was said in a sound: Whisper on a card.

TRANSCRIBE_RULES := $(addprefix host/models/speech/,beam_chunks.cpp beam_search.cpp output.cpp segments.cpp special_tokens.cpp)
$(eval $(call cxx_library,transcribe,$(TRANSCRIBE_RULES) $(addprefix host/models/speech/, \
    card_listener.cpp \
    card_speech.cpp \
    card_whisper.cpp \
    eager_graph.cpp \
    json.cpp \
    speech.cpp \
    transcriber.cpp \
    whisper_file.cpp \
    whisper_graph.cpp \
    whisper_model.cpp \
    whisper_weights.cpp \
)))
