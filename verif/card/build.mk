# The simulated card: models of what is around the chip, their unit tests, and swai-card.

card_models := $(addprefix verif/card/,flash_store.cpp flash_chip.cpp flash_pins.cpp uart_pins.cpp)

$(eval $(call cxx_library,card-models,$(card_models)))
$(eval $(call cxx_program,test-card-models,verif/card/flash_test.cpp verif/card/uart_test.cpp \
  verif/common/doctest_main.cpp,$(B)/lib/card-models.a -lfmt))
