#include "verif/cpe/tile/tile.hpp"

#include <verilated.h>

#include <algorithm>
#include <cstdint>
#include <memory>

#include "Vcpe_tile_top.h"
#include "Vcpe_tile_top___024root.h"

namespace {

Vcpe_tile_top& tile(void* cpe) { return *static_cast<Vcpe_tile_top*>(cpe); }

// The valid bits of launch, response, row, column and access in cpe_tile_pkg::in_t.
constexpr uint64_t kWithData = 1U << 11 | 1U << 6 | 1U << 3 | 1U << 1 | 1U << 0;

template <size_t Words>
void put(VlWide<Words>& to, const svBitVecVal* from) {
  std::copy_n(from, Words, to.data());
}

template <size_t Words>
void get(svBitVecVal* to, const VlWide<Words>& from) {
  std::copy_n(from.data(), Words, to);
}

}  // namespace

extern "C" {

void* swai_cpe_new() {
  auto model = std::make_unique<Vcpe_tile_top>(Verilated::threadContextp(), "cpe");
  // In reset, before the first edges: also where state begins at random.
  model->rootp->cpe_tile_top__DOT__clk = 0;
  model->rootp->cpe_tile_top__DOT__in_clk = 0;
  model->in_i = 0;
  model->boot_pc_i = 0;
  model->eval();
  return model.release();
}

void swai_cpe_delete(void* cpe) {
  const std::unique_ptr<Vcpe_tile_top> model(static_cast<Vcpe_tile_top*>(cpe));
  model->final();
}

void swai_cpe_launch(void* cpe, const svBitVecVal* launch) { put(tile(cpe).launch_i, launch); }
void swai_cpe_response(void* cpe, const svBitVecVal* rsp) { put(tile(cpe).rsp_i, rsp); }
void swai_cpe_row(void* cpe, const svBitVecVal* data) { put(tile(cpe).row_data_i, data); }
void swai_cpe_column(void* cpe, const svBitVecVal* data) { put(tile(cpe).column_data_i, data); }
void swai_cpe_access(void* cpe, const svBitVecVal* access) { put(tile(cpe).access_i, access); }

void swai_cpe_step(void* cpe, uint64_t in, uint32_t boot_pc, uint64_t* out, uint64_t* code) {
  Vcpe_tile_top& top = tile(cpe);
  // Whatever is wide comes with a valid bit; it may be another one in the next cycle.
  if (top.in_i != in || top.boot_pc_i != boot_pc || (in & kWithData) != 0) {
    top.in_i = in;
    top.boot_pc_i = boot_pc;
    top.rootp->cpe_tile_top__DOT__in_clk = 1;
    top.eval();
  }
  top.rootp->cpe_tile_top__DOT__clk = 1;
  top.eval();
  *out = top.out_o;
  *code = uint64_t{top.pc_o} << 26 | top.fetch_line_o;
}

void swai_cpe_fault(void* cpe, svBitVecVal* fault) { get(fault, tile(cpe).fault_o); }
void swai_cpe_mem(void* cpe, svBitVecVal* mem) { get(mem, tile(cpe).mem_o); }
void swai_cpe_row_out(void* cpe, svBitVecVal* data) { get(data, tile(cpe).row_data_o); }
void swai_cpe_column_out(void* cpe, svBitVecVal* data) { get(data, tile(cpe).column_data_o); }
void swai_cpe_access_out(void* cpe, uint64_t* data) { *data = tile(cpe).access_rdata_o; }

}  // extern "C"
