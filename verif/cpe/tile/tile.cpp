#include "verif/cpe/tile/tile.hpp"

#include <verilated.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>

#include "Vcpe_tile_top.h"
#include "Vcpe_tile_top__Syms.h"
#include "Vcpe_tile_top___024root.h"

// Verilator's, not in its headers.
using Root = Vcpe_tile_top___024root;
void Vcpe_tile_top___024root___eval_triggers__act(Root* root);
void Vcpe_tile_top___024root___eval_nba(Root* root);
static_assert(sizeof(Root::__VnbaTriggered) == sizeof(uint64_t));  // bits, as verilated_triggers.hpp has them

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

// The doors in a CPE (cpe_unit_gate.sv, cpe_movers_gate.sv beside this).
struct Door {
  CData& needed;
  CData& differs;
  CData& clk;
};

constexpr size_t kDoors = 4;

template <typename Cpe>
std::array<Door, kDoors> doors_of(Cpe& cpe) {
  return {{{cpe.u_core_gate__DOT__needed, cpe.u_core_gate__DOT__differs, cpe.u_core_gate__DOT__clk},
           {cpe.u_movers__DOT__u_gate__DOT__needed, cpe.u_movers__DOT__u_gate__DOT__differs,
            cpe.u_movers__DOT__u_gate__DOT__clk},
           {cpe.u_systolic__DOT__u_gate__DOT__needed, cpe.u_systolic__DOT__u_gate__DOT__differs,
            cpe.u_systolic__DOT__u_gate__DOT__clk},
           {cpe.u_vector__DOT__u_gate__DOT__needed, cpe.u_vector__DOT__u_gate__DOT__differs,
            cpe.u_vector__DOT__u_gate__DOT__clk}}};
}

// The numbers that Verilator has given to the edges.
struct EdgeNumbers {
  explicit EdgeNumbers(Root& root) {
    clock = find(root, root.cpe_tile_top__DOT__clk);
    copy = find(root, root.cpe_tile_top__DOT__copy);
    const auto doors = doors_of(*root.__PVT__cpe_tile_top__DOT__u_cpe);
    for (size_t i = 0; i < kDoors; ++i) {
      through.at(i) = find(root, doors.at(i).clk);
    }
  }

  size_t clock, copy;
  std::array<size_t, kDoors> through;

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

void happen(Root& root, size_t edge) {
  Edges edges(root);
  edges.add(edge);
  edges.happen();
}

// What comes in through the doors is copied until nothing differs; also when nothing does, if it is said.
void settle(Root& root, const EdgeNumbers& numbers, bool data) {
  const auto doors = doors_of(*root.__PVT__cpe_tile_top__DOT__u_cpe);
  while (data || (doors[0].differs | doors[1].differs | doors[2].differs | doors[3].differs) != 0) {
    happen(root, numbers.copy);
    data = false;
  }
}

}  // namespace

extern "C" {

void* swai_cpe_new() {
  auto model = std::make_unique<Vcpe_tile_top>(Verilated::threadContextp(), "cpe");
  // In reset, before the first edges: also where state begins at random.
  model->rootp->cpe_tile_top__DOT__clk = 0;
  model->rootp->cpe_tile_top__DOT__copy = 0;
  for (const Door& door : doors_of(*model->__PVT__cpe_tile_top__DOT__u_cpe)) door.clk = 0;
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

uint64_t swai_cpe_step(void* cpe, uint64_t in, uint32_t boot_pc) {
  Vcpe_tile_top& top = tile(cpe);
  Root& root = *top.rootp;
  static const EdgeNumbers numbers(root);
  const auto doors = doors_of(*root.__PVT__cpe_tile_top__DOT__u_cpe);
  // Whatever is wide comes with a valid bit; it may be another one in the next cycle.
  if (top.in_i != in || top.boot_pc_i != boot_pc || (in & kWithData) != 0) {
    top.in_i = in;
    top.boot_pc_i = boot_pc;
    happen(root, numbers.copy);
    settle(root, numbers, (in & kWithData) != 0 && doors[1].needed != 0);
  }
  Edges edges(root);
  edges.add(numbers.clock);
  for (size_t i = 0; i < kDoors; ++i) {
    if (doors[i].needed != 0) edges.add(numbers.through[i]);
  }
  edges.happen();
  settle(root, numbers, false);
  return top.out_o | top.channels_o | top.asleep_o;
}

uint32_t swai_cpe_pc(void* cpe) { return tile(cpe).pc_o; }
uint32_t swai_cpe_fetch_line(void* cpe) { return tile(cpe).fetch_line_o; }
void swai_cpe_fault(void* cpe, svBitVecVal* fault) { get(fault, tile(cpe).fault_o); }
void swai_cpe_mem(void* cpe, svBitVecVal* mem) { get(mem, tile(cpe).mem_o); }
void swai_cpe_row_out(void* cpe, svBitVecVal* data) { get(data, tile(cpe).row_data_o); }
void swai_cpe_column_out(void* cpe, svBitVecVal* data) { get(data, tile(cpe).column_data_o); }
void swai_cpe_access_out(void* cpe, uint64_t* data) { *data = tile(cpe).access_rdata_o; }

}  // extern "C"
