# SPDX-License-Identifier: Apache-2.0
# The port of a program from CUDA to SDAA: other names. A module has one form.
s/cudaLibraryLoadFromFile(\(&[a-z]*\), "\([a-z]*\)\.fatbin".*, 0)/sdaaModuleLoad(\1, "\2.elf")/
s/cudaLibraryGetKernel/sdaaModuleGetFunction/
s/cudaLibraryUnload/sdaaModuleUnload/
s/cudaLibrary_t/sdaaModule_t/
s/cudaKernel_t/sdaaFunction_t/
s/cuda/sdaa/g
s/#include "\.\.\//#include "/
