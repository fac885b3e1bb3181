# SPDX-License-Identifier: Apache-2.0
# The port of a kernel from CUDA to SDAA: memory of the device is named, and a header of ours gives the other names.
s/#include <cuda_runtime.h>/#include "swai\/cuda.hpp"/
s/#include "\.\.\//#include "/
/__global__/,/{/ s/\(const \)\?\([a-z0-9_]\+\)\* /Global<\1\2> /g
s/extern "C" __global__/__global__/
