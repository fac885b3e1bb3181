// A column of the systolic array: the sum of 8 products of signed bytes, with the next edge.
module cpe_systolic_column (
  input  logic               clk_i,
  input  logic               en_i,
  input  logic [63:0]        row_i,
  input  logic [63:0]        weights_i,
  output logic signed [18:0] sum_o
);

  logic signed [31:0] sum;

  always_comb begin
    sum = '0;
    if (en_i) begin
      for (int unsigned k = 0; k < 8; k++) sum = sum + 32'($signed(row_i[8*k +: 8])) * 32'($signed(weights_i[8*k +: 8]));
    end
  end

  always_ff @(posedge clk_i) begin
    if (en_i) sum_o <= sum[18:0];
  end

endmodule
