// SPDX-License-Identifier: Apache-2.0
// From the memory bus to the register bus of devices (see reg_pkg for its law).
//
// Cuts: requests, both ways (one is held in registers while the device works on it). The response passes from the device to
//   the master in the same cycle.
// Orders: one access at a time, in request order. A device that answers at once: response one cycle after the request,
//   one access every two cycles.
// Passes on reads and writes of 1, 2, 4 or 8 naturally aligned bytes below 4 GiB. Answers everything else with an
// error and leaves the device alone; a write without strobes is answered without an error.
module mbus_to_reg (
  input  logic              clk_i,
  input  logic              rst_ni,

  input  logic              req_valid_i,
  output logic              req_ready_o,
  input  mbus_pkg::req_t    req_i,
  output logic              rsp_valid_o,
  output mbus_pkg::rsp_t    rsp_o,

  output reg_pkg::reg_req_t reg_req_o,
  input  reg_pkg::reg_rsp_t reg_rsp_i
);

  typedef enum logic [1:0] {
    Idle,
    Access,   // the device is asked
    Refuse,   // answered with an error
    Nothing   // answered without asking anybody
  } state_e;

  state_e               state_q, state_d;
  mbus_pkg::id_e        id_q;
  logic                 write_q;
  logic [31:0]          addr_q;
  logic [63:0]          data_q;
  logic [7:0]           strb_q;

  // What the request asks for, in terms of the register bus.
  logic                 is_write, legal, whole;
  logic [7:0]           words;   // 64-bit words of the line that have strobes
  logic [2:0]           word, first_byte;
  logic [63:0]          data;
  logic [7:0]           strb;

  assign is_write = req_i.op == mbus_pkg::OpWrite;

  // Looked at only while there is a request, to spare simulations the work.
  always_comb begin
    words = '0;
    word  = '0;
    data  = '0;
    if (req_valid_i) begin
      for (int unsigned i = 0; i < 8; i++) words[i] = |req_i.strb[8*i +: 8];
      word = req_i.addr[5:3];
      if (is_write) begin
        for (int unsigned i = 0; i < 8; i++) begin
          if (words[i]) word = 3'(i);
        end
      end
      data = req_i.data[64*word +: 64];
    end
  end

  always_comb begin
    if (!req_valid_i) begin
      strb = '0;
    end else if (is_write) begin
      strb = req_i.strb[8*word +: 8];
    end else begin
      unique case (req_i.size)
        3'd0:    strb = 8'h01 << req_i.addr[2:0];
        3'd1:    strb = 8'h03 << req_i.addr[2:0];
        3'd2:    strb = 8'h0f << req_i.addr[2:0];
        3'd3:    strb = 8'hff;
        default: strb = 8'h00;
      endcase
    end
    unique case (strb)
      8'h01, 8'h03, 8'h0f, 8'hff: {whole, first_byte} = {1'b1, 3'd0};
      8'h02:                      {whole, first_byte} = {1'b1, 3'd1};
      8'h04, 8'h0c:               {whole, first_byte} = {1'b1, 3'd2};
      8'h08:                      {whole, first_byte} = {1'b1, 3'd3};
      8'h10, 8'h30, 8'hf0:        {whole, first_byte} = {1'b1, 3'd4};
      8'h20:                      {whole, first_byte} = {1'b1, 3'd5};
      8'h40, 8'hc0:               {whole, first_byte} = {1'b1, 3'd6};
      8'h80:                      {whole, first_byte} = {1'b1, 3'd7};
      default:                    {whole, first_byte} = {1'b0, 3'd0};
    endcase
    legal = whole && req_i.addr[mbus_pkg::AddrWidth-1:32] == '0 &&
            (is_write ? (words & (words - 1'b1)) == '0 : req_i.op == mbus_pkg::OpRead);
  end

  always_comb begin
    state_d = state_q;
    unique case (state_q)
      Idle: begin
        if (req_valid_i) begin
          if (is_write && words == '0) state_d = Nothing;
          else state_d = legal ? Access : Refuse;
        end
      end
      Access:  if (reg_rsp_i.ready) state_d = Idle;
      default: state_d = Idle;
    endcase
  end

  assign req_ready_o = state_q == Idle;

  always_comb begin
    reg_req_o.valid = state_q == Access;
    reg_req_o.write = write_q;
    reg_req_o.addr  = addr_q;
    reg_req_o.wdata = data_q;
    reg_req_o.wstrb = strb_q;
  end

  always_comb begin
    rsp_o.id    = id_q;
    rsp_o.err   = state_q == Refuse || (state_q == Access && reg_rsp_i.err);
    rsp_o.data  = {8{reg_rsp_i.rdata}};
    rsp_valid_o = state_q == Access ? reg_rsp_i.ready : state_q != Idle;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) state_q <= Idle;
    else state_q <= state_d;
  end

  always_ff @(posedge clk_i) begin
    if (req_valid_i && req_ready_o) begin
      id_q    <= req_i.id;
      write_q <= is_write;
      addr_q  <= {req_i.addr[31:6], word, first_byte};
      data_q  <= data;
      strb_q  <= strb;
    end
  end

endmodule
