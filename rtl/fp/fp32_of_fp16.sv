// SPDX-License-Identifier: Apache-2.0
// An fp16 number as fp32, exactly; every NaN becomes 0x7fc00000. Combinational.
module fp32_of_fp16 (
  input  logic [15:0] h_i,
  output logic [31:0] y_o
);

  logic [3:0]  zeros;    // of a subnormal number's ten bits
  logic [9:0]  normal;

  always_comb begin
    zeros  = '0;
    normal = h_i[9:0];
    y_o    = {h_i[15], {3'b0, h_i[14:10]} + 8'd112, h_i[9:0], 13'b0};
    if (h_i[14:10] == '1) begin
      y_o = h_i[9:0] != '0 ? 32'h7fc0_0000 : {h_i[15], 31'h7f80_0000};
    end else if (h_i[14:10] == '0) begin
      zeros[3] = normal[9:2] == '0;
      normal   = zeros[3] ? normal << 8 : normal;
      zeros[2] = normal[9:6] == '0;
      normal   = zeros[2] ? normal << 4 : normal;
      zeros[1] = normal[9:8] == '0;
      normal   = zeros[1] ? normal << 2 : normal;
      zeros[0] = !normal[9];
      normal   = zeros[0] ? normal << 1 : normal;
      // The one before the point counts the exponent up.
      y_o      = h_i[9:0] == '0 ? {h_i[15], 31'b0} : {h_i[15], 8'd111 - {4'b0, zeros}, 23'b0} + {8'b0, normal, 14'b0};
    end
  end

endmodule
