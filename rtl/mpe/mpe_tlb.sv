// SPDX-License-Identifier: Apache-2.0
// Fully associative look-aside buffer for Sv39.
//
// Look-up is combinational. An entry that does not allow the access counts as a miss: the walker then decides, from
// memory, whether it is a fault; so entries never have to be invalidated when a page gains rights.
// A fill replaces an entry of the same page if there is one, so that never two entries match.
module mpe_tlb #(
    parameter int unsigned Entries = 8
) (
    input  logic                    clk_i,
    input  logic                    rst_ni,
    input  logic                    flush_i,

    input  logic                    lookup_i,     // the outputs matter this cycle
    input  logic [26:0]             vpn_i,
    input  mpe_pkg::access_e        access_i,
    input  mpe_pkg::xlate_ctx_t     ctx_i,
    output logic                    hit_o,
    output logic [27:0]             ppn_o,
    output logic                    bad_o,        // translated, but an access fault
    output logic                    uncached_o,

    input  logic                    fill_i,
    input  logic [26:0]             fill_vpn_i,
    input  mpe_pkg::tlb_entry_t     fill_entry_i
);

  localparam int unsigned IndexBits = $clog2(Entries);

  logic [Entries-1:0]   valid_q;
  logic [26:0]          vpn_q   [Entries];
  mpe_pkg::tlb_entry_t           entry_q [Entries];
  logic [IndexBits-1:0] next_q;

  // Mask of the page-number bits that are part of the offset at a level.
  function automatic logic [17:0] offset_mask(logic [1:0] level);
    offset_mask = {{9{level[1]}}, {9{|level}}};
  endfunction

  mpe_pkg::tlb_entry_t entry;
  always_comb begin
    hit_o      = 1'b0;
    ppn_o      = '0;
    bad_o      = 1'b0;
    uncached_o = 1'b0;
    entry      = '0;
    if (lookup_i) begin
      for (int i = 0; i < Entries; i++) begin
        entry = entry_q[i];
        if (valid_q[i] && ((vpn_q[i] ^ vpn_i) & ~{9'b0, offset_mask(entry.level)}) == '0 &&
            mpe_pkg::access_ok(entry.r, entry.w, entry.x, entry.u, entry.d, access_i, ctx_i)) begin
          hit_o      = 1'b1;
          ppn_o      = entry.ppn | {10'b0, vpn_i[17:0] & offset_mask(entry.level)};
          bad_o      = entry.bad;
          uncached_o = entry.uncached;
        end
      end
    end
  end

  logic [Entries-1:0] fill_replaces;
  mpe_pkg::tlb_entry_t         held;
  always_comb begin
    fill_replaces = '0;
    held          = '0;
    if (fill_i) begin
      for (int i = 0; i < Entries; i++) begin
        held = entry_q[i];
        fill_replaces[i] = ((vpn_q[i] ^ fill_vpn_i) &
                            ~{9'b0, offset_mask(held.level) | offset_mask(fill_entry_i.level)}) == '0;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      valid_q <= '0;
      next_q  <= '0;
    end else if (flush_i) begin
      valid_q <= '0;
    end else if (fill_i) begin
      for (int i = 0; i < Entries; i++) begin
        if (fill_replaces[i]) valid_q[i] <= 1'b0;
      end
      valid_q[next_q] <= 1'b1;
      next_q          <= next_q + 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (fill_i) begin
      vpn_q[next_q]   <= fill_vpn_i;
      entry_q[next_q] <= fill_entry_i;
    end
  end

endmodule
