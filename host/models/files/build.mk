# SPDX-License-Identifier: Apache-2.0
# Models from the files that people have.

MODEL_SOURCES := $(addprefix host/models/files/, \
    architectures/architecture.cpp \
    architectures/decoder_tensors.cpp \
    architectures/gemma3.cpp \
    architectures/llama.cpp \
    architectures/qwen2.cpp \
    architectures/qwen3.cpp \
    architectures/registry.cpp \
    architectures/whisper.cpp \
    byte_letters.cpp \
    byte_level.cpp \
    ctranslate2.cpp \
    decoder/card.cpp \
    decoder/graph.cpp \
    decoder/weights.cpp \
    eight_bits.cpp \
    file_bytes.cpp \
    four_bits.cpp \
    ggml.cpp \
    ggml_writer.cpp \
    gguf.cpp \
    hugging_face.cpp \
    json_file.cpp \
    llama2c.cpp \
    load.cpp \
    model.cpp \
    packed_file.cpp \
    precision.cpp \
    reader.cpp \
    safetensors.cpp \
    sentence_piece.cpp \
    tensor.cpp \
    make_tokenizer.cpp \
    tokenizer.cpp \
    tokenizer_json.cpp \
    vocabulary_bytes.cpp \
    weight_format.cpp \
    weights.cpp \
    words.cpp \
) $(COMMON_SOURCES) host/lib/sha256.cpp
$(eval $(call cxx_library,models,$(MODEL_SOURCES)))

# What tokenizers know about characters.
$(B)/gen/unicode_ranges.hpp: scripts/gen-unicode.py
	$(call say,GEN,$@)
	$(Q)mkdir -p $(@D) && $(PYTHON) $< $@
generated: $(B)/gen/unicode_ranges.hpp
