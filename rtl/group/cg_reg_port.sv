// SPDX-License-Identifier: Apache-2.0
// From the ring to the register bus of the group's devices, one access at a time.
//
// Passes on reads and writes of 1, 2, 4 or 8 naturally aligned bytes inside a 64-bit word. Answers StatusDenied to all others,
// to reads of a set of groups and to what the device refuses; StatusNobody where this group has no registers. A write without
// strobes is answered and does nothing.
// Latency: a device that answers at once is heard two cycles after the request was taken.
module cg_reg_port (
  input  logic              clk_i,
  input  logic              rst_ni,
  input  logic [1:0]        group_i,

  input  logic              req_valid_i,
  output logic              req_ready_o,
  input  noc_pkg::req_t     req_i,
  output logic              rsp_valid_o,
  input  logic              rsp_ready_i,
  output logic [2:0]        rsp_dest_o,
  output logic [7:0]        rsp_tag_o,
  output logic [1:0]        rsp_status_o,
  output logic [63:0]       rsp_data_o,    // for all lanes

  output reg_pkg::reg_req_t reg_req_o,     // addresses are offsets in the group's registers
  input  reg_pkg::reg_rsp_t reg_rsp_i
);

  typedef enum logic [1:0] {
    Idle,
    Access,
    Answer
  } state_e;

  state_e      state_q;
  logic        write_q;
  logic [23:0] addr_q;
  logic [63:0] data_q;
  logic [7:0]  strb_q;
  logic [2:0]  dest_q;
  logic [7:0]  tag_q;
  logic [1:0]  status_q;

  logic        take, own, set, is_read, is_write, nothing, several, whole;
  logic [7:0]  words, strb;
  logic [2:0]  word, first_byte;

  assign req_ready_o = state_q == Idle;
  assign take        = req_valid_i && req_ready_o;

  always_comb begin
    own        = 1'b0;
    set        = 1'b0;
    is_read    = 1'b0;
    is_write   = 1'b0;
    words      = '0;
    word       = '0;
    strb       = '0;
    several    = 1'b0;
    nothing    = 1'b0;
    whole      = 1'b0;
    first_byte = '0;
    if (take) begin
      own      = req_i.addr[39:24] == {8'h11, 6'b0, group_i};
      set      = req_i.addr[39:28] == 12'h120 && req_i.addr[6'd24 + 6'(group_i)];
      is_read  = req_i.op == mbus_pkg::OpRead;
      is_write = req_i.op == mbus_pkg::OpWrite;
      for (int unsigned i = 0; i < 8; i++) words[i] = |req_i.strb[8*i +: 8];
      word = req_i.addr[5:3];
      if (is_write) begin
        for (int unsigned i = 0; i < 8; i++) begin
          if (words[i]) word = 3'(i);
        end
        strb    = req_i.strb[8*word +: 8];
        several = (words & (words - 1'b1)) != '0;
        nothing = words == '0;
      end else begin
        unique case (req_i.size)
          3'd0:    strb = 8'h01 << req_i.addr[2:0];
          3'd1:    strb = 8'h03 << req_i.addr[2:0];
          3'd2:    strb = 8'h0f << req_i.addr[2:0];
          3'd3:    strb = req_i.addr[2:0] == '0 ? 8'hff : 8'h00;
          default: strb = 8'h00;
        endcase
      end
      whole = 1'b1;
      unique case (strb)
        8'h01, 8'h03, 8'h0f, 8'hff: first_byte = 3'd0;
        8'h02:                      first_byte = 3'd1;
        8'h04, 8'h0c:               first_byte = 3'd2;
        8'h08:                      first_byte = 3'd3;
        8'h10, 8'h30, 8'hf0:        first_byte = 3'd4;
        8'h20:                      first_byte = 3'd5;
        8'h40, 8'hc0:               first_byte = 3'd6;
        8'h80:                      first_byte = 3'd7;
        default:                    whole = 1'b0;
      endcase
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q <= Idle;
    end else begin
      unique case (state_q)
        Idle: begin
          if (take) begin
            state_q <= Answer;
            if ((own && is_read && whole) || ((own || set) && is_write && whole && !several)) state_q <= Access;
          end
        end
        Access:  if (reg_rsp_i.ready) state_q <= Answer;
        default: if (rsp_ready_i) state_q <= Idle;
      endcase
    end
  end

  always_ff @(posedge clk_i) begin
    if (take) begin
      write_q <= is_write;
      addr_q  <= {req_i.addr[23:6], word, first_byte};
      data_q  <= req_i.data[64*word +: 64];
      strb_q  <= strb;
      dest_q  <= req_i.source;
      tag_q   <= req_i.tag;
      // Of what is answered without asking the device.
      if (!own && !set) status_q <= noc_pkg::StatusNobody;
      else if (is_write && nothing) status_q <= noc_pkg::StatusOk;
      else status_q <= noc_pkg::StatusDenied;
    end else if (state_q == Access && reg_rsp_i.ready) begin
      status_q <= reg_rsp_i.err ? noc_pkg::StatusDenied : noc_pkg::StatusOk;
      data_q   <= reg_rsp_i.rdata;
    end
  end

  always_comb begin
    reg_req_o.valid = state_q == Access;
    reg_req_o.write = write_q;
    reg_req_o.addr  = {8'b0, addr_q};
    reg_req_o.wdata = data_q;
    reg_req_o.wstrb = strb_q;
  end

  assign rsp_valid_o  = state_q == Answer;
  assign rsp_dest_o   = dest_q;
  assign rsp_tag_o    = tag_q;
  assign rsp_status_o = status_q;
  assign rsp_data_o   = data_q;

endmodule
