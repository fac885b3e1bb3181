// SPDX-License-Identifier: Apache-2.0
// Whose cycle it is at a local memory that serves one access at a time. cpe_ldm tells the rules; all its banks are one here.
//
// Cuts: nothing; ready of a port follows only from ports that go before it.
module cpe_ldm_arbiter_serial #(
  parameter int unsigned Engines = 4
) (
  input  logic               clk_i,
  input  logic               rst_ni,

  input  logic               line_we_i,
  input  logic               line_re_i,
  output logic               line_re_ready_o,
  input  logic               s_valid_i,
  output logic               s_ready_o,
  input  logic [Engines-1:0] e_valid_i,
  output logic [Engines-1:0] e_ready_o,
  input  logic               a_valid_i,
  output logic               a_ready_o,
  input  logic               clear_i,
  output logic               clearing_o,
  output logic [10:0]        clear_row_o,  // that is cleared, unless a line is written

  output logic               event_conflict_o
);

  logic               clearing_q, free, a_urgent, a_early;
  logic [10:0]        clear_row_q;
  logic [3:0]         a_age_q;
  logic [Engines-1:0] later_q;  // engines behind the one that went last: they are first now
  logic [Engines-1:0] sooner, engine;

  // The lowest bit of those that are first, else of all.
  assign sooner = e_valid_i & later_q;
  assign engine = sooner != '0 ? sooner & (~sooner + 1'b1) : e_valid_i & (~e_valid_i + 1'b1);

  assign a_urgent  = &a_age_q;
  assign free      = !line_we_i && !line_re_i && !clearing_q;
  assign a_early   = a_valid_i && a_urgent;

  assign line_re_ready_o = line_re_i && !line_we_i && !clearing_q;
  assign s_ready_o       = s_valid_i && free && !a_early;
  assign e_ready_o       = free && !a_early && !s_valid_i ? engine : '0;
  assign a_ready_o       = a_valid_i && free && (a_urgent || (!s_valid_i && e_valid_i == '0));

  assign event_conflict_o = (line_re_i && !line_re_ready_o) || (s_valid_i && !s_ready_o) || (e_valid_i & ~e_ready_o) != '0 ||
                            (a_valid_i && !a_ready_o);

  assign clearing_o  = clearing_q;
  assign clear_row_o = clear_row_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      later_q     <= '0;
      a_age_q     <= '0;
      clearing_q  <= 1'b0;
      clear_row_q <= '0;
    end else begin
      if (e_ready_o != '0) later_q <= ~(e_ready_o | (e_ready_o - 1'b1));
      if (a_valid_i) a_age_q <= a_ready_o ? '0 : a_age_q + 4'(!a_urgent);
      if (clear_i) begin
        clearing_q  <= 1'b1;
        clear_row_q <= '0;
      end else if (clearing_q && !line_we_i) begin
        clearing_q  <= clear_row_q != '1;
        clear_row_q <= clear_row_q + 11'd1;
      end
    end
  end

endmodule
