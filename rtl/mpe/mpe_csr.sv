// SPDX-License-Identifier: Apache-2.0
// Control and status registers, trap entry and return, interrupt selection, counters.
//
// Everything here happens in the memory stage, the point at which instructions commit: one CSR access, trap or return
// per cycle, in program order.
module mpe_csr (
    input  logic                  clk_i,
    input  logic                  rst_ni,

    input  logic [63:0]           hart_id_i,
    input  logic [63:0]           time_i,
    input  logic                  irq_m_software_i,
    input  logic                  irq_m_timer_i,
    input  logic                  irq_m_external_i,
    input  logic                  irq_s_external_i,

    // CSR instruction
    input  logic                  access_i,
    input  logic [11:0]           addr_i,
    input  logic [1:0]            op_i,          // 1 write, 2 set, 3 clear
    input  logic                  write_i,       // it writes, not only reads
    input  logic [63:0]           operand_i,
    input  logic                  commit_i,      // do it
    output logic [63:0]           rdata_o,
    output logic                  illegal_o,
    output logic                  refetch_o,     // what follows must be fetched and decoded anew

    // traps and returns
    input  logic                  trap_i,
    input  logic                  trap_interrupt_i,
    input  logic [3:0]            trap_code_i,
    input  logic                  trap_nmi_i,
    input  logic [63:0]           trap_pc_i,
    input  logic [63:0]           trap_value_i,
    input  logic [63:0]           nmi_addr_i,
    input  logic                  mret_i,
    input  logic                  sret_i,
    output logic [63:0]           trap_target_o,
    output logic [63:0]           return_target_o,

    // interrupts
    output logic                  interrupt_o,        // one is pending and enabled
    output logic [3:0]            interrupt_code_o,
    output logic                  wake_o,             // one is pending, enabled or not

    // state that others need
    output mpe_pkg::priv_e        priv_o,
    output logic                  tvm_o,
    output logic                  tw_o,
    output logic                  tsr_o,
    output logic                  fetch_translate_o,
    output mpe_pkg::xlate_ctx_t   fetch_ctx_o,
    output logic                  data_translate_o,
    output mpe_pkg::xlate_ctx_t   data_ctx_o,
    output logic [43:0]           root_ppn_o,
    output logic                  pbmt_enable_o,
    output logic                  cbo_clean_ok_o,
    output logic                  cbo_inval_ok_o,
    output logic                  cbo_inval_flushes_o,
    output logic                  cbo_zero_ok_o,
    output logic                  satp_written_o,

    // debug
    input  logic                  debug_i,            // halted: machine privilege, debug registers visible
    input  logic                  debug_enter_i,
    input  logic [63:0]           debug_pc_i,
    input  debug_pkg::halt_cause_e  debug_cause_i,
    input  logic                  debug_data_we_i,
    input  logic [63:0]           debug_data_i,
    output logic [63:0]           debug_data_o,
    output logic [63:0]           debug_pc_o,
    output debug_pkg::halt_cause_e  debug_cause_o,

`ifdef MPE_RVFI
    output logic [63:0] rvfi_csr_mstatus_o, rvfi_csr_mie_o, rvfi_csr_mip_o, rvfi_csr_mtvec_o, rvfi_csr_mscratch_o,
    output logic [63:0] rvfi_csr_mepc_o, rvfi_csr_mcause_o, rvfi_csr_mtval_o, rvfi_csr_medeleg_o, rvfi_csr_mideleg_o,
    output logic [63:0] rvfi_csr_mcounteren_o, rvfi_csr_menvcfg_o, rvfi_csr_stvec_o, rvfi_csr_sscratch_o,
    output logic [63:0] rvfi_csr_sepc_o, rvfi_csr_scause_o, rvfi_csr_stval_o, rvfi_csr_satp_o, rvfi_csr_scounteren_o,
    output logic [63:0] rvfi_csr_senvcfg_o, rvfi_csr_minstret_o,
`endif

    input  logic                  retire_i,
    input  logic [15:0]           events_i            // by mpe_pkg::event_e
);

  localparam int unsigned NumCounters = 8;   // mhpmcounter3 and up

  localparam logic [63:0] Misa        = 64'h8000_0000_0094_1105;
  localparam logic [15:0] MedelegMask = 16'hb3ff;
  localparam logic [11:0] SInterrupts = 12'h222;
  localparam logic [11:0] AllInterrupts = 12'haaa;

  // ---------------------------------------------------------------- state
  typedef struct packed {
    logic       tsr, tw, tvm, mxr, sum, mprv;
    mpe_pkg::priv_e      mpp;
    logic       spp, mpie, spie, mie, sie;
  } status_t;

  typedef struct packed {
    logic       cbze;
    logic [1:0] cbie;
    logic       cbcfe;
    logic       fiom;
  } envcfg_t;

  mpe_pkg::priv_e        priv_q;
  status_t      status_q;
  logic [11:0]  mie_q, mideleg_q;
  logic         seip_q, stip_q, ssip_q;      // the bits of mip that software owns
  logic [15:0]  medeleg_q;
  logic [63:0]  mtvec_q, mscratch_q, mepc_q, mcause_q, mtval_q;
  logic [63:0]  stvec_q, sscratch_q, sepc_q, scause_q, stval_q;
  logic [31:0]  mcounteren_q, scounteren_q;
  envcfg_t      menvcfg_q, senvcfg_q;
  logic         pbmte_q;
  logic         satp_mode_q;
  logic [43:0]  satp_ppn_q;
  logic [63:0]  mcycle_q, minstret_q;
  logic [NumCounters+2:0] inhibit_q;         // bit 1 (time) stays zero
  logic [63:0]  dpc_q, dscratch_q;
  debug_pkg::halt_cause_e  halt_cause_q;
  logic [3:0]   irq_q;                       // {s_external, m_external, m_timer, m_software}

  function automatic logic [63:0] status_bits(status_t s);
    status_bits = {28'b0, 2'd2, 2'd2, 9'b0, s.tsr, s.tw, s.tvm, s.mxr, s.sum, s.mprv, 4'b0, s.mpp, 2'b0, s.spp, s.mpie, 1'b0,
            s.spie, 1'b0, s.mie, 1'b0, s.sie, 1'b0};
  endfunction
  localparam logic [63:0] SstatusMask = 64'h0000_0003_000d_e762;

  logic [63:0] mstatus_bits;
  assign mstatus_bits = status_bits(status_q);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) irq_q <= '0;
    else irq_q <= {irq_s_external_i, irq_m_external_i, irq_m_timer_i, irq_m_software_i};
  end

  logic [11:0] mip, mip_software;
  assign mip_software = {2'b0, seip_q, 3'b0, stip_q, 3'b0, ssip_q, 1'b0};
  assign mip          = mip_software | {irq_q[2], 1'b0, irq_q[3], 1'b0, irq_q[1], 3'b0, irq_q[0], 3'b0};

  // ---------------------------------------------------------------- interrupts
  logic [11:0] pending, for_m, for_s, chosen;
  assign pending = mip & mie_q;
  assign wake_o  = pending != '0;

  always_comb begin
    for_m  = priv_q != mpe_pkg::PrivM || status_q.mie ? pending & ~mideleg_q : '0;
    for_s  = priv_q == mpe_pkg::PrivU || (priv_q == mpe_pkg::PrivS && status_q.sie) ? pending & mideleg_q : '0;
    chosen = for_m != '0 ? for_m : for_s;
    interrupt_o = chosen != '0;
    interrupt_code_o = 4'd5;
    if (chosen[1]) interrupt_code_o = 4'd1;
    if (chosen[9]) interrupt_code_o = 4'd9;
    if (chosen[7]) interrupt_code_o = 4'd7;
    if (chosen[3]) interrupt_code_o = 4'd3;
    if (chosen[11]) interrupt_code_o = 4'd11;
  end

  // ---------------------------------------------------------------- traps
  logic to_s;
  always_comb begin
    to_s = priv_q != mpe_pkg::PrivM && (trap_interrupt_i ? mideleg_q[trap_code_i] : medeleg_q[trap_code_i]);
    if (trap_nmi_i) to_s = 1'b0;
  end

  logic [63:0] vector;
  always_comb begin
    vector = to_s ? stvec_q : mtvec_q;
    trap_target_o = {vector[63:2], 2'b0};
    if (vector[0] && trap_interrupt_i) trap_target_o = {vector[63:2], 2'b0} + {58'b0, trap_code_i, 2'b0};
    if (trap_nmi_i) trap_target_o = nmi_addr_i;
  end
  assign return_target_o = sret_i ? sepc_q : mepc_q;

  // ---------------------------------------------------------------- counters
  logic [63:0]  hpm_count_q [NumCounters];
  logic [3:0]   hpm_event_q [NumCounters];

  // ---------------------------------------------------------------- reading
  mpe_pkg::priv_e        priv;           // for access checks
  logic         exists, counter_ok;
  logic [63:0]  old;            // what set and clear work on; differs from rdata_o in mip only
  logic [4:0]   number;         // of a counter
  logic [2:0]   hpm;            // index of a counter that can count events
  logic         is_hpm;
  assign priv   = debug_i ? mpe_pkg::PrivM : priv_q;
  assign number = addr_i[4:0];
  assign hpm    = 3'(number - 5'd3);
  assign is_hpm = number >= 5'd3 && number < 5'(3 + NumCounters);

  always_comb begin
    counter_ok = 1'b1;
    if (priv != mpe_pkg::PrivM && !mcounteren_q[number]) counter_ok = 1'b0;
    if (priv == mpe_pkg::PrivU && !scounteren_q[number]) counter_ok = 1'b0;
  end

  function automatic logic [63:0] envcfg_bits(envcfg_t e, logic pbmte);
    envcfg_bits = {1'b0, pbmte, 54'b0, e.cbze, e.cbcfe, e.cbie, 3'b0, e.fiom};
  endfunction

  always_comb begin
    exists  = 1'b1;
    rdata_o = '0;
    old     = '0;
    if (access_i) begin
      unique casez (addr_i)
        12'h100: rdata_o = mstatus_bits & SstatusMask;
        12'h104: rdata_o = {52'b0, mie_q & mideleg_q};
        12'h105: rdata_o = stvec_q;
        12'h106: rdata_o = {32'b0, scounteren_q};
        12'h10a: rdata_o = envcfg_bits(senvcfg_q, 1'b0);
        12'h140: rdata_o = sscratch_q;
        12'h141: rdata_o = sepc_q;
        12'h142: rdata_o = scause_q;
        12'h143: rdata_o = stval_q;
        12'h144: rdata_o = {52'b0, mip & mideleg_q};
        12'h180: begin
          rdata_o = {satp_mode_q, 19'b0, satp_ppn_q};
          exists  = priv != mpe_pkg::PrivS || !status_q.tvm;
        end
        12'h300: rdata_o = mstatus_bits;
        12'h301: rdata_o = Misa;
        12'h302: rdata_o = {48'b0, medeleg_q};
        12'h303: rdata_o = {52'b0, mideleg_q};
        12'h304: rdata_o = {52'b0, mie_q};
        12'h305: rdata_o = mtvec_q;
        12'h306: rdata_o = {32'b0, mcounteren_q};
        12'h30a: rdata_o = envcfg_bits(menvcfg_q, pbmte_q);
        12'h340: rdata_o = mscratch_q;
        12'h341: rdata_o = mepc_q;
        12'h342: rdata_o = mcause_q;
        12'h343: rdata_o = mtval_q;
        12'h344: rdata_o = {52'b0, mip};
        12'b0011_001?_????: begin  // mcountinhibit, mhpmevent
          exists = number == 5'd0 || number >= 5'd3;
          if (number == 5'd0) rdata_o = {{64-NumCounters-3{1'b0}}, inhibit_q};
          else if (is_hpm) rdata_o = {60'b0, hpm_event_q[hpm]};
        end
        12'h7a0, 12'h7a1, 12'h7a2, 12'h7a3: rdata_o = '0;  // no triggers: tselect finds nothing
        12'h7b0: begin rdata_o = {32'b0, 4'd4, 19'b0, halt_cause_q, 4'b0, priv_q}; exists = debug_i; end
        12'h7b1: begin rdata_o = dpc_q; exists = debug_i; end
        12'h7b2: begin rdata_o = dscratch_q; exists = debug_i; end
        12'b1011_000?_????, 12'b1100_000?_????: begin  // counters, and what lower privileges see of them
          exists = !addr_i[10] || counter_ok;
          unique case (number)
            5'd0:    rdata_o = mcycle_q;
            5'd1: begin rdata_o = time_i; exists = addr_i[10] && counter_ok; end
            5'd2:    rdata_o = minstret_q;
            default: rdata_o = is_hpm ? hpm_count_q[hpm] : '0;
          endcase
        end
        12'hf11, 12'hf12, 12'hf15: rdata_o = '0;
        12'hf13: rdata_o = 64'd1;
        12'hf14: rdata_o = hart_id_i;
        default: exists = 1'b0;
      endcase
      old = rdata_o;
      if (addr_i == 12'h344) old = {52'b0, mip_software};
      if (addr_i == 12'h144) old = {52'b0, mip_software & mideleg_q};
    end
  end

  assign illegal_o = !exists || addr_i[9:8] > priv || (write_i && addr_i[11:10] == 2'b11);

  // ---------------------------------------------------------------- writing
  logic         write;
  logic [63:0]  wdata;
  assign write = commit_i && write_i;

  always_comb begin
    unique case (op_i)
      2'd2:    wdata = old | operand_i;
      2'd3:    wdata = old & ~operand_i;
      default: wdata = operand_i;
    endcase
  end

  always_comb begin
    unique case (addr_i)
      12'h100, 12'h300, 12'h180, 12'h10a, 12'h30a: refetch_o = write_i;
      default: refetch_o = 1'b0;
    endcase
  end
  assign satp_written_o = write && addr_i == 12'h180;

  function automatic envcfg_t envcfg_write(envcfg_t previous, logic [63:0] value);
    envcfg_write = {value[7], value[5:4] == 2'd2 ? previous.cbie : value[5:4], value[6], value[0]};
  endfunction

  function automatic logic [63:0] tvec_write(logic [63:0] value);
    tvec_write = value & ~64'd2;
  endfunction

  // ---- privilege and status
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      priv_q   <= mpe_pkg::PrivM;
      status_q <= '0;
    end else if (trap_i) begin
      if (to_s) begin
        priv_q        <= mpe_pkg::PrivS;
        status_q.spie <= status_q.sie;
        status_q.sie  <= 1'b0;
        status_q.spp  <= priv_q[0];
      end else begin
        priv_q        <= mpe_pkg::PrivM;
        status_q.mpie <= status_q.mie;
        status_q.mie  <= 1'b0;
        status_q.mpp  <= priv_q;
      end
    end else if (mret_i) begin
      priv_q        <= status_q.mpp;
      status_q.mie  <= status_q.mpie;
      status_q.mpie <= 1'b1;
      status_q.mpp  <= mpe_pkg::PrivU;
      if (status_q.mpp != mpe_pkg::PrivM) status_q.mprv <= 1'b0;
    end else if (sret_i) begin
      priv_q        <= status_q.spp ? mpe_pkg::PrivS : mpe_pkg::PrivU;
      status_q.sie  <= status_q.spie;
      status_q.spie <= 1'b1;
      status_q.spp  <= 1'b0;
      status_q.mprv <= 1'b0;
    end else if (write && addr_i == 12'h7b0) begin  // the debugger chooses how the program goes on
      if (wdata[1:0] != 2'd2) priv_q <= mpe_pkg::priv_e'(wdata[1:0]);
    end else if (write && (addr_i == 12'h300 || addr_i == 12'h100)) begin
      status_q.sie  <= wdata[1];
      status_q.spie <= wdata[5];
      status_q.spp  <= wdata[8];
      status_q.sum  <= wdata[18];
      status_q.mxr  <= wdata[19];
      if (addr_i[9]) begin
        status_q.mie  <= wdata[3];
        status_q.mpie <= wdata[7];
        status_q.mprv <= wdata[17];
        status_q.tvm  <= wdata[20];
        status_q.tw   <= wdata[21];
        status_q.tsr  <= wdata[22];
        if (wdata[12:11] != 2'd2) status_q.mpp <= mpe_pkg::priv_e'(wdata[12:11]);
      end
    end
  end

  // ---- everything that only CSR writes and traps change
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      mie_q        <= '0;
      mideleg_q    <= '0;
      {seip_q, stip_q, ssip_q} <= '0;
      mtvec_q      <= '0;
      mscratch_q   <= '0;
      mepc_q       <= '0;
      mcause_q     <= '0;
      mtval_q      <= '0;
      medeleg_q    <= '0;
      stvec_q      <= '0;
      sscratch_q   <= '0;
      sepc_q       <= '0;
      scause_q     <= '0;
      stval_q      <= '0;
      mcounteren_q <= '0;
      scounteren_q <= '0;
      menvcfg_q    <= '0;
      senvcfg_q    <= '0;
      pbmte_q      <= 1'b0;
      satp_mode_q  <= 1'b0;
      satp_ppn_q   <= '0;
      inhibit_q    <= '0;
    end else if (trap_i) begin
      if (to_s) begin
        sepc_q   <= trap_pc_i;
        scause_q <= {trap_interrupt_i, 59'b0, trap_code_i};
        stval_q  <= trap_value_i;
      end else begin
        mepc_q   <= trap_pc_i;
        mcause_q <= {trap_interrupt_i, 59'b0, trap_code_i};
        mtval_q  <= trap_value_i;
      end
    end else if (write) begin
      unique case (addr_i)
        12'h104: mie_q        <= (mie_q & ~mideleg_q) | (wdata[11:0] & mideleg_q);
        12'h105: stvec_q      <= tvec_write(wdata);
        12'h106: scounteren_q <= wdata[31:0];
        12'h10a: senvcfg_q    <= envcfg_write(senvcfg_q, wdata);
        12'h140: sscratch_q   <= wdata;
        12'h141: sepc_q       <= {wdata[63:1], 1'b0};
        12'h142: scause_q     <= wdata;
        12'h143: stval_q      <= wdata;
        12'h144: if (mideleg_q[1]) ssip_q <= wdata[1];
        12'h180: begin
          if (wdata[63:60] == 4'd0 || wdata[63:60] == 4'd8) begin
            satp_mode_q <= wdata[63];
            satp_ppn_q  <= wdata[43:0];
          end
        end
        12'h302: medeleg_q    <= wdata[15:0] & MedelegMask;
        12'h303: mideleg_q    <= wdata[11:0] & SInterrupts;
        12'h304: mie_q        <= wdata[11:0] & AllInterrupts;
        12'h305: mtvec_q      <= tvec_write(wdata);
        12'h306: mcounteren_q <= wdata[31:0];
        12'h30a: begin
          menvcfg_q <= envcfg_write(menvcfg_q, wdata);
          pbmte_q   <= wdata[62];
        end
        12'h320: inhibit_q    <= {wdata[NumCounters+2:2], 1'b0, wdata[0]};
        12'h340: mscratch_q   <= wdata;
        12'h341: mepc_q       <= {wdata[63:1], 1'b0};
        12'h342: mcause_q     <= wdata;
        12'h343: mtval_q      <= wdata;
        12'h344: {seip_q, stip_q, ssip_q} <= {wdata[9], wdata[5], wdata[1]};
        default: ;
      endcase
    end
  end

  // ---- counters
  logic write_counter;
  assign write_counter = write && addr_i[11:5] == 7'b1011_000;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      mcycle_q   <= '0;
      minstret_q <= '0;
      for (int unsigned i = 0; i < NumCounters; i++) begin
        hpm_count_q[i] <= '0;
        hpm_event_q[i] <= '0;
      end
    end else begin
      if (!inhibit_q[0] && !debug_i) mcycle_q <= mcycle_q + 64'd1;
      if (!inhibit_q[2] && retire_i) minstret_q <= minstret_q + 64'd1;
      for (int unsigned i = 0; i < NumCounters; i++) begin
        if (events_i[hpm_event_q[i]] && !inhibit_q[i+3]) hpm_count_q[i] <= hpm_count_q[i] + 64'd1;
      end
      if (write_counter) begin
        if (number == 5'd0) mcycle_q <= wdata;
        if (number == 5'd2) minstret_q <= wdata;
        if (is_hpm) hpm_count_q[hpm] <= wdata;
      end
      if (write && addr_i[11:5] == 7'b0011_001 && is_hpm) hpm_event_q[hpm] <= wdata[3:0];
    end
  end

  // ---- debug
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      dpc_q        <= '0;
      dscratch_q   <= '0;
      halt_cause_q <= debug_pkg::HaltNone;
    end else begin
      if (debug_enter_i) begin
        dpc_q        <= debug_pc_i;
        halt_cause_q <= debug_cause_i;
      end else if (write && addr_i == 12'h7b1) begin
        dpc_q <= {wdata[63:1], 1'b0};
      end
      if (debug_data_we_i) dscratch_q <= debug_data_i;
      else if (write && addr_i == 12'h7b2) dscratch_q <= wdata;
    end
  end
  assign debug_data_o  = dscratch_q;
  assign debug_pc_o    = dpc_q;
  assign debug_cause_o = halt_cause_q;

  // ---------------------------------------------------------------- what others need
  mpe_pkg::priv_e data_priv;
  assign data_priv         = status_q.mprv ? status_q.mpp : priv_q;
  assign priv_o            = priv_q;
  assign tvm_o             = status_q.tvm;
  assign tw_o              = status_q.tw;
  assign tsr_o             = status_q.tsr;
  assign fetch_translate_o = satp_mode_q && priv_q != mpe_pkg::PrivM;
  assign data_translate_o  = satp_mode_q && data_priv != mpe_pkg::PrivM;
  assign fetch_ctx_o       = {priv_q, status_q.sum, status_q.mxr};
  assign data_ctx_o        = {data_priv, status_q.sum, status_q.mxr};
  assign root_ppn_o        = satp_ppn_q;
  assign pbmt_enable_o     = pbmte_q;

  always_comb begin
    cbo_clean_ok_o      = 1'b1;
    cbo_inval_ok_o      = 1'b1;
    cbo_inval_flushes_o = 1'b0;
    cbo_zero_ok_o       = 1'b1;
    if (priv != mpe_pkg::PrivM) begin
      cbo_clean_ok_o      = menvcfg_q.cbcfe;
      cbo_inval_ok_o      = menvcfg_q.cbie != '0;
      cbo_inval_flushes_o = menvcfg_q.cbie == 2'd1;
      cbo_zero_ok_o       = menvcfg_q.cbze;
    end
    if (priv == mpe_pkg::PrivU) begin
      cbo_clean_ok_o      &= senvcfg_q.cbcfe;
      cbo_inval_ok_o      &= senvcfg_q.cbie != '0;
      cbo_inval_flushes_o |= senvcfg_q.cbie == 2'd1;
      cbo_zero_ok_o       &= senvcfg_q.cbze;
    end
  end

`ifdef MPE_RVFI
  assign rvfi_csr_mstatus_o    = mstatus_bits;
  assign rvfi_csr_mie_o        = {52'b0, mie_q};
  assign rvfi_csr_mip_o        = {52'b0, mip};
  assign rvfi_csr_mtvec_o      = mtvec_q;
  assign rvfi_csr_mscratch_o   = mscratch_q;
  assign rvfi_csr_mepc_o       = mepc_q;
  assign rvfi_csr_mcause_o     = mcause_q;
  assign rvfi_csr_mtval_o      = mtval_q;
  assign rvfi_csr_medeleg_o    = {48'b0, medeleg_q};
  assign rvfi_csr_mideleg_o    = {52'b0, mideleg_q};
  assign rvfi_csr_mcounteren_o = {32'b0, mcounteren_q};
  assign rvfi_csr_menvcfg_o    = envcfg_bits(menvcfg_q, pbmte_q);
  assign rvfi_csr_stvec_o      = stvec_q;
  assign rvfi_csr_sscratch_o   = sscratch_q;
  assign rvfi_csr_sepc_o       = sepc_q;
  assign rvfi_csr_scause_o     = scause_q;
  assign rvfi_csr_stval_o      = stval_q;
  assign rvfi_csr_satp_o       = {satp_mode_q, 19'b0, satp_ppn_q};
  assign rvfi_csr_scounteren_o = {32'b0, scounteren_q};
  assign rvfi_csr_senvcfg_o    = envcfg_bits(senvcfg_q, 1'b0);
  assign rvfi_csr_minstret_o   = minstret_q;
`endif

endmodule
