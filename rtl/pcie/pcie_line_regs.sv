// SPDX-License-Identifier: Apache-2.0
// Registers by the line: three parties ask, one line at a time is served as accesses to the register bus, lowest word first.
//
// A word whose strobes name naturally aligned bytes is one access; any other is one access per byte. The answer is held until it
// is taken. One refused access makes the whole answer an error; the others have been done.
module pcie_line_regs (
  input  logic                  clk_i,
  input  logic                  rst_ni,

  input  logic [2:0]            req_valid_i,
  output logic [2:0]            req_ready_o,
  input  pcie_pkg::line_req_t   req0_i,
  input  pcie_pkg::line_req_t   req1_i,
  input  pcie_pkg::line_req_t   req2_i,
  output logic [2:0]            rsp_valid_o,
  input  logic [2:0]            rsp_ready_i,
  output pcie_pkg::line_rsp_t   rsp_o,

  output reg_pkg::reg_req_t     reg_req_o,    // the address is relative to the BAR
  output logic                  reg_msix_o,   // BAR2
  output logic                  reg_master_o,
  input  reg_pkg::reg_rsp_t     reg_rsp_i,
  output logic                  busy_o
);

  typedef enum logic [1:0] {Idle, Access, Respond} state_e;
  state_e              state_q, state_d;
  pcie_pkg::line_req_t req_q;
  logic [1:0]          turn_q;     // who comes first next time
  logic [2:0]          grant, owner_q;
  logic                err_q;

  always_comb begin
    grant = '0;
    case (turn_q)
      2'd0:    grant = req_valid_i[0] ? 3'b001 : req_valid_i[1] ? 3'b010 : req_valid_i[2] ? 3'b100 : 3'b000;
      2'd1:    grant = req_valid_i[1] ? 3'b010 : req_valid_i[2] ? 3'b100 : req_valid_i[0] ? 3'b001 : 3'b000;
      default: grant = req_valid_i[2] ? 3'b100 : req_valid_i[0] ? 3'b001 : req_valid_i[1] ? 3'b010 : 3'b000;
    endcase
  end
  assign req_ready_o = state_q == Idle ? grant : '0;

  // The word at work, and the strobes of this access.
  logic [2:0] word;
  logic [7:0] strb, now, lowest;
  logic [2:0] first_byte;
  logic       whole, last;
  always_comb begin
    word       = '0;
    strb       = '0;
    whole      = 1'b0;
    first_byte = '0;
    if (state_q == Access) begin
      for (int unsigned i = 8; i > 0; i--) begin
        if (req_q.strb[8*(i-1)+:8] != '0) word = 3'(i - 1);
      end
      strb = req_q.strb[{word, 3'b000}+:8];
      for (int unsigned i = 8; i > 0; i--) begin
        if (strb[i-1]) first_byte = 3'(i - 1);
      end
      case (strb)
        8'hff, 8'h0f, 8'hf0, 8'h03, 8'h0c, 8'h30, 8'hc0: whole = 1'b1;
        default:                                        whole = 1'b0;
      endcase
    end
    lowest = strb & (~strb + 8'd1);
    now    = whole ? strb : lowest;
    last   = (req_q.strb & ~(64'(now) << {word, 3'b000})) == '0;
  end

  always_comb begin
    reg_req_o       = '0;
    reg_req_o.valid = state_q == Access && now != '0;
    reg_req_o.write = req_q.write;
    reg_req_o.addr  = {14'd0, req_q.line, word, first_byte};
    reg_req_o.wstrb = now;
    if (state_q == Access) reg_req_o.wdata = req_q.data[{word, 6'd0}+:64];
  end
  assign reg_msix_o   = req_q.msix;
  assign reg_master_o = req_q.master;

  always_comb begin
    state_d = state_q;
    unique case (state_q)
      Idle:    if (req_valid_i != '0) state_d = Access;
      Access:  if (now == '0 || (reg_rsp_i.ready && last)) state_d = Respond;
      default: if ((owner_q & rsp_ready_i) != '0) state_d = Idle;
    endcase
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q <= Idle;
      turn_q  <= '0;
    end else begin
      state_q <= state_d;
      if (state_q == Idle && req_valid_i != '0) turn_q <= grant[0] ? 2'd1 : grant[1] ? 2'd2 : 2'd0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (state_q == Idle && req_valid_i != '0) begin
      req_q   <= grant[0] ? req0_i : grant[1] ? req1_i : req2_i;
      owner_q <= grant;
      err_q   <= 1'b0;
    end
    if (state_q == Access && reg_req_o.valid && reg_rsp_i.ready) begin
      req_q.strb <= req_q.strb & ~(64'(now) << {word, 3'b000});
      if (reg_rsp_i.err) err_q <= 1'b1;
      // The data of a read takes the place of what was to be written.
      for (int unsigned i = 0; i < 8; i++) begin
        if (now[i]) req_q.data[{word, 6'd0} + 9'(8*i) +: 8] <= reg_rsp_i.rdata[8*i+:8];
      end
    end
  end

  assign rsp_valid_o = state_q == Respond ? owner_q : '0;
  always_comb begin
    rsp_o.err  = err_q;
    rsp_o.data = req_q.data;
  end
  assign busy_o = state_q != Idle;

endmodule
