// SPDX-License-Identifier: Apache-2.0
// The CPEs of a group, each a model of its own (sim/seam), as sim/seam/cg_array.sv calls them
// (DPI).
//
// Sets of CPEs are words of 32 bits: row * columns + column, or, for channels along columns ("places"),
// column * rows + row. There are as many rows and columns as the first call says, powers of two.
#pragma once

#include <svdpi.h>

#include <cstdint>

extern "C" {

void* swai_array_new(uint32_t rows, uint32_t columns);
void swai_array_delete(void* array);

// What the coming step brings to the CPEs of a set.
void swai_array_launch(void* array, uint32_t cpes, const svBitVecVal* launch);
void swai_array_response(void* array, uint32_t cpes, const svBitVecVal* rsp);
void swai_array_rows(void* array, uint32_t cpes, const svBitVecVal* data);
void swai_array_columns(void* array, uint32_t places, const svBitVecVal* data);
void swai_array_access(void* array, uint32_t cpes, const svBitVecVal* access);
void swai_array_inputs(void* array, uint32_t invalidate, uint32_t release_row, uint32_t release_column,
                       uint32_t release_all, uint32_t mem_ready, uint32_t row_send_ready,
                       uint32_t column_send_ready);

// One edge of the clock of those who are awake. Returns which of the four groups of outputs below have moved,
// a bit each. settings: {group, daemon_segment}.
uint32_t swai_array_step(void* array, uint32_t awake, uint32_t tile_rst_n, uint32_t halt, uint32_t boot_pc,
                         uint32_t settings);

void swai_array_states(void* array, uint32_t* quiet, uint32_t* asleep, uint32_t* launch_ready,
                       uint32_t* finished, uint32_t* fault_valid, uint32_t* access_ready,
                       svBitVecVal* arrive);
void swai_array_memory(void* array, uint32_t* mem_valid, uint32_t* fetch_valid, svBitVecVal* fetch_line);
void swai_array_senders(void* array, uint32_t* row_valid, uint32_t* column_valid, svBitVecVal* row_mask,
                        svBitVecVal* column_mask);
void swai_array_receivers(void* array, uint32_t* row_ready, uint32_t* row_one, uint32_t* column_ready,
                          uint32_t* column_one, svBitVecVal* row_source, svBitVecVal* column_source);

// What one CPE, or one in each row or column, has to say.
void swai_array_record(void* array, svBit now, uint32_t cpe, svBitVecVal* fault, uint32_t* pc);
void swai_array_mem(void* array, svBit now, uint32_t cpe, svBitVecVal* mem);
void swai_array_access_out(void* array, svBit now, uint32_t cpes, uint64_t* data);
void swai_array_row_words(void* array, svBit now, uint32_t cpes, svBitVecVal* words);
void swai_array_column_words(void* array, svBit now, uint32_t places, svBitVecVal* words);
}
