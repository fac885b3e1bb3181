# SPDX-License-Identifier: Apache-2.0
# Modules for the CPEs that the kernel's image carries.
#include "firmware/common/embed.inc"

    module daemon
    module copy
    module memset
    module wipe
