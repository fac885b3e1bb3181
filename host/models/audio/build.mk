# SPDX-License-Identifier: Apache-2.0
# Sound for speech models.

AUDIO_SOURCES := $(addprefix host/models/audio/,mel.cpp resampler.cpp sound.cpp wav_length.cpp)
AUDIO_LIBS := -lsndfile -lsoxr -lfftw3
$(eval $(call cxx_library,audio,$(AUDIO_SOURCES)))
