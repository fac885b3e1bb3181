// SPDX-License-Identifier: Apache-2.0
// Sv39 page-table walker, shared by the two look-aside buffers. Reads page-table entries through the data cache.
//
// A request (operands held until its done) ends with done and either no fault (entry_o is to be put into the buffer that
// asked) or one of the two faults. Data goes before fetch. flush_i (the tables changed) restarts a walk in progress.
// Accessed and dirty bits are not written: a page that lacks them faults. No instruction is fetched from a page whose type is IO.
module mpe_walker (
    input  logic                    clk_i,
    input  logic                    rst_ni,
    input  logic                    flush_i,
    input  logic [43:0]             root_ppn_i,
    input  logic                    pbmt_enable_i,

    input  logic                    fetch_walk_i,
    input  logic [26:0]             fetch_vpn_i,
    input  mpe_pkg::xlate_ctx_t     fetch_ctx_i,
    output logic                    fetch_done_o,
    input  logic                    data_walk_i,
    input  logic [26:0]             data_vpn_i,
    input  mpe_pkg::access_e        data_access_i,
    input  mpe_pkg::xlate_ctx_t     data_ctx_i,
    output logic                    data_done_o,
    output logic                    page_fault_o,
    output logic                    access_fault_o,
    output mpe_pkg::tlb_entry_t     entry_o,

    output logic                    read_o,         // held until read_done_i
    output logic [39:0]             read_addr_o,
    input  logic                    read_done_i,
    input  logic                    read_fault_i,
    input  logic [63:0]             read_data_i
);

  typedef enum logic [1:0] {
    StIdle,
    StRead,
    StCheck,
    StDrain   // the answer to a read of an abandoned walk is still to come
  } state_e;

  state_e       state_q;
  logic [1:0]   level_q;
  logic [27:0]  table_q;
  logic [63:0]  pte_q;
  logic         read_fault_q;

  logic         for_data_q;
  logic [26:0]  vpn;
  mpe_pkg::access_e      access;
  mpe_pkg::xlate_ctx_t   ctx;
  assign vpn    = for_data_q ? data_vpn_i : fetch_vpn_i;
  assign access = for_data_q ? data_access_i : mpe_pkg::AccFetch;
  assign ctx    = for_data_q ? data_ctx_i : fetch_ctx_i;

  logic [8:0] index;
  always_comb begin
    unique case (level_q)
      2'd2:    index = vpn[26:18];
      2'd1:    index = vpn[17:9];
      default: index = vpn[8:0];
    endcase
  end

  assign read_o      = state_q == StRead || state_q == StDrain;
  assign read_addr_o = {table_q, index, 3'b0};

  logic pte_v, pte_r, pte_w, pte_x, pte_u, pte_a, pte_d;
  assign {pte_d, pte_a} = pte_q[7:6];
  assign {pte_u, pte_x, pte_w, pte_r, pte_v} = pte_q[4:0];

  logic unused_pte;  // global bit and the two that belong to software
  assign unused_pte = ^{pte_q[9:8], pte_q[5]};

  logic leaf, beyond, io_type, reserved, misaligned, bad_pointer;
  assign leaf        = pte_r || pte_x;
  assign beyond      = pte_q[53:38] != '0;
  assign io_type     = pte_q[62];
  assign reserved    = !pte_v || (pte_w && !pte_r) || pte_q[63] || pte_q[60:54] != '0 || pte_q[62:61] == 2'b11 ||
                       (pte_q[62:61] != '0 && !pbmt_enable_i);
  assign misaligned  = (level_q == 2'd2 && pte_q[27:10] != '0) || (level_q == 2'd1 && pte_q[18:10] != '0);
  assign bad_pointer = pte_d || pte_a || pte_u || pte_q[62:61] != '0 || level_q == '0;

  always_comb begin
    entry_o.bad      = beyond || (access == mpe_pkg::AccFetch && io_type);
    entry_o.uncached = pte_q[62:61] != '0;
    entry_o.d        = pte_d;
    entry_o.u        = pte_u;
    entry_o.x        = pte_x;
    entry_o.w        = pte_w;
    entry_o.r        = pte_r;
    entry_o.level    = level_q;
    entry_o.ppn      = pte_q[37:10];
  end

  logic leaf_fault;
  assign leaf_fault = misaligned || !pte_a ||
                      !mpe_pkg::access_ok(pte_r, pte_w, pte_x, pte_u, pte_d, access, ctx);

  logic descend, done;
  assign fetch_done_o = done && !for_data_q;
  assign data_done_o  = done && for_data_q;

  always_comb begin
    done           = 1'b0;
    page_fault_o   = 1'b0;
    access_fault_o = 1'b0;
    descend        = 1'b0;
    if (state_q == StCheck && !flush_i) begin
      if (read_fault_q || root_ppn_i[43:28] != '0) access_fault_o = 1'b1;
      else if (reserved) page_fault_o = 1'b1;
      else if (leaf) page_fault_o = leaf_fault;
      else if (bad_pointer) page_fault_o = 1'b1;
      else if (beyond) access_fault_o = 1'b1;
      else descend = 1'b1;
      done = !descend;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q <= StIdle;
    end else begin
      unique case (state_q)
        StIdle:  if ((data_walk_i || fetch_walk_i) && !flush_i) state_q <= StRead;
        StRead: begin
          if (read_done_i) state_q <= flush_i ? StIdle : StCheck;
          else if (flush_i) state_q <= StDrain;
        end
        StCheck: state_q <= descend ? StRead : StIdle;
        default: if (read_done_i) state_q <= StIdle;
      endcase
    end
  end

  always_ff @(posedge clk_i) begin
    if (state_q == StIdle) begin
      level_q    <= 2'd2;
      table_q    <= root_ppn_i[27:0];
      for_data_q <= data_walk_i;
    end else if (descend) begin
      level_q <= level_q - 1'b1;
      table_q <= pte_q[37:10];
    end
    if (read_done_i) begin
      pte_q        <= read_data_i;
      read_fault_q <= read_fault_i;
    end
  end

endmodule
