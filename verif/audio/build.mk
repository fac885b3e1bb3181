# Tests of sound, with sanitizers.

$(eval $(call cxx_program,test-audio,verif/audio/audio_test.cpp $(AUDIO_SOURCES) verif/common/doctest_main.cpp,$(AUDIO_LIBS) -lfmt,$(FUZZED)))
