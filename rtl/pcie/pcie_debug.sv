// SPDX-License-Identifier: Apache-2.0
// Device `debug`: the debug port of the management processor as registers. It works without firmware.
module pcie_debug (
  input  logic              clk_i,
  input  logic              rst_ni,
  input  logic              clear_i,     // pulse: let the processor go, forget breakpoints
  input  reg_pkg::reg_req_t req_i,
  output reg_pkg::reg_rsp_t rsp_o,
  output debug_pkg::req_t dbg_req_o,
  input  debug_pkg::rsp_t dbg_rsp_i
);

  localparam int unsigned Aw = debug_regs_pkg::AddrWidth;

  debug_pkg::req_t dbg_q;

  logic [Aw-1:0] offset;
  logic          write, in_breakpoints;
  logic [63:0]   lanes;
  logic [1:0]    breakpoint;
  assign offset         = {req_i.addr[Aw-1:3], 3'b000};
  assign write          = req_i.valid && req_i.write;
  assign lanes          = reg_pkg::lanes(req_i.wstrb);
  assign in_breakpoints = offset >= debug_regs_pkg::Breakpoint0Offset && offset <= debug_regs_pkg::Breakpoint3Offset;
  assign breakpoint     = offset[4:3];

  // The core says only some cycles later that it has begun; a host that looks right away must not take that for the end.
  logic [2:0] begun_q;

  logic resume, insn, data;
  assign resume = write && offset == debug_regs_pkg::ActionOffset && req_i.wstrb[0] && req_i.wdata[0];
  assign insn   = write && offset == debug_regs_pkg::InsnOffset && req_i.wstrb[3:0] == 4'hf;
  assign data   = write && offset == debug_regs_pkg::DataInOffset && req_i.wstrb == 8'hff;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      dbg_q   <= '0;
      begun_q <= '0;
    end else begin
      begun_q          <= {begun_q[1:0], insn || resume};
      dbg_q.resume     <= resume || clear_i;
      dbg_q.insn_valid <= insn;
      dbg_q.data_we    <= data;
      if (resume) dbg_q.step <= req_i.wdata[1];
      if (insn) dbg_q.insn <= req_i.wdata[31:0];
      if (data) dbg_q.data <= req_i.wdata;
      if (write && offset == debug_regs_pkg::ControlOffset && req_i.wstrb[0]) begin
        dbg_q.halt         <= req_i.wdata[0];
        dbg_q.ebreak_halts <= req_i.wdata[1];
        dbg_q.bp_en        <= req_i.wdata[7:4];
      end
      if (write && in_breakpoints) begin
        dbg_q.bp_addr[breakpoint] <= reg_pkg::merge(dbg_q.bp_addr[breakpoint], req_i.wdata, lanes);
      end
      if (clear_i) begin
        dbg_q.halt         <= 1'b0;
        dbg_q.ebreak_halts <= 1'b0;
        dbg_q.bp_en        <= '0;
        dbg_q.step         <= 1'b0;
      end
    end
  end

  debug_regs_pkg::control_t control;
  debug_regs_pkg::status_t  status;
  always_comb begin
    control              = '0;
    control.halt         = dbg_q.halt;
    control.ebreak_halts = dbg_q.ebreak_halts;
    control.breakpoints  = dbg_q.bp_en;
    status               = '0;
    status.halted        = dbg_rsp_i.halted;
    status.busy          = dbg_rsp_i.busy || begun_q != '0;
    status.fault         = dbg_rsp_i.fault;
    status.cause         = dbg_rsp_i.cause;
  end

  always_comb begin
    rsp_o       = '0;
    rsp_o.ready = 1'b1;
    if (req_i.valid) begin
      case (offset)
        debug_regs_pkg::ControlOffset: rsp_o.rdata = control;
        debug_regs_pkg::ActionOffset,
        debug_regs_pkg::InsnOffset,
        debug_regs_pkg::DataInOffset:  rsp_o.rdata = '0;
        debug_regs_pkg::StatusOffset:  rsp_o.rdata = status;
        debug_regs_pkg::DataOutOffset: rsp_o.rdata = dbg_rsp_i.data;
        default: begin
          if (in_breakpoints) rsp_o.rdata = dbg_q.bp_addr[breakpoint];
          else rsp_o.err = 1'b1;
        end
      endcase
    end
  end

  assign dbg_req_o = dbg_q;

endmodule
