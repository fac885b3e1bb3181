// SPDX-License-Identifier: Apache-2.0
// The memory's model, which is not for synthesis, in a build that takes the branches of synthesis everywhere else.
`undef SYNTHESIS
`include "rtl/hbm/hbm_phy.sv"
`define SYNTHESIS
