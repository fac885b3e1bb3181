// SPDX-License-Identifier: Apache-2.0
// In place of the core: its bus port, interrupt inputs and sleep in the hands of C++ (soc_test.cpp).
//
// In every cycle C++ sees what the coming clock edge will find, and says what the core drives after it.
module mpe #(
  parameter int unsigned ICacheBytes = 16384,
  parameter int unsigned DCacheBytes = 16384
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  input  logic [63:0]       boot_addr_i,
  input  logic [63:0]       nmi_addr_i,
  input  logic [63:0]       hart_id_i,
  input  logic [63:0]       time_i,
  input  logic              irq_m_software_i,
  input  logic              irq_m_timer_i,
  input  logic              irq_m_external_i,
  input  logic              irq_s_external_i,
  input  logic              nmi_i,
  output logic              mbus_req_valid_o,
  input  logic              mbus_req_ready_i,
  output mbus_pkg::req_t    mbus_req_o,
  input  logic              mbus_rsp_valid_i,
  input  mbus_pkg::rsp_t    mbus_rsp_i,
  output logic              write_error_o,
  output logic              sleep_o,
  input  debug_pkg::req_t dbg_req_i,
  output debug_pkg::rsp_t dbg_rsp_o
);

  import "DPI-C" function void stub_core_clock(
    input  bit              rst_n,
    input  bit [4:0]        wakes,
    input  longint unsigned boot_addr,
    input  longint unsigned nmi_addr,
    input  longint unsigned card_time,
    input  bit              taken,
    input  bit              rsp_valid,
    input  bit [1:0]        rsp_id,
    input  bit              rsp_err,
    input  bit [511:0]      rsp_data,
    output bit              valid,
    output bit [3:0]        op,
    output bit [1:0]        id,
    output longint unsigned addr,
    output bit [2:0]        size,
    output longint unsigned strb,
    output bit [511:0]      data,
    output bit              write_error,
    output bit              sleep
  );

  bit         valid_q, write_error_q, sleep_q;
  bit [3:0]   op_q;
  bit [1:0]   id_q;
  bit [63:0]  addr_q;
  bit [2:0]   size_q;
  bit [63:0]  strb_q;
  bit [511:0] data_q;

  /* verilator lint_off BLKSEQ */
  // The core gates its clock by what it says of its sleep; C++ sees every cycle.
  always @(posedge tb_soc.clk_i) begin
    bit         valid, write_error, sleep;
    bit [3:0]   op;
    bit [1:0]   id;
    bit [63:0]  addr;
    bit [2:0]   size;
    bit [63:0]  strb;
    bit [511:0] data;
    stub_core_clock(rst_ni, {irq_m_software_i, irq_m_timer_i, irq_m_external_i, irq_s_external_i, nmi_i},
                    boot_addr_i, nmi_addr_i, time_i, mbus_req_valid_o && mbus_req_ready_i, mbus_rsp_valid_i,
                    mbus_rsp_i.id, mbus_rsp_i.err, mbus_rsp_i.data, valid, op, id, addr, size, strb, data,
                    write_error, sleep);
    valid_q       <= valid;
    op_q          <= op;
    id_q          <= id;
    addr_q        <= addr;
    size_q        <= size;
    strb_q        <= strb;
    data_q        <= data;
    write_error_q <= write_error;
    sleep_q       <= sleep;
  end
  /* verilator lint_on BLKSEQ */

  assign mbus_req_valid_o = valid_q && rst_ni;
  assign mbus_req_o.op    = mbus_pkg::op_e'(op_q);
  assign mbus_req_o.id    = mbus_pkg::id_e'(id_q);
  assign mbus_req_o.addr  = addr_q[39:0];
  assign mbus_req_o.size  = size_q;
  assign mbus_req_o.strb  = strb_q;
  assign mbus_req_o.data  = data_q;
  assign write_error_o    = write_error_q;
  assign sleep_o          = sleep_q;
  assign dbg_rsp_o        = '0;

endmodule
