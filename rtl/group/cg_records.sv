// SPDX-License-Identifier: Apache-2.0
// The fault records of a group's CPEs, one for each: the first fault since the record before was cleared.
//
// Whoever has one to take waits (waiting_o); one CPE a cycle is served, the lowest first: its own record for a fault, else
// (stop_i) that it was stopped, once it stands still or is in reset. Who has both comes twice. A CPE must keep its record until
// then.
module cg_records #(
  parameter int unsigned N = 4
) (
  input  logic                             clk_i,
  input  logic                             rst_ni,
  input  logic [N-1:0]                     fault_i,       // pulses
  input  logic [N-1:0]                     stop_i,        // pulses
  input  logic                             watchdog_i,    // why: by the watchdog, else by request
  input  logic [N-1:0]                     still_i,
  output logic                             take_o,
  output logic [4:0]                       cpe_o,
  input  cpe_pkg::fault_t                  record_i,      // of that CPE, in the same cycle
  input  logic [31:0]                      pc_i,
  output logic [N-1:0]                     waiting_o,

  input  logic [N-1:0]                     clear_i,
  output logic [N-1:0]                     pending_o,
  input  logic                             read_i,
  input  logic [4:0]                       index_i,
  output cpe_pkg::fault_t                  read_o,        // 0: there was none since reset
  output logic                             event_o,       // a fault, recorded or not
  output logic                             busy_o
);

  logic [cpe_pkg::FaultWidth-1:0] record_q [N];
  logic [N-1:0] fault_q, stop_q, watchdog_q, pending_q, seen_q;
  logic [N-1:0] ready, chosen;
  logic         take;

  assign ready  = fault_q | (stop_q & still_i);
  assign chosen = ready & ~(ready - 1'b1);
  assign take   = ready != '0;
  assign take_o = take;
  assign cpe_o  = 5'(hbm_pkg::index_of(64'(chosen)));

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      fault_q    <= '0;
      stop_q     <= '0;
      watchdog_q <= '0;
      pending_q  <= '0;
      seen_q     <= '0;
    end else begin
      fault_q    <= (fault_q & ~chosen) | fault_i;
      stop_q     <= (stop_q & ~(chosen & ~fault_q)) | stop_i;
      watchdog_q <= watchdog_i ? watchdog_q | stop_i : watchdog_q & ~stop_i;
      pending_q  <= (pending_q & ~clear_i) | chosen;
      seen_q     <= seen_q | chosen;
    end
  end

  cpe_pkg::fault_t record;
  logic            keep;
  always_comb begin
    record = '0;
    keep   = 1'b0;
    if (take) begin
      keep = (chosen & (~pending_q | clear_i)) != '0;
      if ((chosen & fault_q) != '0) begin
        record = record_i;
      end else begin
        record.cause   = (chosen & watchdog_q) != '0 ? cpe_isa_pkg::CauseWatchdog : cpe_isa_pkg::CauseKilled;
        record.pc      = pc_i;
        record.segment = cpe_isa_pkg::NoSegment;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (take && keep) begin
      for (int unsigned i = 0; i < N; i++) begin
        if (chosen[i]) record_q[i] <= record;
      end
    end
  end

  always_comb begin
    read_o = '0;
    if (read_i) begin
      for (int unsigned i = 0; i < N; i++) begin
        if (index_i == 5'(i) && seen_q[i]) read_o = record_q[i];
      end
    end
  end

  assign waiting_o = fault_q | stop_q;
  assign pending_o = pending_q;
  assign event_o   = take;
  assign busy_o    = waiting_o != '0;

endmodule
