// SPDX-License-Identifier: Apache-2.0
// Retirement port: one record for every instruction that is done, and for the one that faults. Exists with CPE_RVFI only. The
// record follows the instruction by one cycle, when a load's data are there.
`ifdef CPE_RVFI
module cpe_rvfi (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        retire_i,
  input  logic        trap_i,
  input  logic [31:0] insn_i,
  input  logic [31:0] pc_i,
  input  logic [31:0] next_pc_i,
  input  logic [4:0]  rd_i,
  input  logic        mem_i,
  input  logic        write_i,
  input  logic [2:0]  funct3_i,
  input  logic [31:0] address_i,
  input  logic [31:0] store_i,
  input  logic        window_i,
  input  logic [31:0] win_rdata_i,
  input  logic        late_i,
  // One cycle later.
  input  logic [31:0] wb_data_i,
  input  logic [31:0] ldm_rdata_i,

  output logic        rvfi_valid,
  output logic        rvfi_trap,
  output logic [31:0] rvfi_insn,
  output logic [31:0] rvfi_pc,
  output logic [31:0] rvfi_next_pc,
  output logic [4:0]  rvfi_rd,
  output logic [31:0] rvfi_rd_wdata,
  output logic [31:0] rvfi_mem_addr,
  output logic [3:0]  rvfi_mem_rmask,
  output logic [3:0]  rvfi_mem_wmask,
  output logic [31:0] rvfi_mem_rdata,
  output logic [31:0] rvfi_mem_wdata
);

  logic        late_q;
  logic [31:0] win_rdata_q, raw, bits_q;
  logic [31:0] bits;
  logic [3:0]  mask;

  always_comb begin
    unique case (funct3_i[1:0])
      2'd0:    begin mask = 4'h1; bits = 32'hff; end
      2'd1:    begin mask = 4'h3; bits = 32'hffff; end
      default: begin mask = 4'hf; bits = '1; end
    endcase
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) rvfi_valid <= 1'b0;
    else rvfi_valid <= retire_i || trap_i;
  end

  always_ff @(posedge clk_i) begin
    if (retire_i || trap_i) begin
      rvfi_trap      <= trap_i;
      rvfi_insn      <= insn_i;
      rvfi_pc        <= pc_i;
      rvfi_next_pc   <= trap_i ? pc_i : next_pc_i;
      rvfi_rd        <= trap_i ? 5'd0 : rd_i;
      rvfi_mem_addr  <= mem_i ? address_i : '0;
      rvfi_mem_rmask <= retire_i && mem_i && !write_i ? mask : '0;
      rvfi_mem_wmask <= retire_i && mem_i && write_i ? mask : '0;
      rvfi_mem_wdata <= retire_i && mem_i && write_i ? store_i & bits : '0;
      late_q         <= late_i;
      win_rdata_q    <= retire_i && window_i && !write_i ? win_rdata_i & bits : '0;
      bits_q         <= bits;
    end
  end

  assign raw            = late_q ? (ldm_rdata_i >> {rvfi_mem_addr[1:0], 3'b0}) & bits_q : win_rdata_q;
  assign rvfi_mem_rdata = rvfi_mem_rmask == '0 ? '0 : raw;
  assign rvfi_rd_wdata  = rvfi_rd == '0 ? '0 : wb_data_i;

endmodule
`endif
