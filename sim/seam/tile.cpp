// SPDX-License-Identifier: Apache-2.0
#include "sim/seam/tile.hpp"

#include <verilated.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>

// The model is compiled with what calls it: all of an edge becomes one function.
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Weverything"
#include "edges.hpp"  // edges.py
#pragma clang diagnostic pop

// All of a model in one piece: the way to a signal leads through no pointer.
using Model = Vcpe_tile_top__Syms;
static_assert(sizeof(Model::TOP.__VnbaTriggered) ==
              sizeof(uint64_t));  // bits, as verilated_triggers.hpp has them

namespace {

Model& model_of(void* cpe) { return *static_cast<Model*>(cpe); }
Vcpe_tile_top___024root& tile(void* cpe) { return model_of(cpe).TOP; }

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

// The doors in a CPE (cpe_unit_gate.sv, cpe_movers_gate.sv beside this).
struct Door {
  CData& needed;
  CData& differs;
  CData& clk;
};

constexpr size_t kDoors = 4;

std::array<Door, kDoors> doors_of(Model& model) {
  auto& cpe = model.TOP__cpe_tile_top__DOT__u_cpe;
  return {{{cpe.u_scalar__DOT__u_core_gate__DOT__needed, cpe.u_scalar__DOT__u_core_gate__DOT__differs,
            cpe.u_scalar__DOT__u_core_gate__DOT__clk},
           {cpe.u_engines__DOT__u_movers__DOT__u_gate__DOT__needed,
            cpe.u_engines__DOT__u_movers__DOT__u_gate__DOT__differs,
            cpe.u_engines__DOT__u_movers__DOT__u_gate__DOT__clk},
           {cpe.u_engines__DOT__u_units__DOT__u_systolic__DOT__u_gate__DOT__needed,
            cpe.u_engines__DOT__u_units__DOT__u_systolic__DOT__u_gate__DOT__differs,
            cpe.u_engines__DOT__u_units__DOT__u_systolic__DOT__u_gate__DOT__clk},
           {cpe.u_engines__DOT__u_units__DOT__u_vector__DOT__u_gate__DOT__needed,
            cpe.u_engines__DOT__u_units__DOT__u_vector__DOT__u_gate__DOT__differs,
            cpe.u_engines__DOT__u_units__DOT__u_vector__DOT__u_gate__DOT__clk}}};
}

// What comes in through the doors, and what is in front of them.
void copy(Model& model) { happen<kCopy>(&model); }

bool differs(const std::array<Door, kDoors>& doors) {
  return (doors[0].differs | doors[1].differs | doors[2].differs | doors[3].differs) != 0;
}

// Verilator's own way, for sets of edges that are rare.
void happen_any(Model& model, uint64_t edges) {
  for (size_t i = 0; i < kEdges; ++i) model.TOP.__VnbaTriggered.at(i) = (edges >> i & 1) != 0;
  Vcpe_tile_top___024root___eval_nba(&model.TOP);
}

// The clock's edge, and those behind the doors of whom needs it. Verilator would search for edges; nothing in
// here makes a clock, so it is known which there are.
void clock(Model& model, const std::array<Door, kDoors>& doors) {
  constexpr std::array<uint64_t, kDoors> kBehind{kCore, kMovers, kSystolic, kVector};
  uint64_t edges = kClock;
  for (size_t i = 0; i < kDoors; ++i) {
    if (doors[i].needed != 0) edges |= kBehind[i];
  }
  switch (edges) {
    case kClock | kCore:
      return happen<kClock | kCore>(&model);
    case kClock | kSystolic:
      return happen<kClock | kSystolic>(&model);
    case kClock | kVector:
      return happen<kClock | kVector>(&model);
    default:
      happen_any(model, edges);
  }
}

}  // namespace

extern "C" {

void* swai_cpe_new() {
  auto tile = std::make_unique<Vcpe_tile_top>(Verilated::threadContextp(), "cpe");
  Model& model = *tile->rootp->vlSymsp;
  // In reset, before the first edges: also where state begins at random.
  model.TOP.cpe_tile_top__DOT__clk = 0;
  model.TOP.cpe_tile_top__DOT__copy = 0;
  for (const Door& door : doors_of(model)) door.clk = 0;
  tile->in_i = 0;
  tile->boot_pc_i = 0;
  tile->eval();
  tile.release();  // the model knows it
  return &model;
}

void swai_cpe_delete(void* cpe) {
  const std::unique_ptr<Vcpe_tile_top> tile(model_of(cpe).__Vm_modelp);
  tile->final();
}

void swai_cpe_launch(void* cpe, const svBitVecVal* launch) { put(tile(cpe).launch_i, launch); }
void swai_cpe_response(void* cpe, const svBitVecVal* rsp) { put(tile(cpe).rsp_i, rsp); }
void swai_cpe_row(void* cpe, const svBitVecVal* data) { put(tile(cpe).row_data_i, data); }
void swai_cpe_column(void* cpe, const svBitVecVal* data) { put(tile(cpe).column_data_i, data); }
void swai_cpe_access(void* cpe, const svBitVecVal* access) { put(tile(cpe).access_i, access); }

uint64_t swai_cpe_step(void* cpe, uint64_t in, uint32_t boot_pc) {
  Model& model = model_of(cpe);
  auto& top = model.TOP;
  const auto doors = doors_of(model);
  // Whatever is wide comes with a valid bit; it may be another one in the next cycle.
  if (top.in_i != in || top.boot_pc_i != boot_pc || (in & kWithData) != 0) {
    top.in_i = in;
    top.boot_pc_i = boot_pc;
    copy(model);
    if ((in & kWithData) != 0 && doors[1].needed != 0) copy(model);
    while (differs(doors)) copy(model);
  }
  clock(model, doors);
  while (differs(doors)) copy(model);
  return top.out_o | top.channels_o | top.asleep_o;
}

uint32_t swai_cpe_activity(void* cpe) {
  return model_of(cpe).TOP__cpe_tile_top__DOT__u_cpe.u_activity__DOT__activity_o;
}
const uint32_t* swai_cpe_counts(void* cpe) {
  return model_of(cpe).TOP__cpe_tile_top__DOT__u_cpe.u_activity__DOT__counts_o.data();
}
uint32_t swai_cpe_pc(void* cpe) { return tile(cpe).pc_o; }
uint32_t swai_cpe_fetch_line(void* cpe) { return tile(cpe).fetch_line_o; }
void swai_cpe_fault(void* cpe, svBitVecVal* fault) { get(fault, tile(cpe).fault_o); }
void swai_cpe_mem(void* cpe, svBitVecVal* mem) { get(mem, tile(cpe).mem_o); }
void swai_cpe_row_out(void* cpe, svBitVecVal* data) { get(data, tile(cpe).row_data_o); }
void swai_cpe_column_out(void* cpe, svBitVecVal* data) { get(data, tile(cpe).column_data_o); }
void swai_cpe_access_out(void* cpe, uint64_t* data) { *data = tile(cpe).access_rdata_o; }

}  // extern "C"
