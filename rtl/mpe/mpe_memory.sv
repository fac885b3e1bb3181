// SPDX-License-Identifier: Apache-2.0
// The core's way to memory: load-store unit with the data cache, the walker of page tables, which both sides of the core share, and
// the bus. Ports as of mpe_lsu, mpe_walker and mpe_bus; those of the fetch stage begin with fetch_.
module mpe_memory #(
    parameter int unsigned CacheBytes = 16384
) (
    input  logic                clk_i,
    input  logic                rst_ni,

    // Translation.
    input  logic                flush_tlb_i,
    input  logic [43:0]         root_ppn_i,
    input  logic                pbmt_enable_i,
    input  logic                translate_i,
    input  mpe_pkg::xlate_ctx_t ctx_i,
    input  logic                fetch_walk_i,
    input  logic [26:0]         fetch_walk_vpn_i,
    input  mpe_pkg::xlate_ctx_t fetch_ctx_i,
    output logic                fetch_walk_done_o,
    output logic                walk_page_fault_o,
    output logic                walk_access_fault_o,
    output mpe_pkg::tlb_entry_t walk_entry_o,

    // Lines of code.
    input  logic                fetch_req_valid_i,
    output logic                fetch_req_ready_o,
    input  logic [39:0]         fetch_req_addr_i,
    output logic                fetch_rsp_o,
    output logic                rsp_err_o,
    output logic [511:0]        rsp_data_o,

    // From the execute stage.
    output logic                x_ready_o,
    input  logic                x_fire_i,
    input  mpe_pkg::mem_op_e    x_op_i,
    input  mbus_pkg::op_e       x_amo_op_i,
    input  logic [1:0]          x_size_i,
    input  logic                x_unsigned_i,
    input  logic [63:0]         x_addr_i,
    input  logic [63:0]         x_data_i,
    input  logic [63:0]         x_pair_i,
    input  logic                cancel_i,
    input  logic                clear_reservation_i,
    output logic                done_o,
    output logic                fault_o,
    output mpe_pkg::exc_e       cause_o,
    output logic [63:0]         tval_o,
    output logic [63:0]         result_o,
    output logic                drained_o,

    output logic                write_error_o,
    output logic                mbus_req_valid_o,
    input  logic                mbus_req_ready_i,
    output mbus_pkg::req_t      mbus_req_o,
    input  logic                mbus_rsp_valid_i,
    input  mbus_pkg::rsp_t      mbus_rsp_i,

`ifdef MPE_RVFI
    output logic [39:0]         rvfi_paddr_o,
    output logic [63:0]         rvfi_rdata_o,
    output logic                rvfi_wrote_o,
`endif
    output logic                ev_miss_o,
    output logic                ev_tlb_miss_o,
    output logic                ev_uncached_o,
    output logic                ev_write_back_o
);

  logic                  data_walk, data_walk_done, pte_read, pte_done, pte_fault;
  logic [26:0]           data_walk_vpn;
  mpe_pkg::access_e      data_walk_access;
  logic [39:0]           pte_addr;
  logic [63:0]           pte_data;
  logic                  refill_valid, refill_ready, wb_valid, wb_ready, io_read_valid, io_read_ready;
  logic                  io_write_valid, io_write_ready, read_rsp, writes_pending;
  logic [39:0]           refill_addr, wb_addr, io_read_addr, io_write_addr;
  logic [511:0]          wb_data;
  mbus_pkg::op_e         io_read_op;
  logic [2:0]            io_read_size;
  logic [63:0]           io_read_data, io_write_low, io_write_high;
  logic [15:0]           io_write_strb;

  mpe_walker u_walker (
      .clk_i, .rst_ni,
      .flush_i        (flush_tlb_i),
      .root_ppn_i,
      .pbmt_enable_i,
      .fetch_walk_i,
      .fetch_vpn_i    (fetch_walk_vpn_i),
      .fetch_ctx_i,
      .fetch_done_o   (fetch_walk_done_o),
      .data_walk_i    (data_walk),
      .data_vpn_i     (data_walk_vpn),
      .data_access_i  (data_walk_access),
      .data_ctx_i     (ctx_i),
      .data_done_o    (data_walk_done),
      .page_fault_o   (walk_page_fault_o),
      .access_fault_o (walk_access_fault_o),
      .entry_o        (walk_entry_o),
      .read_o         (pte_read),
      .read_addr_o    (pte_addr),
      .read_done_i    (pte_done),
      .read_fault_i   (pte_fault),
      .read_data_i    (pte_data)
  );

  mpe_lsu #(.CacheBytes(CacheBytes)) u_lsu (
      .clk_i, .rst_ni,
      .x_ready_o,
      .x_fire_i,
      .x_op_i,
      .x_amo_op_i,
      .x_size_i,
      .x_unsigned_i,
      .x_addr_i,
      .x_data_i,
      .x_pair_i,
      .cancel_i,
      .clear_reservation_i,
      .done_o,
      .fault_o,
      .cause_o,
      .tval_o,
      .result_o,
      .drained_o,
      .translate_i,
      .ctx_i,
      .flush_tlb_i,
      .walk_o              (data_walk),
      .walk_vpn_o          (data_walk_vpn),
      .walk_access_o       (data_walk_access),
      .walk_done_i         (data_walk_done),
      .walk_page_fault_i   (walk_page_fault_o),
      .walk_access_fault_i (walk_access_fault_o),
      .walk_entry_i        (walk_entry_o),
      .pte_read_i          (pte_read),
      .pte_addr_i          (pte_addr),
      .pte_done_o          (pte_done),
      .pte_fault_o         (pte_fault),
      .pte_data_o          (pte_data),
      .refill_valid_o      (refill_valid),
      .refill_ready_i      (refill_ready),
      .refill_addr_o       (refill_addr),
      .wb_valid_o          (wb_valid),
      .wb_ready_i          (wb_ready),
      .wb_addr_o           (wb_addr),
      .wb_data_o           (wb_data),
      .io_read_valid_o     (io_read_valid),
      .io_read_ready_i     (io_read_ready),
      .io_read_op_o        (io_read_op),
      .io_read_addr_o      (io_read_addr),
      .io_read_size_o      (io_read_size),
      .io_read_data_o      (io_read_data),
      .io_write_valid_o    (io_write_valid),
      .io_write_ready_i    (io_write_ready),
      .io_write_addr_o     (io_write_addr),
      .io_write_strb_o     (io_write_strb),
      .io_write_low_o      (io_write_low),
      .io_write_high_o     (io_write_high),
      .read_rsp_i          (read_rsp),
      .read_err_i          (rsp_err_o),
      .read_data_i         (rsp_data_o),
      .writes_pending_i    (writes_pending),
`ifdef MPE_RVFI
      .rvfi_paddr_o,
      .rvfi_rdata_o,
      .rvfi_wrote_o,
`endif
      .ev_miss_o,
      .ev_tlb_miss_o,
      .ev_uncached_o,
      .ev_write_back_o
  );

  mpe_bus u_bus (
      .clk_i, .rst_ni,
      .fetch_valid_i    (fetch_req_valid_i),
      .fetch_ready_o    (fetch_req_ready_o),
      .fetch_addr_i     (fetch_req_addr_i),
      .fetch_rsp_o,
      .refill_valid_i   (refill_valid),
      .refill_ready_o   (refill_ready),
      .refill_addr_i    (refill_addr),
      .io_read_valid_i  (io_read_valid),
      .io_read_ready_o  (io_read_ready),
      .io_read_op_i     (io_read_op),
      .io_read_addr_i   (io_read_addr),
      .io_read_size_i   (io_read_size),
      .io_read_data_i   (io_read_data),
      .read_rsp_o       (read_rsp),
      .wb_valid_i       (wb_valid),
      .wb_ready_o       (wb_ready),
      .wb_addr_i        (wb_addr),
      .wb_data_i        (wb_data),
      .io_write_valid_i (io_write_valid),
      .io_write_ready_o (io_write_ready),
      .io_write_addr_i  (io_write_addr),
      .io_write_strb_i  (io_write_strb),
      .io_write_low_i   (io_write_low),
      .io_write_high_i  (io_write_high),
      .writes_pending_o (writes_pending),
      .write_error_o,
      .rsp_err_o,
      .rsp_data_o,
      .mbus_req_valid_o, .mbus_req_ready_i, .mbus_req_o, .mbus_rsp_valid_i, .mbus_rsp_i
  );

endmodule
