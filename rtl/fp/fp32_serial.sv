// SPDX-License-Identifier: Apache-2.0
// All arithmetic in fp32 that a CPE has, with one multiplier, one adder and one shifter, step after step: what fp32_fma, fp32_order,
// fp32_special and the conversions make, in 6 to 60 cycles.
//
// Operands come one after the other: operand_i is the one that which_o names. valid_i and op_i (fp32_serial_pkg::op_t) stay until done_o,
// with which y_o is the result; when valid_i falls before, nothing is left of it.
//
// A number is a sum of 64 bits with a point between bits 53 and 52, and an exponent. What is rounded has its last place at bit 30, so
// results are bits 53 to 30, integers bits 61 to 30. A product of two mantissas has its one at bit 50 or 51. Of two summands the one
// with the smaller exponent waits in the sum until it is shifted right as far as the other's exponent wants; a one that leaves
// at the lower end stays there as bit 0, where it counts as "not exactly". (fp32_fma tells why that loses nothing; of a product 4
// places may go unharmed here, of an addend 27.) What shall be no product is multiplied by 1.
module fp32_serial (
  input  logic              clk_i,
  input  logic              valid_i,
  input  fp32_serial_pkg::op_t op_i,
  output logic [1:0]        which_o,
  input  logic [31:0]       operand_i,
  output logic              done_o,
  output logic [31:0]       y_o
);

  localparam logic [23:0] One = 24'h80_0000;

  typedef enum logic [4:0] {
    First, Second, Third,            // operands are looked at
    Order,                           // which summand waits
    Compare, Pick,                   // pick_q is the result, but for its number of bits
    Product, Align, Again, Again2, Sum,
    Magnitude, Normalise, Round, Finish,
    Piece, Coefficient, Reload, Whole
  } state_e;

  state_e             q;
  logic [63:0]        sum_q;
  logic signed [9:0]  exponent_q, target_q;  // biased; target_q: of the other summand, or of bit 53 where rounding is to begin
  logic signed [32:0] n_q;                   // factors
  logic signed [24:0] m_q;
  logic [1:0]         pick_q;
  logic [1:0]         coefficient_q;
  logic               sign_q, addend_sign_q, subtract_q, swapped_q;
  logic               nan_q, infinite_q, zero_q;
  logic               saturated_q, final_q;  // final_q: not computed

  // --- What is to be done -------------------------------------------------------------------------------------------

  logic [1:0] group;
  logic       of, to, special, half_in, whole, compares, passes, to_half, to_int8, exp2, log2, multiplies, adds;

  assign group      = op_i[4:3];
  assign special    = group == fp32_serial_pkg::Special;
  assign of         = group == fp32_serial_pkg::Of;
  assign to         = group == fp32_serial_pkg::To;
  assign half_in    = of && op_i[1:0] == cpe_isa_pkg::NumberFp16;
  assign whole      = of && op_i[0];
  assign to_half    = to && !op_i[0];
  assign to_int8    = to && op_i[1];                     // when it is not to_half
  assign compares   = group == fp32_serial_pkg::Operation && op_i[2:0] >= cpe_isa_pkg::VectorMin;
  assign passes     = of || compares;
  assign multiplies = op_i[2:0] != cpe_isa_pkg::VectorAdd;   // of sums and products
  assign adds       = op_i[2:0] != cpe_isa_pkg::VectorMul;
  assign exp2       = special && op_i[2:0] == cpe_isa_pkg::SpecialExp2;
  assign log2       = special && op_i[2:0] == cpe_isa_pkg::SpecialLog2;

  // --- The operand --------------------------------------------------------------------------------------------------

  logic        sign, subnormal, beyond, none, zero, nan, infinite;
  logic [7:0]  raw_exponent, exponent;
  logic [22:0] fraction;
  logic [23:0] mantissa;

  assign sign         = half_in ? operand_i[15] : whole && op_i[1] ? operand_i[7] : operand_i[31];
  assign raw_exponent = half_in ? {3'd0, operand_i[14:10]} : operand_i[30:23];
  assign fraction     = half_in ? {operand_i[9:0], 13'd0} : operand_i[22:0];
  assign subnormal    = raw_exponent == '0;
  assign beyond       = half_in ? raw_exponent[4:0] == '1 : raw_exponent == '1;
  assign none         = fraction == '0;
  assign zero         = subnormal && none;
  assign nan          = beyond && !none && !whole;
  assign infinite     = beyond && none && !whole;
  // Subnormal numbers have the exponent of the smallest normal ones.
  assign exponent     = {raw_exponent[7:1], raw_exponent[0] | subnormal};
  assign mantissa     = {!subnormal, fraction};

  // --- Comparisons --------------------------------------------------------------------------------------------------

  logic less, same, below, any_nan, holds;

  always_comb begin
    less    = n_q[30:0] < operand_i[30:0];
    same    = n_q[31:0] == operand_i;
    any_nan = nan_q || nan;
    // As integers in the order of the numbers: -0 is below +0.
    below   = n_q[31] != operand_i[31] ? n_q[31] : less ^ (n_q[31] && !same);
    holds   = (op_i[2:0] == cpe_isa_pkg::VectorLess ? below && !(zero_q && zero) : same || (zero_q && zero)) && !any_nan;
  end

  // --- Pieces of special functions ------------------------------------------------------------------------------------

  logic [8:0]  piece;
  logic [19:0] position;
  logic [63:0] word;
  logic [26:0] coefficient;
  logic        high;       // a mantissa from 1.5 on

  assign high = operand_i[22];

  // Positions count from the end of a piece, but for exp2. Pieces in the upper half of a mantissa's range are longer, but for the
  // reciprocal.
  always_comb begin
    position = high && op_i[2:0] != cpe_isa_pkg::SpecialReciprocal ? {~operand_i[16:0], 3'd0} : {~operand_i[15:0], 4'd0};
    case (op_i[2:0])
      cpe_isa_pkg::SpecialExp2: begin
        piece    = {3'd0, sum_q[55:50]};
        position = sum_q[49:30];
      end
      cpe_isa_pkg::SpecialLog2:       piece = high ? {4'd12, operand_i[21:17]} : {3'd1, operand_i[21:16]};
      cpe_isa_pkg::SpecialReciprocal: piece = {2'd1, operand_i[22:16]};
      // An odd power of two (an even biased exponent) goes into the square root.
      default: piece = !high ? {2'd2, !operand_i[23], operand_i[21:16]} : operand_i[23] ? {4'd13, operand_i[21:17]}
                     : {4'd14, operand_i[21:17]};
    endcase
    case (coefficient_q)
      2'd0:    coefficient = {12'd0, word[14:0]};
      2'd1:    coefficient = {5'd0, word[36:15]};
      default: coefficient = word[63:37];
    endcase
  end

  fp32_special_table u_table (
    .clk_i,
    .en_i     (q == Piece),
    .address_i(piece),
    .word_o   (word)
  );

  // --- Results that are not computed ----------------------------------------------------------------------------------

  // They have a sum of 0: the exponent tells which one it is.
  typedef enum logic [1:0] { Zero, Infinity, NotANumber, OneOrMore } outcome_e;

  outcome_e outcome;
  logic     settled;       // the result is this one
  logic     settled_sign;
  logic     too_large;     // beyond what integers or fp16 have
  logic     overflow;      // as the computed result shows
  logic     late;          // settled, by that; apart from the rest, as nothing of it depends on an operand

  logic signed [9:0] result_exponent;

  assign overflow = to ? !to_half && to_int8 && sum_q[37] && !sign_q : result_exponent >= 10'sd255;
  assign late     = q == Finish && !final_q && (overflow || (special && result_exponent <= 10'sd0));

  always_comb begin
    too_large    = raw_exponent >= (to_half ? 8'd143 : to_int8 ? 8'd134 : 8'd158);
    settled      = late;
    settled_sign = sign_q;
    outcome      = NotANumber;
    case (q)
      First, Pick: begin
        settled_sign = sign;
        if (to) begin
          settled = too_large;
          outcome = nan ? NotANumber : Infinity;
        end else if (special) begin
          settled      = nan;
          settled_sign = sign && op_i[2:0] != cpe_isa_pkg::SpecialExp2;
          if (!nan) begin
            if (exp2) begin
              settled = raw_exponent >= 8'd134;
              outcome = sign ? Zero : Infinity;
            end else if (subnormal) begin
              {settled, settled_sign} = {1'b1, sign || log2};
              outcome = Infinity;
            end else if (sign && op_i[2:0] != cpe_isa_pkg::SpecialReciprocal) begin
              settled = 1'b1;
            end else if (infinite) begin
              settled = 1'b1;
              outcome = log2 ? Infinity : Zero;
            end
          end
        end else if (of || q == Pick) begin
          settled = nan || infinite;
          if (!nan) outcome = Infinity;
        end
      end
      Third: begin
        settled_sign = infinite_q ? sign_q : sign;
        settled      = nan_q || infinite_q || (adds && (nan || infinite));
        if (!nan_q && !(infinite_q && zero_q) && !(adds && (nan || (infinite_q && infinite && sign_q != sign)))) outcome = Infinity;
      end
      Compare: begin
        settled      = op_i[2:0] == cpe_isa_pkg::VectorLess || op_i[2:0] == cpe_isa_pkg::VectorEqual;
        settled_sign = 1'b0;
        outcome      = holds ? OneOrMore : Zero;
      end
      Normalise: begin
        settled = sum_q == '0;
        outcome = Zero;
      end
      Finish: outcome = overflow ? Infinity : Zero;
      default: ;
    endcase
  end

  // --- The sum ------------------------------------------------------------------------------------------------------

  logic signed [57:0] product;
  logic [63:0]        other, sum;
  logic               multiply, invert, carry;
  logic signed [9:0]  distance;              // to go
  logic               tiny, right, left, far;

  assign product  = n_q * m_q;
  assign tiny     = sum_q[63:1] == '0;
  assign distance = target_q - exponent_q;

  always_comb begin
    multiply = 1'b0;
    invert   = 1'b0;
    carry    = 1'b0;
    right    = 1'b0;
    left     = 1'b0;
    far      = 1'b0;
    other    = '0;
    case (q)
      Product: multiply = 1'b1;
      Sum: begin
        multiply = 1'b1;
        invert   = subtract_q;
        carry    = subtract_q;
      end
      Align: begin
        right = distance > 10'sd0;
        left  = distance[9];
        far   = right ? distance[9:3] != '0 : 1'b0;
      end
      Magnitude: begin
        // The one with the larger exponent may still be the smaller number.
        invert = log2 ? sign_q : sum_q[63];
        carry  = invert;
      end
      Normalise: begin
        // Up to the first one, but not beyond the smallest exponent.
        right = sum_q[63:54] != '0;
        left  = !right && !sum_q[53] && exponent_q != 10'sd1;
        far   = left && sum_q[53:46] == '0 && exponent_q > 10'sd8;
      end
      Round: begin
        // exp2's argument is rounded away from 0, results to even: Finish sees to that.
        other[29] = 1'b1;
        invert    = sign_q && (exp2 || (to && !to_half)) && coefficient_q == '0;
        carry     = invert && !exp2;
      end
      Coefficient: other[53:26] = {coefficient_q[1], coefficient};
      Whole:       other[63:57] = exponent_q[6:0];
      default: ;
    endcase
    sum = (sum_q ^ {64{invert}}) + (multiply ? {{2{product[57]}}, product, 4'd0} : other) + 64'(carry);
  end

  always_ff @(posedge clk_i) begin
    if (right)     sum_q <= far ? {8'd0, sum_q[63:9], sum_q[8:0] != '0} : {1'b0, sum_q[63:2], sum_q[1:0] != '0};
    else if (left) sum_q <= far ? {sum_q[55:0], 8'd0} : {sum_q[62:0], 1'b0};
    else           sum_q <= sum;
    if (settled || q == First || q == Pick || q == Piece || q == Reload) sum_q <= '0;
  end

  // --- The exponent ---------------------------------------------------------------------------------------------------

  logic signed [9:0] base, more, exponent_sum;
  logic              plus_one, swap;

  assign swap = exponent_q >= target_q && adds;  // the addend waits in the sum

  always_comb begin
    base     = exponent_q;
    more     = '0;
    plus_one = 1'b0;
    case (q)
      First, Pick, Third: begin
        base = half_in ? 10'sd115 : 10'sd3;
        more = {2'd0, exponent};
        if (whole) begin
          base = op_i[1] ? 10'sd129 : 10'sd153;
          more = '0;
        end
        // No addend: as small as can be.
        if (q == Third && !adds) more = 10'sd1;
      end
      Second: begin
        more     = {{3{!exponent[7]}}, exponent[6:0]};  // less 128
        plus_one = 1'b1;
      end
      Product: more = 10'sd10;
      Align: begin
        more = right ? far ? 10'sd8 : 10'sd1 : left ? -10'sd1 : '0;
      end
      Normalise: begin
        if (right) more = 10'sd1;
        if (left)  more = far ? -10'sd8 : -10'sd1;
      end
      Piece: begin
        plus_one = 1'b1;
        case (op_i[2:0])
          cpe_isa_pkg::SpecialExp2: begin
            base = 10'sd126;
            more = {{2{sum_q[63]}}, sum_q[63:56]};
          end
          cpe_isa_pkg::SpecialLog2: begin
            base = {9'd0, high};
            more = {{3{!exponent[7]}}, exponent[6:0]};
          end
          cpe_isa_pkg::SpecialReciprocal: begin
            base = 10'sd253;
            more = ~{2'd0, exponent};
          end
          default: begin
            base     = 10'sd190;
            more     = ~{3'd0, exponent[7:1]};
            plus_one = !exponent[0];
          end
        endcase
      end
      default: ;
    endcase
    exponent_sum = base + more + 10'(plus_one);
  end

  always_ff @(posedge clk_i) begin
    exponent_q <= exponent_sum;
    case (q)
      First, Second, Pick, Align, Normalise, Piece: ;
      Order: if (swap) exponent_q <= target_q;
      Whole: exponent_q <= 10'sd123;
      default: exponent_q <= exponent_q;
    endcase
    if (q == Third && zero_q) exponent_q <= 10'sd4;
    if (q == Align && right && tiny) exponent_q <= target_q;
    if (settled) begin
      case (outcome)
        Zero:      exponent_q <= 10'sd1;
        OneOrMore: exponent_q <= 10'sd128;
        default:   exponent_q <= to_half ? 10'sd157 : 10'sd256;
      endcase
    end
    case (q)
      Third:   target_q <= exponent_sum;
      Order:   if (exponent_q >= target_q) target_q <= exponent_q;  // without an addend: nothing to wait for
      Product: begin
        if (exp2)         target_q <= 10'sd124;
        else if (to_half) target_q <= exponent_q < 10'sd116 ? 10'sd126 : exponent_sum;
        else if (to)      target_q <= 10'sd150;
      end
      default: ;
    endcase
  end

  // --- Factors --------------------------------------------------------------------------------------------------------

  always_ff @(posedge clk_i) begin
    case (q)
      First, Pick, Again: begin
        n_q <= {9'd0, mantissa};
        m_q <= {1'b0, One};
        if ((whole || compares) && q == First) n_q <= {operand_i[31], operand_i};
        if (whole && op_i[1]) n_q <= {operand_i[7], operand_i[7:0], 24'd0};
      end
      Order: if (swap) begin
        n_q <= {9'd0, mantissa};
        m_q <= {1'b0, One};
      end
      Second, Again2: m_q <= {1'b0, mantissa};
      Piece:          m_q <= {5'd0, position};
      Reload: begin
        n_q <= {2'd0, sum_q[54:24]};
        // The distance from 1, or, downwards, from 2.
        if (coefficient_q == 2'd2) m_q <= high ? {2'b11, fraction} : {2'b00, fraction[21:0], 1'b0};
      end
      default: ;
    endcase
  end

  // --- One step after the other ---------------------------------------------------------------------------------------

  always_comb begin
    case (q)
      Second, Compare, Again2: which_o = 2'd1;
      Third, Order:            which_o = 2'd2;
      Again:                   which_o = swapped_q ? 2'd0 : 2'd2;
      Pick:                    which_o = pick_q;
      default:                 which_o = 2'd0;
    endcase
  end

  always_ff @(posedge clk_i) begin
    case (q)
      First: begin
        {subtract_q, swapped_q, saturated_q, final_q} <= '0;
        pick_q        <= '0;
        coefficient_q <= '0;
        sign_q        <= sign;
        {nan_q, infinite_q, zero_q} <= {nan, infinite, zero};
        q <= Product;
        if (compares) q <= Compare;
        else if (group == fp32_serial_pkg::Operation) q <= multiplies ? Second : Third;
        else if (special && !exp2) q <= Piece;
      end
      Second: begin
        sign_q     <= sign_q ^ sign;
        nan_q      <= nan_q || nan;
        infinite_q <= infinite_q || infinite;
        zero_q     <= zero_q || zero;
        q          <= Third;
      end
      Third: begin
        addend_sign_q <= sign;
        subtract_q    <= adds && sign_q != sign;
        q             <= Order;
      end
      Order: begin
        swapped_q <= swap;
        q         <= Product;
      end

      Compare: begin
        case (op_i[2:0])
          cpe_isa_pkg::VectorMin: pick_q <= {1'b0, nan_q || !(nan || below)};
          cpe_isa_pkg::VectorMax: pick_q <= {1'b0, nan_q || !(nan || !below)};
          default:            pick_q <= zero_q ? 2'd2 : 2'd1;
        endcase
        q <= Pick;
      end
      Pick: begin
        sign_q <= sign;
        nan_q  <= nan;
        q      <= Product;
      end

      Product: begin
        q <= Align;
        if (passes) q <= Magnitude;
        if (special && !exp2) q <= coefficient_q == 2'd3 ? Whole : Coefficient;
        if (exp2 && coefficient_q != '0) q <= Coefficient;
      end
      Align: if (distance == '0) begin
        q <= to || exp2 ? Round : adds ? Again : Normalise;
      end
      Again: q <= swapped_q && multiplies ? Again2 : Sum;
      Again2: q <= Sum;
      Sum: begin
        if (!swapped_q) sign_q <= addend_sign_q;
        q <= Magnitude;
      end

      Magnitude: begin
        if (subtract_q) sign_q <= (sign_q ^ sum_q[63]) && sum_q != '0;
        q <= Normalise;
      end
      Normalise: if (!right && !left) q <= Round;
      Round: q <= exp2 && coefficient_q == '0 ? Piece : Finish;
      Finish: q <= First;

      Piece: begin
        sign_q <= log2 ? raw_exponent < 8'd127 : sign && op_i[2:0] == cpe_isa_pkg::SpecialReciprocal;
        q      <= Coefficient;
      end
      Coefficient: q <= coefficient_q == 2'd2 && !log2 ? Round : Reload;
      Reload: begin
        coefficient_q <= coefficient_q + 2'd1;
        q             <= Product;
      end
      Whole: q <= Magnitude;
      default: q <= First;
    endcase
    if (settled) begin
      sign_q      <= settled_sign && outcome != NotANumber;
      nan_q       <= outcome == NotANumber;
      saturated_q <= 1'b1;
      final_q     <= 1'b1;
      q           <= Finish;
    end
    if (!valid_i) q <= First;
  end

  // --- The result -----------------------------------------------------------------------------------------------------

  logic [5:0]  half_exponent;
  logic        even, most;     // most: all ones but the sign

  assign done_o          = q == Finish && !late;
  assign even            = !special && sum_q[29:0] == '0 && !final_q;
  assign result_exponent = exponent_q - 10'sd1 + {8'd0, sum_q[54:53]};
  assign half_exponent   = exponent_q[5:0] + 6'd2 + {4'd0, sum_q[41:40]};
  assign most            = saturated_q && to && !to_half && !sign_q;

  always_comb begin
    y_o    = sum_q[61:30] | {32{most}};
    y_o[0] = (sum_q[30] && !even) || most;
    if (to_half) y_o[15:9] = {sign_q, half_exponent[4:0], sum_q[39] || nan_q};
    else if (to) begin
      if (saturated_q) {y_o[31], y_o[7]} = op_i[1] ? {1'b0, sign_q} : {sign_q, !sign_q};
    end else y_o[31:22] = {sign_q, result_exponent[7:0], sum_q[52] || nan_q};
  end

endmodule
