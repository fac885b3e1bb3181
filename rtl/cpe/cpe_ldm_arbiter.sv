// Who has which bank of the local memory in this cycle. cpe_ldm tells the rules.
//
// Lines touch up to three banks, everybody else one. What a bank needs to know of a line comes ready for it: its row, and whether
// it has the first or the last word.
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
  input  logic [12*Engines-1:0] e_addr_i,
  input  logic                  a_valid_i,
  output logic                  a_ready_o,
  input  logic [7:5]            a_addr_i,
  input  logic                  clear_i,
  output logic                  clearing_o,
  output logic [8:0]            clear_row_o,

  // Per bank
  output logic [7:0]            busy_banks_o,  // has something to do
  output logic [7:0]            s_bank_o,
  output logic [7:0]            a_bank_o,
  output logic [7:0]            lw_banks_o,
  output logic [7:0]            lw_first_o,
  output logic [7:0]            lw_last_o,
  output logic [7:0]            lw_above_o,    // its word lies in the second of the rows
  output logic [31:0]           lw_from_o,     // bytes that are written in the first word
  output logic [31:0]           lw_till_o,     // and in the last
  output logic [8:0]            lw_row_o,
  output logic [8:0]            lw_row_next_o,
  output logic [7:0]            lr_banks_o,
  output logic [7:0]            lr_above_o,
  output logic [8:0]            lr_row_o,
  output logic [8:0]            lr_row_next_o,

  output logic                  event_conflict_o
);

  localparam int unsigned TurnWidth = Engines > 1 ? $clog2(Engines) : 1;

  // --- Line port ----------------------------------------------------------------------------------------------------

  logic        clearing_q;
  logic [8:0]  clear_row_q;
  logic [15:0] lw_span, lr_span;             // banks: those in the row of the first byte below, those in the next row above
  logic [6:0]  lw_end, lr_end;               // last byte, from the beginning of the first word on
  logic        clear;

  always_comb begin
    lw_span       = '0;
    lw_end        = '0;
    lw_first_o    = '0;
    lw_last_o     = '0;
    lw_from_o     = '0;
    lw_till_o     = '0;
    lw_row_o      = '0;
    lw_row_next_o = '0;
    if (line_we_i) begin
      lw_end        = {2'b00, line_waddr_i[4:0]} + line_wbytes_i - 7'd1;
      lw_span       = {13'd0, lw_end[6], lw_end[6:5] != '0, 1'b1} << line_waddr_i[7:5];
      lw_first_o    = 8'd1 << line_waddr_i[7:5];
      lw_last_o     = 8'd1 << (line_waddr_i[7:5] + {1'b0, lw_end[6:5]});
      lw_from_o     = 32'hffff_ffff << line_waddr_i[4:0];
      lw_till_o     = 32'hffff_ffff >> ~lw_end[4:0];
      lw_row_o      = line_waddr_i[16:8];
      lw_row_next_o = line_waddr_i[16:8] + 9'd1;
    end
  end

  assign lw_banks_o = lw_span[7:0] | lw_span[15:8];
  assign lw_above_o = lw_span[15:8];
  assign lr_above_o = lr_span[15:8];

  always_comb begin
    lr_span         = '0;
    lr_end          = '0;
    lr_row_o        = '0;
    lr_row_next_o   = '0;
    line_re_ready_o = 1'b0;
    if (line_re_i && !clearing_q) begin
      lr_end          = {2'b00, line_raddr_i[4:0]} + line_rbytes_i - 7'd1;
      lr_span         = {13'd0, lr_end[6], lr_end[6:5] != '0, 1'b1} << line_raddr_i[7:5];
      lr_row_o        = line_raddr_i[16:8];
      lr_row_next_o   = line_raddr_i[16:8] + 9'd1;
      line_re_ready_o = ((lr_span[7:0] | lr_span[15:8]) & lw_banks_o) == '0;
    end
  end

  assign lr_banks_o = line_re_ready_o ? lr_span[7:0] | lr_span[15:8] : '0;
  assign clear      = clearing_q && !line_we_i;

  // --- Scalar core, engines, access port ----------------------------------------------------------------------------

  logic [7:0]             line_banks, early_banks, e_banks;
  logic                   a_urgent, a_early, a_late;
  logic [3:0]             a_age_q;
  logic [8*TurnWidth-1:0] turn_q, turn_next;  // per bank: the engine whose turn it is
  logic [2:0]             e_bank;
  logic                   in_turn, e_lost;

  assign line_banks = lw_banks_o | lr_banks_o | {8{clearing_q}};
  assign a_urgent   = &a_age_q;
  assign a_early    = a_valid_i && a_urgent && !line_banks[a_addr_i[7:5]];

  always_comb begin
    s_ready_o = 1'b0;
    s_bank_o  = '0;
    if (s_valid_i && !line_banks[s_addr_i[7:5]] && !(a_early && a_addr_i[7:5] == s_addr_i[7:5])) begin
      s_ready_o = 1'b1;
      s_bank_o  = 8'd1 << s_addr_i[7:5];
    end
  end

  assign early_banks = line_banks | s_bank_o | (a_early ? 8'd1 << a_addr_i[7:5] : '0);

  // First those from the one on whose turn it is at their bank, then the others.
  always_comb begin
    e_ready_o = '0;
    e_banks   = '0;
    e_lost    = 1'b0;
    e_bank    = '0;
    in_turn   = 1'b0;
    turn_next = turn_q;
    if (e_valid_i != '0) begin
      for (int unsigned i = 0; i < 2 * Engines; i++) begin
        e_bank  = e_addr_i[12*(i % Engines) +: 3];
        in_turn = {1'b0, turn_q[TurnWidth*e_bank +: TurnWidth]} <= (TurnWidth + 1)'(i % Engines);
        if (e_valid_i[i % Engines] && in_turn == (i < Engines)) begin
          if (!early_banks[e_bank] && !e_banks[e_bank]) begin
            e_ready_o[i % Engines] = 1'b1;
            e_banks[e_bank] = 1'b1;
            turn_next[TurnWidth*e_bank +: TurnWidth] = TurnWidth'((i + 1) % Engines);
          end else begin
            e_lost = 1'b1;
          end
        end
      end
    end
  end

  assign a_late       = a_valid_i && !early_banks[a_addr_i[7:5]] && !e_banks[a_addr_i[7:5]];
  assign a_ready_o    = a_early || a_late;
  assign a_bank_o     = a_ready_o ? 8'd1 << a_addr_i[7:5] : '0;
  assign busy_banks_o = early_banks | e_banks | a_bank_o;

  assign event_conflict_o = e_lost || (line_re_i && !line_re_ready_o) || (s_valid_i && !s_ready_o) || (a_valid_i && !a_ready_o);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      turn_q      <= '0;
      a_age_q     <= '0;
      clearing_q  <= 1'b0;
      clear_row_q <= '0;
    end else begin
      if (e_ready_o != '0) turn_q <= turn_next;
      if (a_valid_i) a_age_q <= a_ready_o ? '0 : a_age_q + 4'(!a_urgent);
      if (clear_i) begin
        clearing_q  <= 1'b1;
        clear_row_q <= '0;
      end else if (clear) begin
        clearing_q  <= clear_row_q != '1;
        clear_row_q <= clear_row_q + 9'd1;
      end
    end
  end

  assign clearing_o  = clearing_q;
  assign clear_row_o = clear_row_q;

endmodule
