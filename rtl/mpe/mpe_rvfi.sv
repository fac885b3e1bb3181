// SPDX-License-Identifier: Apache-2.0
// Retirement port: one record for every instruction that commits, every exception and every interrupt, registered so that
// the CSR outputs of the core show the state after it. For trace, lockstep and proofs; exists with MPE_RVFI only.
`ifdef MPE_RVFI
module mpe_rvfi (
    input  logic                clk_i,
    input  logic                rst_ni,
    input  logic                advance_i,       // an instruction enters the memory stage
    input  logic [63:0]         store_data_i,
    input  logic [63:0]         store_pair_i,    // bytes 8 to 15 of a pair
    input  logic                retire_i,
    input  logic                trap_i,
    input  logic                trap_interrupt_i,
    input  logic [3:0]          trap_code_i,
    input  logic [63:0]         trap_value_i,
    input  logic [63:0]         trap_target_i,
    input  logic [63:0]         return_target_i,
    input  logic                returns_i,
    input  mpe_pkg::ctrl_t      ctrl_i,
    input  logic [31:0]         insn_i,
    input  logic [63:0]         pc_i,
    input  logic [63:0]         next_pc_i,
    input  mpe_pkg::priv_e      priv_i,
    input  logic                write_i,
    input  logic [63:0]         result_i,
    input  logic [63:0]         mem_addr_i,
    input  logic [39:0]         mem_paddr_i,
    input  logic [63:0]         mem_rdata_i,
    input  logic                mem_wrote_i,
    input  logic [63:0]         mip_i,

    output logic                rvfi_valid,
    output logic                rvfi_trap,
    output logic                rvfi_intr,
    output logic [31:0]         rvfi_insn,
    output logic [63:0]         rvfi_pc,
    output logic [63:0]         rvfi_next_pc,
    output logic [63:0]         rvfi_cause,
    output logic [63:0]         rvfi_tval,
    output logic [1:0]          rvfi_mode,
    output logic [4:0]          rvfi_rd,
    output logic [63:0]         rvfi_rd_wdata,
    output logic [63:0]         rvfi_mem_addr,
    output logic [39:0]         rvfi_mem_paddr,
    output logic [7:0]          rvfi_mem_rmask,
    output logic [15:0]         rvfi_mem_wmask,
    output logic [63:0]         rvfi_mem_rdata,
    output logic [63:0]         rvfi_mem_wdata,
    output logic [63:0]         rvfi_mem_wdata_high,
    output logic [63:0]         rvfi_mip
);

  logic [63:0] store_data_q, store_pair_q;
  always_ff @(posedge clk_i) begin
    if (advance_i) begin
      store_data_q <= store_data_i;
      store_pair_q <= store_pair_i;
    end
  end

  logic [7:0]   mask;
  logic [63:0]  bits;
  logic         reads, writes, pair;
  always_comb begin
    unique case (ctrl_i.funct3[1:0])
      2'd0:    begin mask = 8'h01; bits = 64'hff; end
      2'd1:    begin mask = 8'h03; bits = 64'hffff; end
      2'd2:    begin mask = 8'h0f; bits = 64'hffff_ffff; end
      default: begin mask = 8'hff; bits = '1; end
    endcase
    reads  = ctrl_i.unit == mpe_pkg::UnitMem && (ctrl_i.mem_op == mpe_pkg::MemLoad || ctrl_i.mem_op == mpe_pkg::MemLr || ctrl_i.mem_op == mpe_pkg::MemAmo);
    pair   = ctrl_i.mem_op == mpe_pkg::MemStorePair;
    writes = ctrl_i.unit == mpe_pkg::UnitMem && mem_wrote_i &&
             (ctrl_i.mem_op == mpe_pkg::MemStore || pair || ctrl_i.mem_op == mpe_pkg::MemSc || ctrl_i.mem_op == mpe_pkg::MemAmo);
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) rvfi_valid <= 1'b0;
    else rvfi_valid <= retire_i || trap_i;
  end

  always_ff @(posedge clk_i) begin
    if (retire_i || trap_i) begin
      rvfi_trap      <= trap_i && !trap_interrupt_i;
      rvfi_intr      <= trap_interrupt_i;
      rvfi_insn      <= insn_i;
      rvfi_pc        <= pc_i;
      rvfi_next_pc   <= trap_i ? trap_target_i : returns_i ? return_target_i : next_pc_i;
      rvfi_cause     <= trap_i ? {trap_interrupt_i, 59'b0, trap_code_i} : '0;
      rvfi_tval      <= trap_i ? trap_value_i : '0;
      rvfi_mode      <= priv_i;
      rvfi_rd        <= write_i ? ctrl_i.rd : '0;
      rvfi_rd_wdata  <= write_i ? result_i : '0;
      rvfi_mem_addr  <= mem_addr_i;
      rvfi_mem_paddr <= mem_paddr_i;
      rvfi_mem_rmask <= retire_i && reads ? mask : '0;
      rvfi_mem_wmask <= retire_i && writes ? {pair ? mask : 8'b0, mask} : '0;
      rvfi_mem_rdata <= mem_rdata_i;
      rvfi_mem_wdata <= ctrl_i.mem_op == mpe_pkg::MemAmo ? amo_data : store_data_q & bits;
      rvfi_mem_wdata_high <= store_pair_q;
      rvfi_mip       <= mip_i;
    end
  end

  logic [63:0] amo_data, amo_new;
  amo_alu u_amo_alu (
      .op_i      (ctrl_i.amo_op),
      .size_i    ({1'b0, ctrl_i.funct3[1:0]}),
      .old_i     (mem_rdata_i),
      .operand_i (store_data_q),
      .new_o     (amo_new)
  );
  assign amo_data = amo_new & bits;

endmodule
`endif
