// A group of 8 elements as fp32: takes them from their word, converts them, then magnitude, then negation.
// Combinational.
module cpe_vector_view (
  input  logic                  valid_i,   // else the outcome means nothing
  input  cpe_vector_pkg::view_t view_i,
  input  logic [255:0]          word_i,
  input  logic [4:0]            byte_i,    // of the group, or the scalar
  output logic [255:0]          group_o
);

  logic [255:0] raw, wide;
  logic [31:0]  scalar;
  logic [15:0]  half;
  logic [7:0]   octet;

  // Elements at the lower end of 32 bits each.
  always_comb begin
    raw    = '0;
    scalar = '0;
    half   = '0;
    octet  = '0;
    if (valid_i && view_i.used) begin
      if (view_i.scalar) begin
        case (byte_i[4:2])
          3'd0:    scalar = word_i[0 +: 32];
          3'd1:    scalar = word_i[32 +: 32];
          3'd2:    scalar = word_i[64 +: 32];
          3'd3:    scalar = word_i[96 +: 32];
          3'd4:    scalar = word_i[128 +: 32];
          3'd5:    scalar = word_i[160 +: 32];
          3'd6:    scalar = word_i[192 +: 32];
          default: scalar = word_i[224 +: 32];
        endcase
        scalar = scalar >> {byte_i[1:0], 3'd0};  // lies in one of the 32 bits
        raw    = {8{scalar}};
      end else begin
        case (view_i.number)
          cpe_pkg::NumberFp16: begin
            for (int unsigned i = 0; i < 8; i++) begin
              half = byte_i[4] ? word_i[128 + 16*i +: 16] : word_i[16*i +: 16];
              raw[32*i +: 32] = {16'd0, half};
            end
          end
          cpe_pkg::NumberInt8: begin
            for (int unsigned i = 0; i < 8; i++) begin
              case (byte_i[4:3])
                2'd0:    octet = word_i[8*i +: 8];
                2'd1:    octet = word_i[64 + 8*i +: 8];
                2'd2:    octet = word_i[128 + 8*i +: 8];
                default: octet = word_i[192 + 8*i +: 8];
              endcase
              raw[32*i +: 32] = {24'd0, octet};
            end
          end
          default: raw = word_i;
        endcase
      end
    end
  end

  for (genvar i = 0; i < 8; i++) begin : g_lane
    cpe_vector_load u_load (
      .en_i(valid_i && view_i.used),
      .number_i(view_i.number),
      .raw_i(raw[32*i +: 32]),
      .y_o(wide[32*i +: 32])
    );
  end

  always_comb begin
    group_o = '0;
    if (valid_i) begin
      group_o = {8{view_i.constant}};
      if (view_i.used) begin
        group_o = wide;
        if (view_i.magnitude) group_o = group_o & ~{8{32'h8000_0000}};
        if (view_i.negate) group_o = group_o ^ {8{32'h8000_0000}};
      end
    end
  end

endmodule
