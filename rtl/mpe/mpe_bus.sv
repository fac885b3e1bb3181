// SPDX-License-Identifier: Apache-2.0
// Joins the core's requesters to the one memory bus and counts writes that are not acknowledged yet.
// Reads of the data side go first, then write-backs and uncached stores, then instruction refills.
module mpe_bus (
    input  logic              clk_i,
    input  logic              rst_ni,

    input  logic              fetch_valid_i,
    output logic              fetch_ready_o,
    input  logic [39:0]       fetch_addr_i,
    output logic              fetch_rsp_o,

    input  logic              refill_valid_i,
    output logic              refill_ready_o,
    input  logic [39:0]       refill_addr_i,
    input  logic              io_read_valid_i,
    output logic              io_read_ready_o,
    input  mbus_pkg::op_e     io_read_op_i,
    input  logic [39:0]       io_read_addr_i,
    input  logic [2:0]        io_read_size_i,
    input  logic [63:0]       io_read_data_i,
    output logic              read_rsp_o,

    input  logic              wb_valid_i,
    output logic              wb_ready_o,
    input  logic [39:0]       wb_addr_i,
    input  logic [511:0]      wb_data_i,
    input  logic              io_write_valid_i,
    output logic              io_write_ready_o,
    input  logic [39:0]       io_write_addr_i,
    input  logic [15:0]       io_write_strb_i,    // of the 16 bytes around
    input  logic [63:0]       io_write_low_i,
    input  logic [63:0]       io_write_high_i,
    output logic              writes_pending_o,
    output logic              write_error_o,      // a posted write was refused

    output logic              rsp_err_o,
    output logic [511:0]      rsp_data_o,

    output logic              mbus_req_valid_o,
    input  logic              mbus_req_ready_i,
    output mbus_pkg::req_t    mbus_req_o,
    input  logic              mbus_rsp_valid_i,
    input  mbus_pkg::rsp_t    mbus_rsp_i
);

  typedef enum logic [2:0] {
    SelNone,
    SelRefill,
    SelIoRead,
    SelWriteBack,
    SelIoWrite,
    SelFetch
  } sel_e;

  // A request that waits keeps its place, or its payload would change while it is pending.
  sel_e sel, wish, held_q;
  logic held_valid_q;

  localparam int unsigned CountBits = 4;
  logic [CountBits-1:0] writes_q;
  logic                 writes_full;
  assign writes_full      = writes_q == '1;
  assign writes_pending_o = writes_q != '0;

  always_comb begin
    wish = SelNone;
    if (refill_valid_i) wish = SelRefill;
    else if (io_read_valid_i) wish = SelIoRead;
    else if (wb_valid_i && !writes_full) wish = SelWriteBack;
    else if (io_write_valid_i && !writes_full) wish = SelIoWrite;
    else if (fetch_valid_i) wish = SelFetch;
    sel = held_valid_q ? held_q : wish;
  end

  assign mbus_req_valid_o = sel != SelNone;

  always_comb begin
    mbus_req_o      = '0;
    mbus_req_o.op   = mbus_pkg::OpRead;
    mbus_req_o.id   = mbus_pkg::IdRead;
    mbus_req_o.size = 3'd6;
    unique case (sel)
      SelRefill: mbus_req_o.addr = refill_addr_i;
      SelIoRead: begin
        mbus_req_o.op   = io_read_op_i;
        mbus_req_o.addr = io_read_addr_i;
        mbus_req_o.size = io_read_size_i;
        mbus_req_o.data = {8{io_read_data_i}};
      end
      SelWriteBack: begin
        mbus_req_o.op   = mbus_pkg::OpWrite;
        mbus_req_o.id   = mbus_pkg::IdWrite;
        mbus_req_o.addr = wb_addr_i;
        mbus_req_o.strb = '1;
        mbus_req_o.data = wb_data_i;
      end
      SelIoWrite: begin
        mbus_req_o.op   = mbus_pkg::OpWrite;
        mbus_req_o.id   = mbus_pkg::IdWrite;
        mbus_req_o.addr = io_write_addr_i;
        mbus_req_o.strb = {48'b0, io_write_strb_i} << {io_write_addr_i[5:4], 4'b0};
        mbus_req_o.data = {4{io_write_high_i, io_write_low_i}};
      end
      SelFetch: begin
        mbus_req_o.id   = mbus_pkg::IdFetch;
        mbus_req_o.addr = fetch_addr_i;
      end
      default: ;
    endcase
  end

  assign refill_ready_o   = mbus_req_ready_i && sel == SelRefill;
  assign io_read_ready_o  = mbus_req_ready_i && sel == SelIoRead;
  assign wb_ready_o       = mbus_req_ready_i && sel == SelWriteBack;
  assign io_write_ready_o = mbus_req_ready_i && sel == SelIoWrite;
  assign fetch_ready_o    = mbus_req_ready_i && sel == SelFetch;

  assign fetch_rsp_o   = mbus_rsp_valid_i && mbus_rsp_i.id == mbus_pkg::IdFetch;
  assign read_rsp_o    = mbus_rsp_valid_i && mbus_rsp_i.id == mbus_pkg::IdRead;
  assign rsp_err_o     = mbus_rsp_i.err;
  assign rsp_data_o    = mbus_rsp_i.data;

  logic write_rsp;
  assign write_rsp     = mbus_rsp_valid_i && mbus_rsp_i.id == mbus_pkg::IdWrite;
  assign write_error_o = write_rsp && mbus_rsp_i.err;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      held_valid_q <= 1'b0;
      held_q       <= SelNone;
      writes_q     <= '0;
    end else begin
      held_valid_q <= mbus_req_valid_o && !mbus_req_ready_i;
      held_q       <= sel;
      writes_q     <= writes_q + {{CountBits-1{1'b0}}, wb_ready_o || io_write_ready_o}
                               - {{CountBits-1{1'b0}}, write_rsp};
    end
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni) assert (!(write_rsp && writes_q == '0)) else $error("answer to a write that was not made");
  end
`endif

endmodule
