# SPDX-License-Identifier: Apache-2.0
# Hostile clients: against a played card, and against cards that a daemon serves.

ATTACK_PARTS := $(addprefix verif/attack/,kind.cpp api_client.cpp attacker.cpp hostile_client.cpp worker.cpp \
    $(addsuffix _kinds.cpp,api control daemon file kernel program socket)) \
    verif/host/transport/raw_client.cpp verif/abi/module_file.cpp host/tools/flash/image.cpp host/lib/elf.cpp host/lib/sha256.cpp
ATTACK_LIBS := $(B)/lib/serve.a $(B)/lib/socket.a $(B)/lib/sdaa.a -lfmt
$(eval $(call cxx_test,test-attack,verif/attack/attack_test.cpp $(ATTACK_PARTS),$(B)/lib/played-card.a $(ATTACK_LIBS)))
$(eval $(call cxx_program,attack-card,verif/attack/attack_card.cpp verif/attack/attacker_process.cpp $(ATTACK_PARTS),$(ATTACK_LIBS)))
