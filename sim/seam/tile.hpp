// SPDX-License-Identifier: Apache-2.0
// The models of CPEs, as sim/seam/cg_array.sv calls them (DPI).
#pragma once

#include <svdpi.h>

#include <cstdint>

extern "C" {

// A CPE in reset; it shares the context (seed, assertions) of the model that is being evaluated, or of the
// thread.
void* swai_cpe_new();
void swai_cpe_delete(void* cpe);

// What comes in with the next edge, if the valid bit of cpe_tile_pkg::in_t says that it comes.
void swai_cpe_launch(void* cpe, const svBitVecVal* launch);
void swai_cpe_response(void* cpe, const svBitVecVal* rsp);
void swai_cpe_row(void* cpe, const svBitVecVal* data);
void swai_cpe_column(void* cpe, const svBitVecVal* data);
void swai_cpe_access(void* cpe, const svBitVecVal* access);

// One edge of the clock, from cpe_tile_pkg::in_t to out_t.
uint64_t swai_cpe_step(void* cpe, uint64_t in, uint32_t boot_pc);

// What it does after it (activity.hpp), if kActivityWanted was set.
uint32_t swai_cpe_activity(void* cpe);
const uint32_t* swai_cpe_counts(void* cpe);

// Of the core, after it.
uint32_t swai_cpe_pc(void* cpe);
uint32_t swai_cpe_fetch_line(void* cpe);

// What goes out after it, if a valid bit of out_t says so.
void swai_cpe_fault(void* cpe, svBitVecVal* fault);
void swai_cpe_mem(void* cpe, svBitVecVal* mem);
void swai_cpe_row_out(void* cpe, svBitVecVal* data);
void swai_cpe_column_out(void* cpe, svBitVecVal* data);
void swai_cpe_access_out(void* cpe, uint64_t* data);
}
