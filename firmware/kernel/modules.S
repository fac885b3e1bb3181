# Modules for the CPEs that the kernel's image carries.
#include "firmware/common/embed.inc"

    module daemon
    module copy
    module memset
    module wipe
