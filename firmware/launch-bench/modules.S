# The modules, as files. The build strips them of symbols.

.macro module name
    .section .rodata.module_\name, "a"
    .globl module_\name
    .balign 8
module_\name:
    .incbin "build/cpe-kernels/\name\().stripped"
    .globl module_\name\()_end
module_\name\()_end:
.endm

    module daemon
    module empty
    module broadcast
    module stream
    module sync
    module scalar
    module copy
    module faults
    module gemm
    module sparse
    module gemv
    module softmax
    module axpy
