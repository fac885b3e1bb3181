// SPDX-License-Identifier: Apache-2.0
// The DMA engine of a small CPE: what programs see is what cpe_dma does, but that commands wait for the transfer before them, and that
// there is one request under way at a time.
//
// A request stays in 64 bytes of global memory and in 64 bytes of local memory, as cpe_ldm_serial has lines.
// What a transfer changes is its own: where its row and its piece begin, what is left. The rest stays as it was set.
// Halt: no new request, no new transfer. One that is offered stays so until it is taken. With halt_i low again the engine goes on.
// Fault: the engine stops for good.
// Cuts: all paths but those of the command port, and from rsp_i to the line that is written.
module cpe_dma_serial (
  input  logic              clk_i,
  input  logic              rst_ni,
  input  logic              halt_i,
  input  logic              ends_i,         // as of cpe_dma

  input  logic              issue_valid_i,
  input  cpe_pkg::issue_t   issue_i,
  output logic              issue_ready_o,
  output logic [31:0]       issue_rdata_o,
  output logic              issue_bad_o,

  output logic              mem_valid_o,
  input  logic              mem_ready_i,
  output cpe_pkg::mem_req_t mem_o,          // anything without mem_valid_o
  input  logic              rsp_valid_i,    // with kind MemDma
  input  cpe_pkg::mem_rsp_t rsp_i,

  output logic              line_we_o,
  output logic [16:0]       line_waddr_o,
  output logic [6:0]        line_wbytes_o,
  output logic [511:0]      line_wdata_o,
  output logic              line_re_o,
  input  logic              line_re_ready_i,
  output logic [16:0]       line_raddr_o,
  output logic [6:0]        line_rbytes_o,
  input  logic [511:0]      line_rdata_i,   // in the cycle after the read was taken

  output logic              fault_valid_o,
  output cpe_pkg::fault_t   fault_o,
  output logic              busy_o,         // a transfer is not complete
  output logic              foreground_o,   // it is a foreground transfer; for simulators
  output logic              quiet_o,        // no request outstanding or offered
  output logic [6:0]        event_bytes_o   // moved in this cycle
);

  typedef enum logic [2:0] { Idle, Row, Piece, Data, Offer, Answer, Fault } state_e;

  state_e q;

  // --- Commands -----------------------------------------------------------------------------------------------------

  logic [31:0] begun_q, done_q, past;
  logic [63:0] global_q;
  logic [15:0] rows_q, ldm_stride_q;  // rows: left of the transfer; 1 without one
  logic [31:0] stride_q, extent_q;    // from the first row to the last
  logic [32:0] room;                  // for a row, counted from the first
  logic        moves, begins, set_global, set_shape, set_class;
  logic        background_q;          // class of the transfers that follow

  assign past = done_q - issue_i.rs1;
  assign room = 33'h2_0000 - {1'b0, extent_q};

  always_comb begin
    issue_ready_o = 1'b0;
    issue_rdata_o = '0;
    issue_bad_o   = 1'b0;
    moves         = 1'b0;
    set_global    = 1'b0;
    set_shape     = 1'b0;
    set_class     = 1'b0;
    if (issue_valid_i) begin
      issue_ready_o = !busy_o;
      case (issue_i.op)
        cpe_isa_pkg::DmaGlobal: set_global = !busy_o;
        cpe_isa_pkg::DmaShape:  set_shape  = !busy_o;
        cpe_isa_pkg::DmaClass: begin
          issue_bad_o = !busy_o && issue_i.rs1[31:1] != '0;
          set_class   = !busy_o && !issue_bad_o;
        end
        cpe_isa_pkg::DmaLoad, cpe_isa_pkg::DmaStore: begin
          // What shape it has, and so if it makes sense, is known when it is its turn.
          moves         = !busy_o;
          issue_bad_o   = moves && (issue_i.rs1[31:28] != cpe_isa_pkg::SpaceLdm || issue_i.rs1[27:17] != '0 || issue_i.rs2[31:18] != '0
                                    || issue_i.rs2[17:0] == '0 || rows_q == '0
                                    || $signed(room) < $signed({14'd0, {2'd0, issue_i.rs1[16:0]} + {1'b0, issue_i.rs2[17:0]}}));
          issue_ready_o = moves && (issue_bad_o || !halt_i);
          issue_rdata_o = begun_q + 32'd1;
        end
        cpe_isa_pkg::DmaWait: issue_ready_o = !past[31];
        cpe_isa_pkg::DmaPoll: begin
          issue_ready_o = 1'b1;
          issue_rdata_o = {31'd0, !past[31]};
        end
        default: {issue_ready_o, issue_bad_o} = '1;
      endcase
    end
    begins = moves && issue_ready_o && !issue_bad_o;
  end

  // --- Where the next piece is --------------------------------------------------------------------------------------

  logic        write_q, foreground_q;
  logic [31:0] pc_q;
  logic [17:0] bytes_q, left_q;             // of a row; from the piece on
  logic [48:0] row_offset_q, offset_q;      // with the upper bit it has left the 48 bits on either side
  logic [16:0] row_ldm_q, ldm_q;
  logic [5:0]  in_line;                     // on the side that comes to the end of its line first
  logic [6:0]  to_line_end, bytes;
  logic        ends_row, last, answered;

  assign in_line     = ldm_q[5:0] > offset_q[5:0] ? ldm_q[5:0] : offset_q[5:0];
  assign to_line_end = 7'd64 - {1'b0, in_line};
  assign ends_row    = left_q <= {11'd0, to_line_end};
  assign bytes       = ends_row ? left_q[6:0] : to_line_end;
  assign last        = ends_row && rows_q == 16'd1;
  assign answered    = q == Answer && rsp_valid_i && rsp_i.cause == cpe_isa_pkg::CauseNone;

  always_ff @(posedge clk_i) begin
    if (begins) begin
      write_q      <= issue_i.op == cpe_isa_pkg::DmaStore;
      foreground_q <= !background_q;
      pc_q         <= issue_i.pc;
      bytes_q      <= issue_i.rs2[17:0];
      row_offset_q <= {1'b0, global_q[47:0]};
      row_ldm_q    <= issue_i.rs1[16:0];
    end else if (q == Row) begin
      row_offset_q <= row_offset_q + {{17{stride_q[31]}}, stride_q};
      row_ldm_q    <= row_ldm_q + {1'b0, ldm_stride_q};
    end
    if (q == Row) begin
      offset_q <= row_offset_q;
      ldm_q    <= row_ldm_q;
      left_q   <= bytes_q;
    end else if (answered) begin
      offset_q <= offset_q + 49'(to_line_end);
      ldm_q    <= ldm_q + 17'(to_line_end);
      left_q   <= left_q - 18'(to_line_end);
    end
  end

  // --- One step after the other -------------------------------------------------------------------------------------

  logic [511:0]    data_q;
  cpe_isa_pkg::cause_t cause_q;
  logic            outside;

  assign outside = offset_q[48];

  always_ff @(posedge clk_i) begin
    if (q == Data) data_q <= line_rdata_i;
    if (set_global) global_q <= {issue_i.rs2, issue_i.rs1};
    if (set_class) background_q <= issue_i.rs1[0];
    if (set_shape) begin
      {rows_q, ldm_stride_q, stride_q} <= {issue_i.rs1, issue_i.rs2};
      extent_q <= (32'(issue_i.rs1[31:16]) - 32'd1) * 32'(issue_i.rs1[15:0]);
    end
    if (begins) begin
      begun_q  <= issue_rdata_o;
      extent_q <= '0;
    end
    case (q)
      Idle: if (begins) q <= Row;
      Row:  q <= Piece;
      Piece: if (!halt_i) begin
        cause_q <= cpe_isa_pkg::CauseLimit;
        if (outside)              q <= Fault;
        else if (!write_q)        q <= Offer;
        else if (line_re_ready_i) q <= Data;
      end
      Data:  q <= halt_i ? Piece : Offer;
      Offer: if (mem_ready_i) q <= Answer;
      Answer: if (rsp_valid_i) begin
        cause_q <= rsp_i.cause;
        q       <= !answered ? Fault : last ? Idle : ends_row ? Row : Piece;
        if (answered && last) done_q <= begun_q;
        if (answered && ends_row && !last) rows_q <= rows_q - 16'd1;
      end
      default: ;
    endcase
    if (!rst_ni || ends_i) begin
      global_q <= '0;
      rows_q   <= 16'd1;
      extent_q <= '0;
      background_q <= 1'b0;
    end
    if (!rst_ni) begin
      q       <= Idle;
      begun_q <= '0;
      done_q  <= '0;
    end
  end

  // --- What others see ------------------------------------------------------------------------------------------------

  assign busy_o        = q != Idle;
  assign foreground_o  = busy_o && foreground_q;
  assign quiet_o       = q != Offer && q != Answer;
  assign line_re_o     = q == Piece && write_q && !outside && !halt_i;
  assign line_raddr_o  = ldm_q;
  assign line_rbytes_o = bytes;
  assign line_we_o     = answered && !write_q;
  assign line_waddr_o  = ldm_q;
  assign line_wbytes_o = bytes;
  assign line_wdata_o  = rsp_i.data;
  assign event_bytes_o = answered ? bytes : '0;
  assign mem_valid_o   = q == Offer;
  assign mem_o         = {write_q, 1'b0, 3'd0, global_q[63:48], offset_q[47:0], ldm_q[5:0], bytes, data_q};
  assign fault_valid_o = q == Fault;
  assign fault_o       = {cause_q, write_q ? cpe_isa_pkg::AccessWrite : cpe_isa_pkg::AccessRead, 1'b1, pc_q, global_q[63:48], offset_q[47:0]};

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni) assert (!(ends_i && busy_o)) else $error("a launch ends while a transfer is under way");
    if (rst_ni && rsp_valid_i) begin
      assert (q == Answer) else $error("an answer to nothing");
      assert (rsp_i.tag == '0) else $error("an answer with tag %0d, which is not outstanding", rsp_i.tag);
    end
  end
`endif

endmodule
