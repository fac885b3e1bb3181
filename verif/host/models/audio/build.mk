# SPDX-License-Identifier: Apache-2.0
# Tests of sound.

$(eval $(call cxx_test,test-audio,verif/host/models/audio/audio_test.cpp verif/kit/doctest_main.cpp,$(B)/lib/audio.a $(AUDIO_LIBS) -lfmt))
