// SPDX-License-Identifier: Apache-2.0
// Reset of one part of the card on request. A request first closes the part's door to the ring (`fence_o`), so that nothing
// is left under way between it and the rest when the reset strikes; where `drained_i` does not come within DrainClocks it
// strikes all the same. The reset then stays for HoldClocks cycles, in which every clock of the part has to run, and the door is
// open again with its end.
// `accepted_o` is high when a request counts: those during a reset and its preparation are echoes of it. `striking_o` is
// high in the last cycle before the reset takes effect.
module soc_domain #(
  parameter int unsigned HoldClocks  = 16,
  parameter int unsigned DrainClocks = 4096
) (
  input  logic       clk_i,
  input  logic       rst_ni,
  input  logic       request_i,
  input  logic       drained_i,
  output logic       accepted_o,
  output logic       fence_o,
  output logic       striking_o,
  output logic       rst_no,
  output logic [1:0] status_o    // a field of register pcie.reset_status
);

  localparam int unsigned CountWidth = $clog2((DrainClocks > HoldClocks ? DrainClocks : HoldClocks) + 1);

  typedef enum logic [1:0] {
    Run   = 2'd0,
    Drain = 2'd1,
    Hold  = 2'd2
  } state_e;

  state_e                state_q;
  logic [CountWidth-1:0] left_q;
  logic                  rst_q_n;

  assign accepted_o = state_q == Run && request_i;
  assign striking_o = state_q == Drain && (drained_i || left_q == '0);
  assign fence_o    = state_q != Run;
  assign status_o   = state_q;
  assign rst_no     = rst_q_n && rst_ni;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q <= Hold;
      left_q  <= CountWidth'(HoldClocks);
      rst_q_n <= 1'b0;
    end else begin
      unique case (state_q)
        Run: begin
          if (request_i) begin
            state_q <= Drain;
            left_q  <= CountWidth'(DrainClocks);
          end
        end
        Drain: begin
          left_q <= left_q - CountWidth'(1);
          if (striking_o) begin
            state_q <= Hold;
            left_q  <= CountWidth'(HoldClocks);
            rst_q_n <= 1'b0;
          end
        end
        default: begin  // Hold
          left_q <= left_q - CountWidth'(1);
          if (left_q == CountWidth'(1)) begin
            state_q <= Run;
            rst_q_n <= 1'b1;
          end
        end
      endcase
    end
  end

endmodule
