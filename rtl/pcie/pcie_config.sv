// SPDX-License-Identifier: Apache-2.0
// Configuration space: a type 0 header with the capabilities power management (0x40), MSI-X (0x50) and PCI Express (0x60); the
// extended capabilities (0x100 and up) are in pcie_aer. Words that hold nothing read 0.
//
// A write takes effect at the end of its cycle. The bus and device number are those of the last configuration write.
module pcie_config (
  input  logic              clk_i,
  input  logic              rst_ni,
  input  logic              clear_function_i,   // function-level reset
  input  logic              clear_link_i,       // hot reset: more than that
  input  logic              link_up_i,
  input  logic [63:0]       serial_i,

  input  logic              valid_i,
  input  logic              write_i,
  input  logic [9:0]        word_i,
  input  logic [3:0]        be_i,
  input  logic [31:0]       wdata_i,
  input  logic [15:0]       id_i,
  output logic [31:0]       rdata_o,

  input  logic              transactions_i,     // the DMA engine waits for completions
  input  pcie_pkg::errors_t errors_i,           // pulses
  input  logic [127:0]      error_header_i,

  output pcie_pkg::bars_t   bars_o,
  output pcie_pkg::config_t config_o,           // without flr
  output logic              msix_enable_o,
  output logic              msix_masked_o,
  output logic              d3_o,
  output logic              flr_o               // pulse: asked for
);

  localparam logic [31:0] Identity  = 32'h4149_5357;  // device, vendor
  localparam logic [31:0] Class     = 32'h1200_0001;  // processing accelerator, revision 1
  localparam logic [31:0] Subsystem = 32'h0001_5357;

  logic [15:0] id_q;
  logic        memory_q, master_q, parity_q, serr_q, intx_off_q;
  logic        parity_seen_q, data_parity_q, serr_sent_q, abort_sent_q;
  logic [7:0]  cache_line_q, irq_line_q;
  logic [26:0] bar0_q;
  logic [47:0] bar2_q;
  logic [45:0] bar4_q;
  logic        d3_q, msix_enable_q, msix_masked_q;
  logic [3:0]  report_q;
  logic        relaxed_q, ext_tag_q, no_snoop_q;
  logic [2:0]  mps_q, mrrs_q;
  logic        corr_q, nonfatal_q, fatal_q, unsupported_q;
  logic [3:0]  timeout_q, target_speed_q;
  logic        timeout_off_q;

  logic        any, corr, nonfatal, fatal;
  logic [31:0] aer_rdata;
  logic        write;
  logic [31:0] lanes, value;
  assign write = valid_i && write_i;
  assign lanes = {{8{be_i[3]}}, {8{be_i[2]}}, {8{be_i[1]}}, {8{be_i[0]}}};
  assign value = (rdata_o & ~lanes) | (wdata_i & lanes);
  assign any   = errors_i != '0;

  pcie_aer u_aer (
    .clk_i,
    .rst_ni,
    .clear_i      (clear_function_i || clear_link_i),
    .serial_i,
    .write_i      (write),
    .word_i,
    .lanes_i      (lanes),
    .wdata_i,
    .rdata_o      (aer_rdata),
    .errors_i,
    .header_i     (error_header_i),
    .corr_o       (corr),
    .nonfatal_o   (nonfatal),
    .fatal_o      (fatal)
  );

  // ---------------------------------------------------------------------------------------------------- read

  always_comb begin
    rdata_o = '0;
    if (valid_i) begin
      case (word_i)
        10'h00: rdata_o = Identity;
        10'h01: rdata_o = {parity_seen_q, serr_sent_q, 2'b00, abort_sent_q, 2'b00, data_parity_q, 3'b000, 1'b1, 4'b0000,
                           5'd0, intx_off_q, 1'b0, serr_q, 1'b0, parity_q, 3'b000, master_q, memory_q, 1'b0};
        10'h02: rdata_o = Class;
        10'h03: rdata_o = {24'd0, cache_line_q};
        10'h04: rdata_o = 32'h0000_000c;             // 64 bits, prefetchable, 128 GiB
        10'h05: rdata_o = {bar0_q, 5'd0};
        10'h06: rdata_o = {bar2_q[15:0], 16'h0004};  // 64 bits, 64 KiB
        10'h07: rdata_o = bar2_q[47:16];
        10'h08: rdata_o = {bar4_q[13:0], 18'h0_0004};  // 64 bits, 256 KiB
        10'h09: rdata_o = bar4_q[45:14];
        10'h0b: rdata_o = Subsystem;
        10'h0d: rdata_o = 32'h0000_0040;
        10'h0f: rdata_o = {24'd0, irq_line_q};
        // Power management: version 3, no events; the function keeps its state in D3hot.
        10'h10: rdata_o = 32'h0003_5001;
        10'h11: rdata_o = {28'd0, 1'b1, 1'b0, d3_q, d3_q};
        // MSI-X: 32 vectors, table and pending bits in BAR2.
        10'h14: rdata_o = {msix_enable_q, msix_masked_q, 14'd31, 16'h6011};
        10'h15: rdata_o = 32'h0000_0002;
        10'h16: rdata_o = 32'h0000_8002;
        // PCI Express: endpoint, version 2.
        10'h18: rdata_o = 32'h0002_0010;
        10'h19: rdata_o = 32'h1000_8021;  // function-level reset, role-based errors, 8-bit tags, payload 256
        10'h1a: rdata_o = {10'd0, transactions_i, 1'b0, unsupported_q, fatal_q, nonfatal_q, corr_q,
                           1'b0, mrrs_q, no_snoop_q, 2'b00, ext_tag_q, mps_q, relaxed_q, report_q};
        10'h1b: rdata_o = 32'h0000_0104;  // 16 GT/s, 16 lanes
        10'h1c: rdata_o = link_up_i ? 32'h0104_0000 : '0;
        10'h21: rdata_o = 32'h0000_0011;  // completion timeout: range A, may be switched off
        10'h22: rdata_o = {27'd0, timeout_off_q, timeout_q};
        10'h23: rdata_o = 32'h0000_001e;  // 2.5 to 16 GT/s
        10'h24: rdata_o = {28'd0, target_speed_q};
        default: if (word_i >= 10'h40) rdata_o = aer_rdata;
      endcase
    end
  end

  // --------------------------------------------------------------------------------------------------- write

  // Payloads of 128 and 256 bytes; requests of 128 to 512 (a larger setting is one of 512).
  function automatic logic [2:0] at_most(input logic [2:0] wish, input logic [2:0] limit);
    at_most = wish > limit ? limit : wish;
  endfunction

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      id_q           <= '0;
      memory_q       <= 1'b0;
      master_q       <= 1'b0;
      parity_q       <= 1'b0;
      serr_q         <= 1'b0;
      intx_off_q     <= 1'b0;
      parity_seen_q  <= 1'b0;
      data_parity_q  <= 1'b0;
      serr_sent_q    <= 1'b0;
      abort_sent_q   <= 1'b0;
      cache_line_q   <= '0;
      irq_line_q     <= '0;
      bar0_q         <= '0;
      bar2_q         <= '0;
      bar4_q         <= '0;
      d3_q           <= 1'b0;
      msix_enable_q  <= 1'b0;
      msix_masked_q  <= 1'b0;
      report_q       <= '0;
      relaxed_q      <= 1'b1;
      ext_tag_q      <= 1'b1;
      no_snoop_q     <= 1'b1;
      mps_q          <= '0;
      mrrs_q         <= 3'd2;
      corr_q         <= 1'b0;
      nonfatal_q     <= 1'b0;
      fatal_q        <= 1'b0;
      unsupported_q  <= 1'b0;
      timeout_q      <= '0;
      timeout_off_q  <= 1'b0;
      target_speed_q <= 4'd4;
    end else begin
      if (write) begin
        id_q <= id_i;
        case (word_i)
          10'h01: begin
            {intx_off_q, serr_q, parity_q, master_q, memory_q} <= {value[10], value[8], value[6], value[2], value[1]};
            if (lanes[24] && wdata_i[24]) data_parity_q <= 1'b0;
            if (lanes[27] && wdata_i[27]) abort_sent_q <= 1'b0;
            if (lanes[30] && wdata_i[30]) serr_sent_q <= 1'b0;
            if (lanes[31] && wdata_i[31]) parity_seen_q <= 1'b0;
          end
          10'h03: cache_line_q <= value[7:0];
          10'h05: bar0_q <= value[31:5];
          10'h06: bar2_q[15:0] <= value[31:16];
          10'h07: bar2_q[47:16] <= value;
          10'h08: bar4_q[13:0] <= value[31:18];
          10'h09: bar4_q[45:14] <= value;
          10'h0f: irq_line_q <= value[7:0];
          10'h11: if (be_i[0] && wdata_i[1] == wdata_i[0]) d3_q <= wdata_i[0];
          10'h14: {msix_enable_q, msix_masked_q} <= value[31:30];
          10'h1a: begin
            report_q   <= value[3:0];
            relaxed_q  <= value[4];
            mps_q      <= at_most(value[7:5], 3'd1);
            ext_tag_q  <= value[8];
            no_snoop_q <= value[11];
            mrrs_q     <= at_most(value[14:12], 3'd2);
            if (lanes[16]) begin
              if (wdata_i[16]) corr_q <= 1'b0;
              if (wdata_i[17]) nonfatal_q <= 1'b0;
              if (wdata_i[18]) fatal_q <= 1'b0;
              if (wdata_i[19]) unsupported_q <= 1'b0;
            end
          end
          10'h22: {timeout_off_q, timeout_q} <= value[4:0];
          10'h24: target_speed_q <= value[3:0];
          default: ;
        endcase
      end
      if (any) begin
        if (corr) corr_q <= 1'b1;
        if (nonfatal) nonfatal_q <= 1'b1;
        if (fatal) fatal_q <= 1'b1;
        if (errors_i[pcie_pkg::ErrPosted] || errors_i[pcie_pkg::ErrNonPosted]) unsupported_q <= 1'b1;
        if (errors_i[pcie_pkg::ErrPoisoned] || errors_i[pcie_pkg::ErrPoisonedCpl]) parity_seen_q <= 1'b1;
        if (errors_i[pcie_pkg::ErrPoisonedCpl] && parity_q) data_parity_q <= 1'b1;
        if (errors_i[pcie_pkg::ErrAborted]) abort_sent_q <= 1'b1;
      end
      if (clear_function_i || clear_link_i) begin
        memory_q      <= 1'b0;
        master_q      <= 1'b0;
        parity_q      <= 1'b0;
        serr_q        <= 1'b0;
        intx_off_q    <= 1'b0;
        parity_seen_q <= 1'b0;
        data_parity_q <= 1'b0;
        serr_sent_q   <= 1'b0;
        abort_sent_q  <= 1'b0;
        cache_line_q  <= '0;
        irq_line_q    <= '0;
        bar0_q        <= '0;
        bar2_q        <= '0;
        bar4_q        <= '0;
        d3_q          <= 1'b0;
        msix_enable_q <= 1'b0;
        msix_masked_q <= 1'b0;
        report_q      <= '0;
        relaxed_q     <= 1'b1;
        ext_tag_q     <= 1'b1;
        no_snoop_q    <= 1'b1;
        mrrs_q        <= 3'd2;
        corr_q        <= 1'b0;
        nonfatal_q    <= 1'b0;
        fatal_q       <= 1'b0;
        unsupported_q <= 1'b0;
        timeout_q     <= '0;
        timeout_off_q <= 1'b0;
      end
      // A function-level reset leaves the payload size and the numbers of bus and device as they are.
      if (clear_link_i) begin
        mps_q <= '0;
        id_q  <= '0;
      end
    end
  end

  assign flr_o = write && word_i == 10'h1a && be_i[1] && wdata_i[15];

  always_comb begin
    bars_o.memory = memory_q && !d3_q;
    bars_o.bar0   = bar0_q;
    bars_o.bar2   = bar2_q;
    bars_o.bar4   = bar4_q;
  end
  always_comb begin
    config_o             = '0;
    config_o.bus_dev_fn  = id_q;
    config_o.bus_master  = master_q && !d3_q;
    config_o.mps         = 4'd7 + {1'b0, mps_q};
    config_o.mrrs        = 4'd7 + {1'b0, mrrs_q};
    config_o.relaxed     = relaxed_q;
    config_o.timeout     = timeout_q;
    config_o.timeout_off = timeout_off_q;
  end
  assign msix_enable_o = msix_enable_q;
  assign msix_masked_o = msix_masked_q;
  assign d3_o          = d3_q;

endmodule
