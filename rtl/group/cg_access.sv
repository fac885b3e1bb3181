// SPDX-License-Identifier: Apache-2.0
// The management processor's way into the CPEs: from the group's register bus to the access port of one CPE.
//
// The upper half of the group's registers: bits 22:18 of the address choose the CPE, bits 17:0 go to it. A CPE that is not
// there or in reset, also one that is reset meanwhile, answers with an error.
// Latency: a request is at the CPE one cycle after it came, an answer on the bus one cycle after the CPE's.
// access_o is the same for all and moves only with an access. access_valid_o keeps the CPE's clock on.
module cg_access #(
  parameter int unsigned N = 4
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  input  reg_pkg::reg_req_t     req_i,
  output reg_pkg::reg_rsp_t     rsp_o,
  input  logic [N-1:0]          tile_rst_ni,
  output logic [N-1:0]          access_valid_o,
  input  logic [N-1:0]          access_ready_i,
  output cpe_pkg::access_req_t   access_o,
  input  logic [63:0]           access_rdata_i,   // in the cycle of ready
  output logic                  busy_o
);

  logic [N-1:0]        valid_q, here;
  logic                ask, answered, answer_q, error_q;
  logic [63:0]         rdata_q;
  cpe_pkg::access_req_t access_q;

  always_comb begin
    here = '0;
    if (req_i.valid) begin
      for (int unsigned i = 0; i < N; i++) here[i] = req_i.addr[22:18] == 5'(i) && tile_rst_ni[i];
    end
  end

  assign access_valid_o = valid_q & tile_rst_ni;
  assign ask            = req_i.valid && !answer_q && valid_q == '0;
  assign answered       = (access_valid_o & access_ready_i) != '0;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      valid_q  <= '0;
      answer_q <= 1'b0;
      error_q  <= 1'b0;
    end else begin
      answer_q <= 1'b0;
      if (ask) begin
        valid_q  <= here;
        answer_q <= here == '0;
        error_q  <= 1'b1;
      end else if (valid_q != '0 && (answered || access_valid_o == '0)) begin
        valid_q  <= '0;
        answer_q <= 1'b1;
        error_q  <= !answered;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (ask) begin
      access_q.write <= req_i.write;
      access_q.addr  <= req_i.addr[17:0];
      access_q.data  <= req_i.wdata;
      access_q.strb  <= req_i.wstrb;
    end
    if (answered) rdata_q <= access_rdata_i;
  end

  assign access_o    = access_q;
  assign rsp_o.ready = answer_q;
  assign rsp_o.err   = error_q;
  assign rsp_o.rdata = rdata_q;
  assign busy_o      = req_i.valid;

  logic unused;
  assign unused = ^req_i.addr[31:23];

endmodule
