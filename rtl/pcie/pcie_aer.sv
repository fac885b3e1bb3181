// SPDX-License-Identifier: Apache-2.0
// Extended capabilities: advanced error reporting (0x100), with the log of the first error's header, and the serial number
// (0x140). The error registers survive every reset but power-on; a reset of the function clears masks and severities only.
//
// No error messages are sent: the host looks at the registers.
module pcie_aer (
  input  logic              clk_i,
  input  logic              rst_ni,
  input  logic              clear_i,
  input  logic [63:0]       serial_i,

  input  logic              write_i,
  input  logic [9:0]        word_i,
  input  logic [31:0]       lanes_i,
  input  logic [31:0]       wdata_i,
  output logic [31:0]       rdata_o,

  input  pcie_pkg::errors_t errors_i,   // pulses
  input  logic [127:0]      header_i,   // of what caused them
  output logic              corr_o,     // what they are, for Device Status
  output logic              nonfatal_o,
  output logic              fatal_o
);

  // Bits of the uncorrectable errors, and the advisory bit of the correctable ones.
  localparam int unsigned Poisoned    = 12;
  localparam int unsigned Timeout     = 14;
  localparam int unsigned Abort       = 15;
  localparam int unsigned Unexpected  = 16;
  localparam int unsigned Overflow    = 17;
  localparam int unsigned Malformed   = 18;
  localparam int unsigned Unsupported = 20;
  localparam int unsigned Advisory    = 13;

  localparam logic [31:0] Known      = 32'h0017_d000;
  localparam logic [31:0] Fatal      = 32'h0006_0000;  // severities after reset: overflow and malformed are fatal
  localparam logic [31:0] AdvisoryOnly = 32'h0000_2000;

  logic [31:0]  status_q, mask_q, severity_q;
  logic         advisory_q, advisory_mask_q;
  logic [4:0]   first_q;
  logic [127:0] log_q;

  logic [31:0] now, advisory_now;
  always_comb begin
    now = '0;
    advisory_now = '0;
    if (errors_i != '0) begin
      now[Poisoned]    = errors_i[pcie_pkg::ErrPoisoned] || errors_i[pcie_pkg::ErrPoisonedCpl];
      now[Timeout]     = errors_i[pcie_pkg::ErrTimeout];
      now[Abort]       = errors_i[pcie_pkg::ErrAborted];
      now[Unexpected]  = errors_i[pcie_pkg::ErrUnexpected];
      now[Overflow]    = errors_i[pcie_pkg::ErrOverflow];
      now[Malformed]   = errors_i[pcie_pkg::ErrMalformed];
      now[Unsupported] = errors_i[pcie_pkg::ErrPosted] || errors_i[pcie_pkg::ErrNonPosted];
      // Who asked is told by a completion, or nobody waits: these are advisory unless they have been made fatal.
      advisory_now[Abort]       = errors_i[pcie_pkg::ErrAborted];
      advisory_now[Unexpected]  = errors_i[pcie_pkg::ErrUnexpected];
      advisory_now[Unsupported] = errors_i[pcie_pkg::ErrNonPosted] && !errors_i[pcie_pkg::ErrPosted];
      advisory_now = advisory_now & ~severity_q;
    end
  end
  assign corr_o     = advisory_now != '0;
  assign fatal_o    = (now & severity_q) != '0;
  assign nonfatal_o = (now & ~severity_q & ~advisory_now) != '0;

  // The first error that is recorded while the pointer does not show one still present.
  logic        record;
  logic [31:0] unmasked;
  logic [4:0]  lowest;
  assign unmasked = now & ~mask_q;
  assign record   = unmasked != '0 && !status_q[first_q];
  always_comb begin
    lowest = '0;
    if (record) begin
      for (int unsigned i = 32; i > 0; i--) begin
        if (unmasked[i-1]) lowest = 5'(i - 1);
      end
    end
  end

  logic [31:0] cleared;
  assign cleared = write_i && word_i == 10'h41 ? lanes_i & wdata_i : '0;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      status_q        <= '0;
      mask_q          <= '0;
      severity_q      <= Fatal;
      advisory_q      <= 1'b0;
      advisory_mask_q <= 1'b1;
      first_q         <= '0;
      log_q           <= '0;
    end else begin
      if (write_i) begin
        case (word_i)
          10'h41: status_q <= status_q & ~cleared;
          10'h42: mask_q <= ((mask_q & ~lanes_i) | (wdata_i & lanes_i)) & Known;
          10'h43: severity_q <= ((severity_q & ~lanes_i) | (wdata_i & lanes_i)) & Known;
          10'h44: if ((lanes_i & wdata_i & AdvisoryOnly) != '0) advisory_q <= 1'b0;
          10'h45: if (lanes_i[Advisory]) advisory_mask_q <= wdata_i[Advisory];
          default: ;
        endcase
      end
      if (now != '0) begin
        status_q <= (status_q & ~cleared) | now;
        if (corr_o) advisory_q <= 1'b1;
        if (record) begin
          first_q <= lowest;
          log_q   <= header_i;
        end
      end
      if (clear_i) begin
        mask_q          <= '0;
        severity_q      <= Fatal;
        advisory_mask_q <= 1'b1;
      end
    end
  end

  always_comb begin
    case (word_i)
      10'h40:  rdata_o = 32'h1402_0001;
      10'h41:  rdata_o = status_q;
      10'h42:  rdata_o = mask_q;
      10'h43:  rdata_o = severity_q;
      10'h44:  rdata_o = {18'd0, advisory_q, 13'd0};
      10'h45:  rdata_o = {18'd0, advisory_mask_q, 13'd0};
      10'h46:  rdata_o = {27'd0, first_q};
      10'h47:  rdata_o = log_q[127:96];
      10'h48:  rdata_o = log_q[95:64];
      10'h49:  rdata_o = log_q[63:32];
      10'h4a:  rdata_o = log_q[31:0];
      10'h50:  rdata_o = 32'h0001_0003;
      10'h51:  rdata_o = serial_i[31:0];
      10'h52:  rdata_o = serial_i[63:32];
      default: rdata_o = '0;
    endcase
  end

endmodule
