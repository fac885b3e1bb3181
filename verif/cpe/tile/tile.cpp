#include "verif/cpe/tile/tile.hpp"

#include <verilated.h>

#include <algorithm>
#include <cstdint>
#include <memory>

#include "Vcpe_tile_top.h"
#include "Vcpe_tile_top__Syms.h"
#include "Vcpe_tile_top___024root.h"

// Verilator's, not in its headers.
using Root = Vcpe_tile_top___024root;
void Vcpe_tile_top___024root___eval_triggers__act(Root* root);
void Vcpe_tile_top___024root___eval_nba(Root* root);

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

// An edge, without what Verilator's eval() does to find out which there are: nothing in here makes a clock,
// so C++ knows.
class Edges {
 public:
  explicit Edges(Root& root) : root_(root) { root.__VnbaTriggered.clear(); }
  void add(size_t edge) { root_.__VnbaTriggered.at(edge) = true; }
  void happen() { Vcpe_tile_top___024root___eval_nba(&root_); }

 private:
  Root& root_;
};

// The numbers that Verilator has given to the edges.
struct EdgeNumbers {
  explicit EdgeNumbers(Root& root) {
    auto& cpe = *root.__PVT__cpe_tile_top__DOT__u_cpe;
    clock = find(root, root.cpe_tile_top__DOT__clk);
    inputs = find(root, root.cpe_tile_top__DOT__in_clk);
    systolic = find(root, cpe.u_systolic__DOT__u_gate__DOT__clk);
    to_systolic = find(root, cpe.u_systolic__DOT__u_gate__DOT__copy);
    vector = find(root, cpe.u_vector__DOT__u_gate__DOT__clk);
    to_vector = find(root, cpe.u_vector__DOT__u_gate__DOT__copy);
  }

  size_t clock, inputs, systolic, to_systolic, vector, to_vector;

 private:
  static size_t find(Root& root, CData& signal) {
    signal = 1;
    Vcpe_tile_top___024root___eval_triggers__act(&root);
    size_t number = 0;
    while (!root.__VactTriggered.at(number)) ++number;
    signal = 0;
    Vcpe_tile_top___024root___eval_triggers__act(&root);
    return number;
  }
};

// The doors of the arithmetic units (cpe_unit_gate.sv): what comes in is copied until nothing differs.
void settle(Root& root, const EdgeNumbers& numbers) {
  auto& cpe = *root.__PVT__cpe_tile_top__DOT__u_cpe;
  while ((cpe.u_systolic__DOT__u_gate__DOT__differs | cpe.u_vector__DOT__u_gate__DOT__differs) != 0) {
    Edges edges(root);
    if (cpe.u_systolic__DOT__u_gate__DOT__differs != 0) edges.add(numbers.to_systolic);
    if (cpe.u_vector__DOT__u_gate__DOT__differs != 0) edges.add(numbers.to_vector);
    edges.happen();
  }
}

}  // namespace

extern "C" {

void* swai_cpe_new() {
  auto model = std::make_unique<Vcpe_tile_top>(Verilated::threadContextp(), "cpe");
  // In reset, before the first edges: also where state begins at random.
  auto& inner = *model->__PVT__cpe_tile_top__DOT__u_cpe;
  for (CData* clock : {&model->rootp->cpe_tile_top__DOT__clk, &model->rootp->cpe_tile_top__DOT__in_clk,
                       &inner.u_systolic__DOT__u_gate__DOT__clk, &inner.u_systolic__DOT__u_gate__DOT__copy,
                       &inner.u_vector__DOT__u_gate__DOT__clk, &inner.u_vector__DOT__u_gate__DOT__copy}) {
    *clock = 0;
  }
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
  Root& root = *top.rootp;
  static const EdgeNumbers numbers(root);
  // Whatever is wide comes with a valid bit; it may be another one in the next cycle.
  if (top.in_i != in || top.boot_pc_i != boot_pc || (in & kWithData) != 0) {
    top.in_i = in;
    top.boot_pc_i = boot_pc;
    Edges edges(root);
    edges.add(numbers.inputs);
    edges.happen();
    settle(root, numbers);
  }
  auto& inner = *root.__PVT__cpe_tile_top__DOT__u_cpe;
  Edges edges(root);
  edges.add(numbers.clock);
  if (inner.u_systolic__DOT__u_gate__DOT__needed != 0) edges.add(numbers.systolic);
  if (inner.u_vector__DOT__u_gate__DOT__needed != 0) edges.add(numbers.vector);
  edges.happen();
  settle(root, numbers);
  *out = top.out_o;
  *code = uint64_t{top.pc_o} << 26 | top.fetch_line_o;
}

void swai_cpe_fault(void* cpe, svBitVecVal* fault) { get(fault, tile(cpe).fault_o); }
void swai_cpe_mem(void* cpe, svBitVecVal* mem) { get(mem, tile(cpe).mem_o); }
void swai_cpe_row_out(void* cpe, svBitVecVal* data) { get(data, tile(cpe).row_data_o); }
void swai_cpe_column_out(void* cpe, svBitVecVal* data) { get(data, tile(cpe).column_data_o); }
void swai_cpe_access_out(void* cpe, uint64_t* data) { *data = tile(cpe).access_rdata_o; }

}  // extern "C"
