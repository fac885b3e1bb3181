// SPDX-License-Identifier: Apache-2.0
// The port through which the management processor looks into a CPE: its local memory (addr[17] = 0) and its registers.
//
// access_valid_i and the request are held until access_ready_o, in whose cycle access_rdata_o counts. Register 4 (control) clears
// the local memory when bit 0 is written; the other registers, and those that are not there, take writes and do nothing.
// Latency: one cycle, if local memory is free.
// Cuts: access_* to the answer.
module cpe_access (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic                access_valid_i,
  input  cpe_pkg::access_req_t access_i,
  output logic                access_ready_o,
  output logic [63:0]         access_rdata_o,

  // Local memory
  output logic                a_valid_o,
  input  logic                a_ready_i,
  output logic                a_write_o,
  output logic [16:3]         a_addr_o,
  output logic [63:0]         a_wdata_o,
  output logic [7:0]          a_strb_o,
  input  logic [63:0]         a_rdata_i,
  output logic                clear_o,
  input  logic                clearing_i,

  // Registers
  input  cpe_isa_pkg::cpe_status_t status_i,
  input  logic [31:0]         pc_i,
  input  cpe_pkg::fault_t     fault_i,
  output logic [4:0]          counter_select_o,  // all ones: nobody asks
  input  logic [31:0]         counter_i
);

  logic       answer_q, registers;
  logic [4:0] number;

  assign registers = access_i.addr[17];
  assign number    = access_i.addr[7:3];

  assign a_write_o        = access_i.write;
  assign a_addr_o         = access_i.addr[16:3];
  assign a_wdata_o        = access_i.data;
  assign a_strb_o         = access_i.strb;
  assign access_ready_o   = answer_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) answer_q <= 1'b0;
    else if (access_valid_i || answer_q) answer_q <= access_valid_i && !answer_q && (registers || a_ready_i);
  end

  always_comb begin
    a_valid_o        = 1'b0;
    counter_select_o = '1;
    if (access_valid_i) begin
      a_valid_o        = !registers && !answer_q;
      counter_select_o = number - 5'd8;
    end
  end

  always_comb begin
    clear_o        = 1'b0;
    access_rdata_o = '0;
    if (answer_q) begin
      clear_o = registers && access_i.write && number == 5'd4 && access_i.strb[0] && access_i.data[0];
      if (!registers) begin
        access_rdata_o = a_rdata_i;
      end else if (access_i.addr[16:8] == '0) begin
        case (number)
          5'd0:    access_rdata_o[31:0] = status_i;
          5'd1:    access_rdata_o[31:0] = pc_i;
          5'd2:    access_rdata_o[48:0] = {fault_i.dma, 6'b0, fault_i.access, 3'b0, fault_i.cause, fault_i.pc};
          5'd3:    access_rdata_o = {fault_i.segment, fault_i.offset};
          5'd4:    access_rdata_o[0] = clearing_i;
          default: if (number >= 5'd8) access_rdata_o[31:0] = counter_i;
        endcase
      end
    end
  end

endmodule
