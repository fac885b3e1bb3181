// What the PCIe endpoint core and its DMA engine share. The engine's module:
//
//   module pcie_dma (
//     input  logic                  clk_i, rst_ni,
//     input  pcie_pkg::config_t     config_i,
//     input  reg_pkg::reg_req_t     reg_req_i,      // device `dma`; the address is relative to the card region
//     output reg_pkg::reg_rsp_t     reg_rsp_o,
//     output logic                  p_valid_o,      // posted packets for the wire
//     input  logic                  p_ready_i,
//     output tlp_pkg::beat_t        p_beat_o,
//     output logic                  np_valid_o,     // memory reads for the wire, one beat each
//     input  logic                  np_ready_i,
//     output tlp_pkg::beat_t        np_beat_o,
//     input  logic                  cpl_valid_i,    // completions received; no ready
//     input  tlp_pkg::beat_t        cpl_beat_i,
//     output logic                  irq_valid_o,    // an MSI-X vector
//     input  logic                  irq_ready_i,
//     output logic [4:0]            irq_vector_o,
//     output logic                  noc_req_valid_o,  // ring, tags 0 to 127
//     input  logic                  noc_req_ready_i,
//     output noc_pkg::req_t         noc_req_o,
//     input  logic                  noc_rsp_valid_i,
//     input  noc_pkg::rsp_t         noc_rsp_i,
//     output logic [7:0]            work_o,         // pulses: bits 32 to 39 of the MPE's inbox
//     output pcie_pkg::dma_errors_t errors_o,       // pulses
//     output logic                  busy_o
//   );
//
// Order: what the engine has handed over (valid and ready) on `p` is on its way before anything that it hands over later
// on `np` or `irq`, and before any completion that the core begins later.
package pcie_pkg;

  typedef struct packed {
    logic [15:0] bus_dev_fn;   // requester id
    logic        bus_master;   // low: nothing new may be sent on p and np; what has been begun is ended
    logic [3:0]  mps;          // log2 of the largest payload in bytes: 7 or 8
    logic [3:0]  mrrs;         // log2 of the largest read request in bytes: 7 to 9
    logic        relaxed;      // the relaxed-ordering attribute may be set
    logic [3:0]  timeout;      // completion timeout as in Device Control 2
    logic        timeout_off;
    // Function-level reset or link down. A level: while it is high the engine drops all its work and offers nothing new; a
    // packet of which a beat has been taken is ended. It stays high until `busy_o` is low, so that requests on the ring
    // are answered before it ends.
    logic        flr;
  } config_t;

  // For the error registers of the configuration space.
  typedef struct packed {
    logic        cpl_timeout;     // nobody answered a read in time
    logic        unexpected_cpl;  // a completion for no read of ours
    logic        poisoned_cpl;    // a completion with the EP bit
  } dma_errors_t;

endpackage
