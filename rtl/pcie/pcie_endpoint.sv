// SPDX-License-Identifier: Apache-2.0
// The PCIe endpoint but for its DMA engine: the wire, configuration space, BARs, interrupts, the registers that host and
// firmware share, and the debug port. See docs/hardware/pcie.md.
//
// Order: what the host writes takes effect in its order; its reads, and doorbells, come after all its earlier writes. What
// goes to the host goes in the order in which it was taken from whom it came.
module pcie_endpoint (
  input  logic                  clk_i,
  input  logic                  rst_ni,          // power-on

  // Wire.
  input  logic                  link_up_i,
  output logic                  tx_valid_o,
  input  logic                  tx_ready_i,
  output tlp_pkg::beat_t        tx_beat_o,
  input  tlp_pkg::credits_t     tx_limit_i,
  input  logic                  rx_valid_i,
  input  tlp_pkg::beat_t        rx_beat_i,
  output tlp_pkg::credits_t     rx_limit_o,

  // DMA engine.
  output pcie_pkg::config_t     config_o,
  output reg_pkg::reg_req_t     dma_reg_req_o,
  input  reg_pkg::reg_rsp_t     dma_reg_rsp_i,
  input  logic                  p_valid_i,
  output logic                  p_ready_o,
  input  tlp_pkg::beat_t        p_beat_i,
  input  logic                  np_valid_i,
  output logic                  np_ready_o,
  input  tlp_pkg::beat_t        np_beat_i,
  output logic                  cpl_valid_o,
  output tlp_pkg::beat_t        cpl_beat_o,
  input  logic                  irq_valid_i,
  output logic                  irq_ready_o,
  input  logic [4:0]            irq_vector_i,
  input  logic [7:0]            work_i,
  input  pcie_pkg::dma_errors_t dma_errors_i,
  input  logic                  dma_busy_i,

  // Ring: initiator (tags 128 to 255), and target for the registers.
  output logic                  noc_req_valid_o,
  input  logic                  noc_req_ready_i,
  output noc_pkg::req_t         noc_req_o,
  input  logic                  noc_rsp_valid_i,
  input  noc_pkg::rsp_t         noc_rsp_i,
  input  logic                  tgt_req_valid_i,
  output logic                  tgt_req_ready_o,
  input  noc_pkg::req_t         tgt_req_i,
  output logic                  tgt_rsp_valid_o,
  input  logic                  tgt_rsp_ready_i,
  output noc_pkg::rsp_t         tgt_rsp_o,

  // Card.
  input  logic [63:0]           card_i,          // register `card`
  input  logic [63:0]           serial_i,
  input  logic [31:0]           boot_status_i,
  output logic [4:0]            reset_req_o,     // pulses: processor, groups 0 to 3
  input  logic [9:0]            reset_status_i,  // register `reset_status`
  output logic                  flr_o,           // level: the function is being reset, or the link is down
  output debug_pkg::req_t     dbg_req_o,
  input  debug_pkg::rsp_t     dbg_rsp_i,

  // For tracing: a packet has begun, in or out, with so many doublewords of payload.
  output logic                  packet_in_o,
  output logic [10:0]           dwords_in_o,
  output logic                  packet_out_o,
  output logic [10:0]           dwords_out_o,
  output logic                  busy_o
);

  // --------------------------------------------------------------------------------------------------- clock

  logic clk;
  idle_clock u_clock (
    .clk_i,
    .rst_ni,
    .busy_i (busy_o),
    .clk_o  (clk)
  );

  // ------------------------------------------------------------------------------------------------- resets

  logic open, hold, discard, clear_function, clear_link, resetting, reset_busy, flr_asked;
  logic received, posted_busy, np_busy, completer_busy, tx_busy;

  pcie_reset u_reset (
    .clk_i            (clk),
    .rst_ni,
    .link_up_i,
    .flr_i            (flr_asked),
    .answers_idle_i   (!np_busy && !completer_busy),
    .leaves_i         (!tx_valid_o || tx_ready_i),
    .received_i       (received),
    .dma_busy_i,
    .open_o           (open),
    .hold_o           (hold),
    .discard_o        (discard),
    .flr_o,
    .clear_function_o (clear_function),
    .clear_link_o     (clear_link),
    .under_way_o      (resetting),
    .busy_o           (reset_busy)
  );

  // ------------------------------------------------------------------------------------------ configuration

  logic              cfg_valid, cfg_write;
  logic [9:0]        cfg_word;
  logic [3:0]        cfg_be;
  logic [31:0]       cfg_wdata, cfg_rdata;
  logic [15:0]       cfg_id;
  pcie_pkg::bars_t   bars;
  pcie_pkg::config_t settings;
  logic              msix_enable, msix_masked, d3;
  pcie_pkg::errors_t errors;
  logic [127:0]      error_header;

  pcie_config u_config (
    .clk_i            (clk),
    .rst_ni,
    .clear_function_i (clear_function),
    .clear_link_i     (clear_link),
    .link_up_i        (open),
    .serial_i,
    .valid_i          (cfg_valid),
    .write_i          (cfg_write),
    .word_i           (cfg_word),
    .be_i             (cfg_be),
    .wdata_i          (cfg_wdata),
    .id_i             (cfg_id),
    .rdata_o          (cfg_rdata),
    .transactions_i   (dma_busy_i),
    .errors_i         (errors),
    .error_header_i   (error_header),
    .bars_o           (bars),
    .config_o         (settings),
    .msix_enable_o    (msix_enable),
    .msix_masked_o    (msix_masked),
    .d3_o             (d3),
    .flr_o            (flr_asked)
  );

  always_comb begin
    config_o     = settings;
    config_o.flr = flr_o;
  end

  // ------------------------------------------------------------------------------------------------ receive

  logic              p_valid, p_ready, row_read, posted_done, np_valid, np_ready;
  tlp_pkg::request_t p_header, np_header;
  logic [2:0]        row_at;
  logic [511:0]      row;
  logic [31:0]       np_data;
  logic              malformed, overflow, unexpected, rx_empty;
  logic [127:0]      rx_header;

  pcie_rx u_rx (
    .clk_i          (clk),
    .rst_ni,
    .open_i         (open),
    .mps_i          (settings.mps),
    .rx_valid_i,
    .rx_beat_i,
    .rx_limit_o,
    .p_valid_o      (p_valid),
    .p_ready_i      (p_ready),
    .p_header_o     (p_header),
    .row_read_i     (row_read),
    .row_i          (row_at),
    .row_o          (row),
    .posted_done_i  (posted_done),
    .np_valid_o     (np_valid),
    .np_ready_i     (np_ready),
    .np_header_o    (np_header),
    .np_data_o      (np_data),
    .cpl_valid_o,
    .cpl_beat_o,
    .malformed_o    (malformed),
    .overflow_o     (overflow),
    .unexpected_o   (unexpected),
    .error_header_o (rx_header),
    .packet_o       (packet_in_o),
    .dwords_o       (dwords_in_o),
    .empty_o        (rx_empty)
  );
  assign received = !rx_empty;

  // ------------------------------------------------------------------------------------------------- writes

  pcie_pkg::protection_t protection;
  logic                  wr_valid, wr_ready, wr_answer;
  noc_pkg::req_t         wr_req;
  logic [2:0]            line_valid, line_ready, line_rsp_valid, line_rsp_ready;
  pcie_pkg::line_req_t   line_req0, line_req1, line_req2;
  pcie_pkg::line_rsp_t   line_rsp;
  pcie_pkg::errors_t     posted_errors;
  logic [127:0]          posted_header;
  assign wr_answer = noc_rsp_valid_i && noc_rsp_i.tag[7:6] == pcie_pkg::TagWrites;

  pcie_posted u_posted (
    .clk_i            (clk),
    .rst_ni,
    .discard_i        (discard),
    .bars_i           (bars),
    .protection_i     (protection),
    .p_valid_i        (p_valid),
    .p_ready_o        (p_ready),
    .p_header_i       (p_header),
    .row_read_o       (row_read),
    .row_o            (row_at),
    .row_i            (row),
    .done_o           (posted_done),
    .noc_req_valid_o  (wr_valid),
    .noc_req_ready_i  (wr_ready),
    .noc_req_o        (wr_req),
    .noc_rsp_valid_i  (wr_answer),
    .noc_rsp_slot_i   (noc_rsp_i.tag[5:0]),
    .noc_rsp_status_i (noc_rsp_i.status),
    .line_valid_o     (line_valid[0]),
    .line_ready_i     (line_ready[0]),
    .line_req_o       (line_req0),
    .line_done_i      (line_rsp_valid[0]),
    .line_err_i       (line_rsp.err),
    .errors_o         (posted_errors),
    .error_header_o   (posted_header),
    .busy_o           (posted_busy)
  );

  // -------------------------------------------------------------------------------------------------- reads

  logic               answer_valid, answer_ready, slot_take, slot_free, rd_valid, rd_ready, rd_answer;
  pcie_pkg::answer_t  answer;
  logic [4:0]         slot, line_slot, fill_slot;
  noc_pkg::req_t      rd_req;
  logic               fill_valid;
  noc_pkg::status_t   fill_status;
  logic [511:0]       fill_data;
  pcie_pkg::errors_t  np_errors, completer_errors;
  logic [127:0]       completer_header;
  logic               reply_valid, reply_ready;
  tlp_pkg::beat_t     reply_beat;
  assign rd_answer = noc_rsp_valid_i && noc_rsp_i.tag[7:5] == pcie_pkg::TagReads;

  pcie_nonposted u_nonposted (
    .clk_i           (clk),
    .rst_ni,
    .hold_i          (hold),
    .bars_i          (bars),
    .protection_i    (protection),
    .np_valid_i      (np_valid),
    .np_ready_o      (np_ready),
    .np_header_i     (np_header),
    .np_data_i       (np_data),
    .answer_valid_o  (answer_valid),
    .answer_ready_i  (answer_ready),
    .answer_o        (answer),
    .slot_take_o     (slot_take),
    .slot_free_i     (slot_free),
    .slot_i          (slot),
    .noc_req_valid_o (rd_valid),
    .noc_req_ready_i (rd_ready),
    .noc_req_o       (rd_req),
    .line_valid_o    (line_valid[1]),
    .line_ready_i    (line_ready[1]),
    .line_req_o      (line_req1),
    .line_done_i     (line_rsp_valid[1] && line_rsp_ready[1]),
    .line_slot_o     (line_slot),
    .cfg_valid_o     (cfg_valid),
    .cfg_write_o     (cfg_write),
    .cfg_word_o      (cfg_word),
    .cfg_be_o        (cfg_be),
    .cfg_wdata_o     (cfg_wdata),
    .cfg_id_o        (cfg_id),
    .cfg_rdata_i     (cfg_rdata),
    .errors_o        (np_errors),
    .busy_o          (np_busy)
  );

  // Lines come from the ring, and when it brings none, from the registers.
  always_comb begin
    fill_valid  = rd_answer || line_rsp_valid[1];
    fill_slot   = rd_answer ? noc_rsp_i.tag[4:0] : line_slot;
    fill_status = rd_answer ? noc_rsp_i.status : line_rsp.err ? noc_pkg::StatusNobody : noc_pkg::StatusOk;
    fill_data   = '0;
    if (rd_answer) fill_data = noc_rsp_i.data;
    else if (fill_valid) fill_data = line_rsp.data;
  end

  pcie_completer u_completer (
    .clk_i          (clk),
    .rst_ni,
    .id_i           (settings.bus_dev_fn),
    .mps_i          (settings.mps),
    .answer_valid_i (answer_valid),
    .answer_ready_o (answer_ready),
    .answer_i       (answer),
    .slot_take_i    (slot_take),
    .slot_free_o    (slot_free),
    .slot_o         (slot),
    .line_valid_i   (fill_valid),
    .line_slot_i    (fill_slot),
    .line_status_i  (fill_status),
    .line_data_i    (fill_data),
    .cpl_valid_o    (reply_valid),
    .cpl_ready_i    (reply_ready),
    .cpl_beat_o     (reply_beat),
    .errors_o       (completer_errors),
    .error_header_o (completer_header),
    .busy_o         (completer_busy)
  );

  // ---------------------------------------------------------------------------------------------- registers

  logic              target_busy, lines_busy, reg_msix, reg_master;
  reg_pkg::reg_req_t reg_req;
  reg_pkg::reg_rsp_t reg_rsp;

  pcie_target u_target (
    .clk_i        (clk),
    .rst_ni,
    .req_valid_i  (tgt_req_valid_i),
    .req_ready_o  (tgt_req_ready_o),
    .req_i        (tgt_req_i),
    .rsp_valid_o  (tgt_rsp_valid_o),
    .rsp_ready_i  (tgt_rsp_ready_i),
    .rsp_o        (tgt_rsp_o),
    .line_valid_o (line_valid[2]),
    .line_ready_i (line_ready[2]),
    .line_req_o   (line_req2),
    .line_done_i  (line_rsp_valid[2]),
    .line_rsp_i   (line_rsp),
    .busy_o       (target_busy)
  );

  assign line_rsp_ready = {1'b1, !rd_answer, 1'b1};
  pcie_line_regs u_lines (
    .clk_i        (clk),
    .rst_ni,
    .req_valid_i  (line_valid),
    .req_ready_o  (line_ready),
    .req0_i       (line_req0),
    .req1_i       (line_req1),
    .req2_i       (line_req2),
    .rsp_valid_o  (line_rsp_valid),
    .rsp_ready_i  (line_rsp_ready),
    .rsp_o        (line_rsp),
    .reg_req_o    (reg_req),
    .reg_msix_o   (reg_msix),
    .reg_master_o (reg_master),
    .reg_rsp_i    (reg_rsp),
    .busy_o       (lines_busy)
  );

  // BAR4: the devices `pcie`, `dma` and `debug`, 64 KiB each. A request is still until it is answered, and so is the choice.
  logic [1:0]        device;
  reg_pkg::reg_req_t msix_req, pcie_req, debug_req;
  reg_pkg::reg_rsp_t msix_rsp, pcie_rsp, debug_rsp;
  // The host's writes to the DMA engine may be refused: it could reach everything through it.
  logic              dma_closed, dma_refused;
  assign device      = reg_req.addr[17:16];
  assign dma_refused = dma_closed && reg_req.write && !reg_master;
  always_comb begin
    msix_req            = reg_req;
    msix_req.valid      = reg_req.valid && reg_msix;
    pcie_req            = reg_req;
    pcie_req.valid      = reg_req.valid && !reg_msix && device == 2'd0;
    dma_reg_req_o       = reg_req;
    dma_reg_req_o.valid = reg_req.valid && !reg_msix && device == 2'd1 && !dma_refused;
    debug_req           = reg_req;
    debug_req.valid     = reg_req.valid && !reg_msix && device == 2'd2;
  end
  always_comb begin
    if (reg_msix) begin
      reg_rsp = msix_rsp;
    end else begin
      unique case (device)
        2'd0:    reg_rsp = pcie_rsp;
        2'd1: begin
          reg_rsp = dma_reg_rsp_i;
          if (dma_refused) begin
            reg_rsp.ready = 1'b1;
            reg_rsp.err   = 1'b1;
          end
        end
        2'd2:    reg_rsp = debug_rsp;
        default: begin
          reg_rsp       = '0;
          reg_rsp.ready = 1'b1;
          reg_rsp.err   = 1'b1;
        end
      endcase
    end
  end

  logic        doorbell, raise;
  logic [4:0]  number;
  pcie_regs_pkg::link_t link;
  always_comb begin
    link                = '0;
    link.up             = open;
    link.memory         = bars.memory;
    link.bus_master     = settings.bus_master;
    link.msix           = msix_enable;
    link.d3             = d3;
    link.function_reset = resetting;
    link.mps            = settings.mps;
    link.mrrs           = settings.mrrs;
    link.requester      = settings.bus_dev_fn;
  end

  pcie_regs u_regs (
    .clk_i          (clk),
    .rst_ni,
    .req_i          (pcie_req),
    .master_i       (reg_master),
    .rsp_o          (pcie_rsp),
    .card_i,
    .boot_status_i,
    .reset_status_i,
    .link_i         (link),
    .bar0_i         ({bars.bar0, 37'd0}),
    .doorbell_o     (doorbell),
    .irq_o          (raise),
    .number_o       (number),
    .reset_o        (reset_req_o),
    .protection_o   (protection),
    .dma_closed_o   (dma_closed),
    .errors_i       (errors),
    .packet_in_i    (packet_in_o),
    .dwords_in_i    (dwords_in_o),
    .packet_out_i   (packet_out_o),
    .dwords_out_i   (dwords_out_o)
  );

  pcie_debug u_debug (
    .clk_i     (clk),
    .rst_ni,
    .clear_i   (clear_function || clear_link),
    .req_i     (debug_req),
    .rsp_o     (debug_rsp),
    .dbg_req_o,
    .dbg_rsp_i
  );

  // ---------------------------------------------------------------------------------------------- interrupts

  logic           msix_busy, msg_valid, msg_ready;
  tlp_pkg::beat_t msg_beat;

  pcie_msix u_msix (
    .clk_i          (clk),
    .rst_ni,
    .clear_i        (clear_function || clear_link),
    .enable_i       (msix_enable),
    .masked_i       (msix_masked || flr_o),
    .bus_master_i   (settings.bus_master),
    .id_i           (settings.bus_dev_fn),
    .reg_req_i      (msix_req),
    .reg_rsp_o      (msix_rsp),
    .irq_valid_i,
    .irq_ready_o,
    .irq_vector_i,
    .raise_i        (raise),
    .raise_vector_i (number),
    .msg_valid_o    (msg_valid),
    .msg_ready_i    (msg_ready),
    .msg_beat_o     (msg_beat),
    .busy_o         (msix_busy)
  );

  logic          inbox_valid, inbox_ready, inbox_answer, inbox_failed, inbox_busy;
  noc_pkg::req_t inbox_req;
  logic [63:0]   inbox_bits;
  assign inbox_answer = noc_rsp_valid_i && noc_rsp_i.tag[7:5] == pcie_pkg::TagInbox[7:5];
  assign inbox_bits   = {24'd0, work_i, doorbell ? 32'd1 << number : 32'd0};

  pcie_inbox u_inbox (
    .clk_i            (clk),
    .rst_ni,
    .bits_i           (inbox_bits),
    .noc_req_valid_o  (inbox_valid),
    .noc_req_ready_i  (inbox_ready),
    .noc_req_o        (inbox_req),
    .noc_rsp_valid_i  (inbox_answer),
    .noc_rsp_status_i (noc_rsp_i.status),
    .failed_o         (inbox_failed),
    .busy_o           (inbox_busy)
  );

  // --------------------------------------------------------------------------------------------------- ring

  logic [1:0] unused_index;
  stream_arbiter #(
    .N     (3),
    .Width ($bits(noc_req_o))
  ) u_ring (
    .clk_i       (clk),
    .rst_ni,
    .in_valid_i  ({inbox_valid, rd_valid, wr_valid}),
    .in_ready_o  ({inbox_ready, rd_ready, wr_ready}),
    .in_data_i   ({inbox_req, rd_req, wr_req}),
    .out_valid_o (noc_req_valid_o),
    .out_ready_i (noc_req_ready_i),
    .out_data_o  (noc_req_o),
    .out_index_o (unused_index)
  );

  // ------------------------------------------------------------------------------------------------- transmit

  pcie_tx u_tx (
    .clk_i            (clk),
    .rst_ni,
    .open_i           (open),
    .valid_i          ({np_valid_i, msg_valid, p_valid_i, reply_valid}),
    .ready_o          ({np_ready_o, msg_ready, p_ready_o, reply_ready}),
    .cpl_beat_i       (reply_beat),
    .posted_beat_i    (p_beat_i),
    .irq_beat_i       (msg_beat),
    .nonposted_beat_i (np_beat_i),
    .tx_valid_o,
    .tx_ready_i,
    .tx_beat_o,
    .tx_limit_i,
    .packet_o         (packet_out_o),
    .dwords_o         (dwords_out_o),
    .busy_o           (tx_busy)
  );

  // --------------------------------------------------------------------------------------------------- errors

  always_comb begin
    errors                             = posted_errors | np_errors | completer_errors;
    errors[pcie_pkg::ErrMalformed]     = malformed;
    errors[pcie_pkg::ErrOverflow]      = overflow;
    errors[pcie_pkg::ErrUnexpected]    = unexpected || dma_errors_i.unexpected_cpl;
    errors[pcie_pkg::ErrTimeout]       = dma_errors_i.cpl_timeout;
    errors[pcie_pkg::ErrPoisonedCpl]   = dma_errors_i.poisoned_cpl;
    if (inbox_failed) errors[pcie_pkg::ErrWriteFailed] = 1'b1;
    error_header = '0;
    if (malformed || overflow || unexpected) error_header = rx_header;
    else if (posted_errors != '0) error_header = posted_header;
    else if (np_errors != '0) error_header = np_header;
    else if (completer_errors != '0) error_header = completer_header;
  end

  assign busy_o = reset_busy || rx_valid_i || received || posted_busy || np_busy || completer_busy || tx_busy ||
                  target_busy || tgt_req_valid_i || lines_busy || msix_busy || inbox_busy || work_i != '0 || p_valid_i ||
                  np_valid_i || dma_errors_i != '0;

endmodule
