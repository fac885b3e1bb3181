// SPDX-License-Identifier: Apache-2.0
// SPI engine of the flash controller: one command at a time, from chip select low to chip select high.
//
// Mode 0: sck rests low; a period is 8 clocks, 4 low and 4 high. Outputs change with the falling edge (bytes
// of the data phase one clock later), inputs are sampled by the clock edge that lets sck fall. Bytes travel
// highest bit first, on io0 out and io1 in, or in the data phase of quad commands highest nibble first on io3
// to io0. On one line io2 and io3 are driven high, so that they do not mean write-protect or hold.
// Where a byte to send is missing or the last word read was not taken yet, sck waits low.
//
// `start_i` counts while `busy_o` is low. `stop_i` ends the command early; a word read before may still come.
// `done_o` is a pulse at the end of a command that was not stopped. `more_o`: words read are still to come.
module soc_flash_engine #(
  parameter int unsigned RestClocks = 52  // the least time that chip select is high between commands
) (
  input  logic            clk_i,
  input  logic            rst_ni,

  input  logic            start_i,
  input  logic            stop_i,
  input  logic [7:0]      opcode_i,
  input  logic [2:0]      address_bytes_i,
  input  logic [31:0]     address_i,
  input  logic [4:0]      dummy_i,
  input  logic            read_i,
  input  logic            write_i,
  input  logic            quad_i,
  input  logic [31:0]     length_i,
  output logic            busy_o,
  output logic            done_o,
  output logic            more_o,
  output logic            writing_o,
  output logic [31:0]     remaining_o,

  input  logic            tx_valid_i,
  output logic            tx_ready_o,
  input  logic [63:0]     tx_i,
  output logic            rx_valid_o,
  input  logic            rx_ready_i,
  output soc_pkg::chunk_t rx_o,

  output logic            sck_o,
  output logic            cs_no,
  output logic [3:0]      io_o,
  output logic [3:0]      io_oe_o,
  input  logic [3:0]      io_i
);

  localparam int unsigned RestWidth = $clog2(RestClocks);

  typedef enum logic [2:0] {
    Idle,
    Opcode,
    Address,
    Dummy,
    Read,
    Write,
    End,   // sck low once more before chip select goes high
    Rest
  } state_e;

  state_e               state_q, after_address, after_dummy;
  logic [2:0]           phase_q;         // clock within the sck period
  logic [4:0]           periods_q;       // periods of this byte (or of all dummies) after this one
  logic                 sck_q, cs_q, release_q, stopped_q;
  logic [RestWidth-1:0] rest_q;

  // The command, as it was started.
  logic        read_q, write_q, quad_q;
  logic [2:0]  address_bytes_q;  // still to send
  logic [31:0] address_q;        // next byte on top
  logic [4:0]  dummy_q;
  logic [31:0] remaining_q;      // bytes of the data phase: to be sampled, or to be moved to shift_q

  logic [7:0]  shift_q;          // out, next bit on top
  logic [6:0]  in_q;             // in, latest bit lowest
  logic        loaded_q;         // Write: shift_q has this byte
  logic [63:0] tx_q;
  logic [3:0]  tx_bytes_q;
  logic        rx_valid_q;
  logic [63:0] rx_q;
  logic [3:0]  rx_bytes_q;

  logic       shifting, byte_start, hold, period_end, unit_end, load;
  logic [7:0] in_byte;
  assign shifting   = state_q != Idle && state_q != End && state_q != Rest;
  assign byte_start = phase_q == '0 && periods_q == (quad_q ? 5'd1 : 5'd7);
  assign hold       = (state_q == Read && byte_start && rx_valid_q && !rx_ready_i) ||
                      (state_q == Write && !loaded_q && tx_bytes_q == '0);
  assign period_end = shifting && phase_q == 3'd7;
  assign unit_end   = period_end && periods_q == '0;
  assign load       = state_q == Write && !loaded_q && tx_bytes_q != '0;
  assign in_byte    = quad_q ? {in_q[3:0], io_i} : {in_q[6:0], io_i[1]};

  always_comb begin
    after_dummy = End;
    if (remaining_q != '0) begin
      if (read_q) after_dummy = Read;
      if (write_q) after_dummy = Write;
    end
    after_address = dummy_q != '0 ? Dummy : after_dummy;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q         <= Idle;
      phase_q         <= '0;
      periods_q       <= '0;
      sck_q           <= 1'b0;
      cs_q            <= 1'b0;
      release_q       <= 1'b0;
      stopped_q       <= 1'b0;
      rest_q          <= '0;
      read_q          <= 1'b0;
      write_q         <= 1'b0;
      quad_q          <= 1'b0;
      address_bytes_q <= '0;
      remaining_q     <= '0;
      loaded_q        <= 1'b0;
      tx_bytes_q      <= '0;
      rx_valid_q      <= 1'b0;
      rx_bytes_q      <= '0;
    end else begin
      if (rx_valid_q && rx_ready_i) begin
        rx_valid_q <= 1'b0;
        rx_bytes_q <= '0;
      end
      if (tx_valid_i && tx_ready_o) tx_bytes_q <= 4'd8;
      if (load) begin
        loaded_q    <= 1'b1;
        tx_bytes_q  <= tx_bytes_q - 4'd1;
        remaining_q <= remaining_q - 32'd1;
      end

      if (shifting && !hold) begin
        phase_q <= phase_q + 3'd1;
        if (phase_q == 3'd3) sck_q <= 1'b1;
        if (phase_q == 3'd7) sck_q <= 1'b0;
      end
      if (period_end) periods_q <= periods_q - 5'd1;

      unique case (state_q)
        Idle: begin
          if (start_i) begin
            state_q         <= Opcode;
            cs_q            <= 1'b1;
            periods_q       <= 5'd7;
            stopped_q       <= 1'b0;
            read_q          <= read_i && length_i != '0;
            write_q         <= write_i && length_i != '0;
            quad_q          <= quad_i;
            address_bytes_q <= address_bytes_i;
            remaining_q     <= read_i || write_i ? length_i : '0;
            tx_bytes_q      <= '0;
          end
        end
        Opcode, Address: begin
          if (unit_end) begin
            periods_q <= 5'd7;
            if (address_bytes_q != '0) begin
              state_q         <= Address;
              address_bytes_q <= address_bytes_q - 3'd1;
            end else begin
              state_q   <= after_address;
              release_q <= read_q && quad_q;
              if (dummy_q != '0) periods_q <= dummy_q - 5'd1;
              else if (quad_q)   periods_q <= 5'd1;
            end
          end
        end
        Dummy: begin
          if (unit_end) begin
            state_q   <= after_dummy;
            periods_q <= quad_q ? 5'd1 : 5'd7;
          end
        end
        Read: begin
          if (unit_end) begin
            periods_q   <= quad_q ? 5'd1 : 5'd7;
            remaining_q <= remaining_q - 32'd1;
            rx_bytes_q  <= rx_bytes_q + 4'd1;
            rx_valid_q  <= rx_bytes_q == 4'd7 || remaining_q == 32'd1;
            if (remaining_q == 32'd1) state_q <= End;
          end
        end
        Write: begin
          if (unit_end) begin
            periods_q <= quad_q ? 5'd1 : 5'd7;
            loaded_q  <= 1'b0;
            if (remaining_q == '0) state_q <= End;
          end
        end
        End: begin
          phase_q <= phase_q + 3'd1;
          if (phase_q == 3'd3) begin
            state_q <= Rest;
            cs_q    <= 1'b0;
            rest_q  <= RestWidth'(RestClocks - 1);
          end
        end
        Rest: begin
          phase_q  <= '0;
          loaded_q <= 1'b0;
          if (rest_q != '0) begin
            rest_q <= rest_q - RestWidth'(1);
          end else if (!rx_valid_q) begin
            state_q    <= Idle;
            read_q     <= 1'b0;
            write_q    <= 1'b0;
            release_q  <= 1'b0;
            rx_bytes_q <= '0;
          end
        end
        default: state_q <= Idle;
      endcase

      if (stop_i && shifting) begin
        state_q   <= End;
        phase_q   <= '0;
        sck_q     <= 1'b0;
        stopped_q <= 1'b1;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (tx_valid_i && tx_ready_o) tx_q <= tx_i;
    if (period_end) begin
      in_q    <= in_byte[6:0];
      shift_q <= quad_q && state_q == Write ? {shift_q[3:0], 4'h0} : {shift_q[6:0], 1'b0};
    end
    if (state_q == Idle && start_i) begin
      shift_q   <= opcode_i;
      address_q <= address_bytes_i == 3'd3 ? {address_i[23:0], 8'h00} : address_i;
      dummy_q   <= dummy_i;
    end
    if (unit_end && address_bytes_q != '0) begin
      shift_q   <= address_q[31:24];
      address_q <= {address_q[23:0], 8'h00};
    end
    if (load) begin
      shift_q <= tx_q[7:0];
      tx_q    <= {8'h00, tx_q[63:8]};
    end
    if (unit_end && state_q == Read) begin
      if (rx_bytes_q == '0) rx_q <= '0;
      rx_q[{rx_bytes_q[2:0], 3'b000} +: 8] <= in_byte;
    end
  end

  assign busy_o      = state_q != Idle;
  assign done_o      = state_q == Rest && rest_q == '0 && !rx_valid_q && !stopped_q;
  assign more_o      = rx_valid_q || (read_q && shifting);
  assign writing_o   = write_q;
  assign remaining_o = remaining_q;

  // The next word is fetched while the last byte of the previous one is on the wire.
  assign tx_ready_o = write_q && shifting && tx_bytes_q == '0 && remaining_q != '0;
  assign rx_valid_o = rx_valid_q;
  assign rx_o.count = rx_bytes_q;
  assign rx_o.bytes = rx_q;

  assign sck_o = sck_q;
  assign cs_no = !cs_q;
  always_comb begin
    io_o    = {3'b110, shift_q[7]};
    io_oe_o = 4'b1101;
    if (quad_q && state_q == Write) begin
      io_o    = shift_q[7:4];
      io_oe_o = 4'b1111;
    end
    if (release_q) io_oe_o = 4'b0000;
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      assert (!(read_q && write_q)) else $error("a command has one data phase");
      assert (!sck_q || cs_q) else $error("sck is high outside a command");
      assert (rx_bytes_q <= 4'd8 && tx_bytes_q <= 4'd8) else $error("more bytes than a word has");
    end
  end
`endif

endmodule
