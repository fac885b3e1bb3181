# The PCIe wire and the host behind it, and their unit tests.

$(eval $(call cxx_library,rootport,$(addprefix verif/rootport/,tlp.cpp)))
