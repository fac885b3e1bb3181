# Hostile clients: against a played card with sanitizers, and against cards that a daemon serves.

ATTACK_FLAGS := $(ADDRESS_SANITIZER)
ATTACK_PARTS := $(addprefix verif/attack/,kind.cpp api_client.cpp attacker.cpp hostile_client.cpp worker.cpp \
    $(addsuffix _kinds.cpp,api control daemon file kernel program socket)) \
    verif/socket/raw_client.cpp verif/firmware/launch/module_file.cpp host/flash/image.cpp abi/elf.cpp abi/sha256.cpp
$(eval $(call cxx_program,test-attack,verif/attack/attack_test.cpp $(ATTACK_PARTS) $(SERVE_SOURCES) $(SOCKET_SERVER_SOURCES),\
    $(B)/lib/sdaa-tested.a -lfmt,$(ATTACK_FLAGS)))
$(eval $(call cxx_program,attack-card,verif/attack/attack_card.cpp verif/attack/attacker_process.cpp $(ATTACK_PARTS),$(B)/lib/serve.a $(B)/lib/socket.a $(B)/lib/sdaa.a -lfmt,-Icpe-kernels/include))
