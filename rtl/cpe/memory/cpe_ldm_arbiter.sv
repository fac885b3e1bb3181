// SPDX-License-Identifier: Apache-2.0
// Who has which bank of the local memory in this cycle. cpe_ldm tells the rules.
//
// Lines touch up to three banks, everybody else one.
// Cuts: nothing; ready of a port follows only from ports that go before it.
module cpe_ldm_arbiter #(
  parameter int unsigned Engines = 4
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,

  input  logic                  line_we_i,
  input  logic [16:0]           line_waddr_i,
  input  logic [6:0]            line_wbytes_i,
  input  logic                  line_re_i,
  output logic                  line_re_ready_o,
  input  logic [16:0]           line_raddr_i,
  input  logic [6:0]            line_rbytes_i,
  input  logic                  s_valid_i,
  output logic                  s_ready_o,
  input  logic [7:5]            s_addr_i,
  input  logic [Engines-1:0]    e_valid_i,
  output logic [Engines-1:0]    e_ready_o,
  input  logic [32*Engines-1:0] e_addr_i,
  input  logic                  a_valid_i,
  output logic                  a_ready_o,
  input  logic [7:5]            a_addr_i,
  input  logic                  clear_i,
  output logic                  clearing_o,
  output logic [8:0]            clear_row_o,
  output logic                  others_o,      // somebody else than the scalar core asks for something

  // Per bank
  output logic [7:0]            busy_banks_o,  // has something to do
  output logic [7:0]            lw_banks_o,
  output logic [7:0]            lr_banks_o,

  // Of a line write: bytes that are written
  output logic [31:0]           lw_from_o,     // in the first word
  output logic [31:0]           lw_till_o,     // and in the last
  output logic [1:0]            lw_words_o,    // which follow the first word

  output logic                  event_conflict_o
);

  localparam int unsigned TurnWidth = Engines > 1 ? $clog2(Engines) : 1;

  logic                   clearing_q;
  logic [8:0]             clear_row_q;
  logic [3:0]             a_age_q;
  logic [8*TurnWidth-1:0] turn_q;            // per bank: the engine whose turn it is
  logic [15:0]            lw_span, lr_span;  // banks: those in the row of the first byte below, those in the next row above
  logic [6:0]             lw_end, lr_end;    // last byte, from the beginning of the first word on
  logic [7:0]             taken_banks, lr_wants;
  logic [2:0]             e_bank;
  logic                   others, a_urgent, a_early, in_turn, e_lost;

  // Mostly nobody but the scalar core asks for something, and all that follows is left out.
  assign others   = line_we_i || line_re_i || a_valid_i || clearing_q || e_valid_i != '0;
  assign a_urgent = &a_age_q;

  always_comb begin
    line_re_ready_o  = 1'b0;
    s_ready_o        = 1'b0;
    e_ready_o        = '0;
    a_ready_o        = 1'b0;
    busy_banks_o     = '0;
    lw_banks_o       = '0;
    lr_banks_o       = '0;
    lw_from_o        = '0;
    lw_till_o        = '0;
    lw_words_o       = '0;
    event_conflict_o = 1'b0;
    lw_span          = '0;
    lr_span          = '0;
    lw_end           = '0;
    lr_end           = '0;
    taken_banks      = '0;
    lr_wants         = '0;
    e_bank           = '0;
    a_early          = 1'b0;
    in_turn          = 1'b0;
    e_lost           = 1'b0;
    if (!others) begin
      s_ready_o = s_valid_i;
      if (s_valid_i) busy_banks_o = 8'd1 << s_addr_i;
    end else begin
      if (line_we_i) begin
        lw_end     = {2'b00, line_waddr_i[4:0]} + line_wbytes_i - 7'd1;
        lw_span    = {13'd0, lw_end[6], lw_end[6:5] != '0, 1'b1} << line_waddr_i[7:5];
        lw_banks_o = lw_span[7:0] | lw_span[15:8];
        lw_words_o = lw_end[6:5];
        lw_from_o  = 32'hffff_ffff << line_waddr_i[4:0];
        lw_till_o  = 32'hffff_ffff >> ~lw_end[4:0];
      end
      if (line_re_i && !clearing_q) begin
        lr_end          = {2'b00, line_raddr_i[4:0]} + line_rbytes_i - 7'd1;
        lr_span         = {13'd0, lr_end[6], lr_end[6:5] != '0, 1'b1} << line_raddr_i[7:5];
        lr_wants        = lr_span[7:0] | lr_span[15:8];
        line_re_ready_o = (lr_wants & lw_banks_o) == '0;
        if (line_re_ready_o) lr_banks_o = lr_wants;
      end
      taken_banks = clearing_q ? '1 : lw_banks_o | lr_banks_o;

      if (a_valid_i && a_urgent && !taken_banks[a_addr_i]) begin
        a_early               = 1'b1;
        taken_banks[a_addr_i] = 1'b1;
      end
      if (s_valid_i && !taken_banks[s_addr_i]) begin
        s_ready_o             = 1'b1;
        taken_banks[s_addr_i] = 1'b1;
      end

      // Of the engines first those from the one on whose turn it is at their bank, then the others.
      if (e_valid_i != '0) begin
        for (int unsigned i = 0; i < 2 * Engines; i++) begin
          if (e_valid_i[i % Engines]) begin
            e_bank  = e_addr_i[32*(i % Engines) +: 3];
            in_turn = {1'b0, turn_q[TurnWidth*e_bank +: TurnWidth]} <= (TurnWidth + 1)'(i % Engines);
            if (in_turn == (i < Engines)) begin
              if (!taken_banks[e_bank]) begin
                e_ready_o[i % Engines] = 1'b1;
                taken_banks[e_bank]    = 1'b1;
              end else begin
                e_lost = 1'b1;
              end
            end
          end
        end
      end

      if (a_valid_i && (a_early || !taken_banks[a_addr_i])) begin
        a_ready_o             = 1'b1;
        taken_banks[a_addr_i] = 1'b1;
      end
      busy_banks_o     = taken_banks;
      event_conflict_o = e_lost || (line_re_i && !line_re_ready_o) || (s_valid_i && !s_ready_o) || (a_valid_i && !a_ready_o);
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      turn_q      <= '0;
      a_age_q     <= '0;
      clearing_q  <= 1'b0;
      clear_row_q <= '0;
    end else if (others || clear_i) begin
      // Whom a bank has served goes last next time.
      for (int unsigned i = 0; i < Engines; i++) begin
        if (e_ready_o[i]) turn_q[TurnWidth*e_addr_i[32*i +: 3] +: TurnWidth] <= TurnWidth'((i + 1) % Engines);
      end
      if (a_valid_i) a_age_q <= a_ready_o ? '0 : a_age_q + 4'(!a_urgent);
      if (clear_i) begin
        clearing_q  <= 1'b1;
        clear_row_q <= '0;
      end else if (clearing_q && !line_we_i) begin
        clearing_q  <= clear_row_q != '1;
        clear_row_q <= clear_row_q + 9'd1;
      end
    end
  end

  assign others_o    = others;
  assign clearing_o  = clearing_q;
  assign clear_row_o = clear_row_q;

endmodule
