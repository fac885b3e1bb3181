// SPDX-License-Identifier: Apache-2.0
// Serial receiver: 8 data bits, no parity, one stop bit, `clocks_i` card clocks per bit (at least 4).
//
// Bits are sampled in their middle, counted from the falling edge of the start bit; a start bit that is over
// by its middle was noise. A byte leaves as a pulse of `valid_o`. Without its stop bit it leaves as a pulse
// of `broken_o` instead, and the receiver waits for the line to be high again. `busy_o` is high while a byte
// comes.
module soc_uart_rx (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic [15:0] clocks_i,
  input  logic        rx_i,
  output logic        valid_o,
  output logic        broken_o,
  output logic [7:0]  data_o,
  output logic        busy_o
);

  typedef enum logic [1:0] {
    Idle,
    Receive,
    Broken
  } state_e;

  state_e      state_q;
  logic [7:0]  data_q;
  logic [3:0]  bits_q;  // bits sampled so far, the start bit included
  logic [15:0] wait_q;  // clocks until the next sample
  logic        rx, sample;

  sync_2ff #(
    .ResetValue (1'b1)
  ) u_sync (
    .clk_i,
    .rst_ni,
    .async_i (rx_i),
    .sync_o  (rx)
  );

  assign sample   = state_q == Receive && wait_q == '0;
  assign valid_o  = sample && bits_q == 4'd9 && rx;
  assign broken_o = sample && bits_q == 4'd9 && !rx;
  assign data_o   = data_q;
  assign busy_o   = state_q != Idle || !rx;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q <= Idle;
      data_q  <= '0;
      bits_q  <= '0;
      wait_q  <= '0;
    end else begin
      unique case (state_q)
        Idle: begin
          bits_q <= '0;
          wait_q <= {1'b0, clocks_i[15:1]} - 16'd1;
          if (!rx) state_q <= Receive;
        end
        Receive: begin
          if (!sample) begin
            wait_q <= wait_q - 16'd1;
          end else begin
            wait_q <= clocks_i - 16'd1;
            bits_q <= bits_q + 4'd1;
            if (bits_q == '0) begin
              if (rx) state_q <= Idle;
            end else if (bits_q == 4'd9) begin
              state_q <= rx ? Idle : Broken;
            end else begin
              data_q <= {rx, data_q[7:1]};
            end
          end
        end
        Broken:  if (rx) state_q <= Idle;
        default: state_q <= Idle;
      endcase
    end
  end

endmodule
