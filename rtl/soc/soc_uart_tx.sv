// SPDX-License-Identifier: Apache-2.0
// Serial transmitter: 8 data bits, no parity, one stop bit, `clocks_i` card clocks per bit (at least 2).
//
// Bytes follow each other without a gap. `busy_o` is high while a byte is on the wire.
module soc_uart_tx (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic [15:0] clocks_i,
  input  logic        valid_i,
  output logic        ready_o,
  input  logic [7:0]  data_i,
  output logic        tx_o,
  output logic        busy_o
);

  logic [9:0]  frame_q;  // the lowest bit is on the wire
  logic [3:0]  bits_q;   // bits of the frame that are not over
  logic [15:0] wait_q;   // clocks of this bit after this one
  logic        bit_over;

  assign bit_over = wait_q == '0;
  assign ready_o  = bits_q == '0 || (bits_q == 4'd1 && bit_over);
  assign tx_o     = frame_q[0];
  assign busy_o   = bits_q != '0;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      frame_q <= '1;
      bits_q  <= '0;
      wait_q  <= '0;
    end else if (valid_i && ready_o) begin
      frame_q <= {1'b1, data_i, 1'b0};
      bits_q  <= 4'd10;
      wait_q  <= clocks_i - 16'd1;
    end else if (busy_o) begin
      if (bit_over) begin
        frame_q <= {1'b1, frame_q[9:1]};
        bits_q  <= bits_q - 4'd1;
        wait_q  <= clocks_i - 16'd1;
      end else begin
        wait_q <= wait_q - 16'd1;
      end
    end
  end

endmodule
