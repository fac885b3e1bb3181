// SPDX-License-Identifier: Apache-2.0
// Control and status registers, and the counters (docs/hardware/cpe-core.md). Reads are combinational; the instruction that reads
// a counter has not been counted yet. Every cycle counts once as such, and either for an instruction or for what was waited for.
// Serial: the counters are in a memory, which shows one of them, and an instruction may have to wait for it (wait_o).
module cpe_csr #(
  parameter bit Serial = 1'b0
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  cpe_pkg::id_t           id_i,
  input  logic [31:0]            config_i,
  input  logic [31:0]            launch_mask_i,
  input  logic [15:0]            argument_segment_i,

  input  logic                   valid_i,    // an instruction that accesses a CSR
  input  logic [2:0]             funct3_i,
  input  logic [16:0]            field_i,    // {raw rs1 field, number}
  input  logic [31:0]            operand_i,  // register
  output logic [31:0]            rdata_o,
  output logic                   bad_o,      // no such CSR, or it cannot be written
  output logic                   wait_o,

  input  logic                   count_i,    // this cycle counts
  input  logic [7:0]             waited_i,   // and so many before it, in which the same instruction waited
  input  logic                   retire_i,
  input  cpe_core_pkg::counter_t reason_i,   // for a cycle in which no instruction retires
  input  logic [3:0]             counter_select_i,
  output logic [31:0]            counter_o,
  output logic [63:0]            win_pointer_o
);

  logic [63:0] cycles_q, retired_q, pointer_q;
  logic [31:0] code_q, ldm_q, window_q, control_q, dma_q, row_q, column_q, unit_q, arithmetic_q;

  logic [11:0] number;
  assign number = field_i[11:0];

  if (Serial) begin : g_memory
    logic        asked, look;  // by the access port; by an instruction
    logic [3:0]  own;
    logic [31:0] value;

    assign asked  = counter_select_i != '1;
    assign look   = valid_i && (number[11:8] == 4'hb || number[11:8] == 4'hc);
    assign wait_o = look && asked;
    assign own    = number[3:0] == '0 ? cpe_core_pkg::CountCycles : number[3:0] - 4'd1;

    cpe_counter_memory u_memory (
      .clk_i,
      .rst_ni,
      .cycle_i (count_i),
      .count_i (retire_i || count_i),
      .reason_i(retire_i ? cpe_core_pkg::CountRetired : reason_i),
      .select_i(asked ? counter_select_i : own),
      .upper_i (!asked && number[7]),
      .value_o (value)
    );

    assign {cycles_q, retired_q} = {4{value}};
    assign {code_q, ldm_q, window_q, control_q, dma_q, row_q, column_q, unit_q, arithmetic_q} = {9{value}};
  end else begin : g_registers
    always_ff @(posedge clk_i) begin : count
      logic [8:0] lost;  // cycles without an instruction
      lost = '0;
      if (!rst_ni) begin
        cycles_q     <= '0;
        retired_q    <= '0;
        code_q       <= '0;
        ldm_q        <= '0;
        window_q     <= '0;
        control_q    <= '0;
        dma_q        <= '0;
        row_q        <= '0;
        column_q     <= '0;
        unit_q       <= '0;
        arithmetic_q <= '0;
      end else begin
        if (count_i || waited_i != '0) cycles_q <= cycles_q + 64'(waited_i) + 64'(count_i);
        if (retire_i) retired_q <= retired_q + 64'd1;
        if (!retire_i || waited_i != '0) begin
          lost = 9'(waited_i) + 9'(count_i && !retire_i);
          unique case (reason_i)
            cpe_core_pkg::CountLdm:        ldm_q <= ldm_q + 32'(lost);
            cpe_core_pkg::CountWindow:     window_q <= window_q + 32'(lost);
            cpe_core_pkg::CountControl:    control_q <= control_q + 32'(lost);
            cpe_core_pkg::CountDma:        dma_q <= dma_q + 32'(lost);
            cpe_core_pkg::CountRow:        row_q <= row_q + 32'(lost);
            cpe_core_pkg::CountColumn:     column_q <= column_q + 32'(lost);
            cpe_core_pkg::CountUnit:       unit_q <= unit_q + 32'(lost);
            cpe_core_pkg::CountArithmetic: arithmetic_q <= arithmetic_q + 32'(lost);
            default:                       code_q <= code_q + 32'(lost);
          endcase
        end
      end
    end

    assign wait_o = 1'b0;
  end

  // --- Access ------------------------------------------------------------------------------------------------------

  logic        write, writable;
  logic [31:0] operand, wdata;

  // Mostly nobody asks: 15 is not one of these.
  always_comb begin
    counter_o = '0;
    if (counter_select_i != '1) begin
      unique case (counter_select_i)
        cpe_core_pkg::CountCycles:     counter_o = cycles_q[31:0];
        cpe_core_pkg::CountRetired:    counter_o = retired_q[31:0];
        cpe_core_pkg::CountCode:       counter_o = code_q;
        cpe_core_pkg::CountLdm:        counter_o = ldm_q;
        cpe_core_pkg::CountWindow:     counter_o = window_q;
        cpe_core_pkg::CountControl:    counter_o = control_q;
        cpe_core_pkg::CountDma:        counter_o = dma_q;
        cpe_core_pkg::CountRow:        counter_o = row_q;
        cpe_core_pkg::CountColumn:     counter_o = column_q;
        cpe_core_pkg::CountUnit:       counter_o = unit_q;
        cpe_core_pkg::CountArithmetic: counter_o = arithmetic_q;
        default:                       counter_o = '0;
      endcase
    end
  end

  always_comb begin
    rdata_o  = '0;
    bad_o    = 1'b0;
    writable = 1'b0;
    write    = 1'b0;
    operand  = '0;
    wdata    = '0;
    if (valid_i) begin
      unique case (number)
        cpe_isa_pkg::CsrWindowLow: begin
          rdata_o  = pointer_q[31:0];
          writable = 1'b1;
        end
        cpe_isa_pkg::CsrWindowHigh: begin
          rdata_o  = pointer_q[63:32];
          writable = 1'b1;
        end
        cpe_isa_pkg::CsrMcycle, cpe_isa_pkg::CsrCycle:       rdata_o = cycles_q[31:0];
        cpe_isa_pkg::CsrMcycleh, cpe_isa_pkg::CsrCycleh:     rdata_o = cycles_q[63:32];
        cpe_isa_pkg::CsrMinstret, cpe_isa_pkg::CsrInstret:   rdata_o = retired_q[31:0];
        cpe_isa_pkg::CsrMinstreth, cpe_isa_pkg::CsrInstreth: rdata_o = retired_q[63:32];
        cpe_isa_pkg::CsrMhpmcounter3:  rdata_o = code_q;
        12'hb04:                       rdata_o = ldm_q;
        12'hb05:                       rdata_o = window_q;
        12'hb06:                       rdata_o = control_q;
        12'hb07:                       rdata_o = dma_q;
        12'hb08:                       rdata_o = row_q;
        12'hb09:                       rdata_o = column_q;
        12'hb0a:                       rdata_o = unit_q;
        cpe_isa_pkg::CsrMhpmcounter11: rdata_o = arithmetic_q;
        cpe_isa_pkg::CsrMhartid:       rdata_o = {25'b0, id_i};
        cpe_isa_pkg::CsrCpeConfig:     rdata_o = config_i;
        cpe_isa_pkg::CsrLaunchMask:    rdata_o = launch_mask_i;
        cpe_isa_pkg::CsrArgumentSegment: rdata_o = 32'(argument_segment_i);
        default:                       bad_o = 1'b1;
      endcase
      write = funct3_i[1:0] == 2'd1 || field_i[16:12] != '0;
      if (write && !writable) bad_o = 1'b1;
      operand = funct3_i[2] ? {27'b0, field_i[16:12]} : operand_i;
      unique case (funct3_i[1:0])
        2'd2:    wdata = rdata_o | operand;
        2'd3:    wdata = rdata_o & ~operand;
        default: wdata = operand;
      endcase
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      pointer_q <= '0;
    end else if (write && writable) begin
      if (number[0]) pointer_q[63:32] <= wdata;
      else pointer_q[31:0] <= wdata;
    end
  end

  assign win_pointer_o = pointer_q;

endmodule
