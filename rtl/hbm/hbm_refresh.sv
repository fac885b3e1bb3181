// SPDX-License-Identifier: Apache-2.0
// Which bank of a pseudo-channel is refreshed next, and when.
//
// Every due_i (sixteen in a tREFI) is one refresh to do. They go in rounds in which each bank has its turn once, in whatever
// order suits the traffic: as long as fewer than Postpone are due only banks that nothing waits for are taken, then any.
// A bank that was chosen is locked: no more rows are opened in it and no more lines moved, until it is refreshed.
// So a bank is refreshed once per tREFI on average, and two refreshes of a bank are never further apart than two rounds and
// Postpone turns.
module hbm_refresh #(
  parameter int unsigned Postpone = 8
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        due_i,
  input  logic        plan_i,       // a choice may be made
  input  logic        restart_i,    // the memory has refreshed itself: nothing is owed
  output logic        ask_o,        // used_i is looked at in this cycle
  input  logic [15:0] used_i,       // banks that something waits for
  output logic        lock_o,
  output logic [3:0]  bank_o,
  input  logic        refreshed_i   // that bank
);

  logic [4:0]  owed_q;
  logic [15:0] done_q, done_d, free, choice;
  logic        lock_q;
  logic [3:0]  bank_q;
  logic        forced;

  assign ask_o  = plan_i && owed_q != '0 && !lock_q;
  assign lock_o = lock_q;
  assign bank_o = bank_q;
  assign forced = owed_q >= 5'(Postpone);

  always_comb begin
    free   = '0;
    choice = '0;
    if (ask_o) begin
      free   = ~(done_q | used_i);
      choice = free != '0 ? free : forced ? ~done_q : '0;
      choice = choice & (~choice + 16'd1);
    end
  end

  always_comb begin
    done_d = done_q | (16'd1 << bank_q);
    if (&done_d) done_d = '0;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      owed_q <= '0;
      done_q <= '0;
      lock_q <= 1'b0;
    end else begin
      if (due_i && !refreshed_i) owed_q <= owed_q + 1'b1;
      if (refreshed_i && !due_i) owed_q <= owed_q - 1'b1;
      if (restart_i) owed_q <= '0;
      if (refreshed_i) begin
        done_q <= done_d;
        lock_q <= 1'b0;
      end else if (choice != '0) begin
        lock_q <= 1'b1;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (choice != '0) bank_q <= 4'(hbm_pkg::index_of({48'b0, choice}));
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assert (!(refreshed_i && !lock_q)) else $error("a bank was refreshed that was not chosen");
      assert (!(restart_i && (lock_q || due_i))) else $error("self-refresh and refresh at once");
      assert (owed_q < 5'd16) else $error("a bank was kept from its refresh");
    end
  end
`endif

endmodule
