# Lists of nodes on a card.

$(eval $(call cxx_library,walk,$(addprefix host/walk/,card_memory.cpp list.cpp named_memory.cpp walker.cpp)))
