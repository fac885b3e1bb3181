# Hostile clients, against a played card with sanitizers.

ATTACK_FLAGS := -O1 -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer -Icpe-kernels/include
ATTACK_PARTS := $(addprefix verif/attack/,kind.cpp attacker.cpp hostile_client.cpp $(addsuffix _kinds.cpp,daemon))
$(eval $(call cxx_program,test-attack,verif/attack/attack_test.cpp $(ATTACK_PARTS) $(SERVE_SOURCES) $(SOCKET_SERVER_SOURCES),\
    $(B)/lib/sdaa-tested.a -lfmt,$(ATTACK_FLAGS)))
