# SPDX-License-Identifier: Apache-2.0
# The daemon's parts, against a played card.

$(eval $(call cxx_test,test-serve,$(addprefix verif/host/daemon/cards/,client_test.cpp group_test.cpp hostile_test.cpp job_test.cpp lost_card_test.cpp shared_card_test.cpp) verif/attack/hostile_client.cpp, \
    $(B)/lib/serve.a $(B)/lib/socket.a $(B)/lib/played-card.a $(B)/lib/sdaa.a -lfmt))
