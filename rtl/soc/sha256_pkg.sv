// SPDX-License-Identifier: Apache-2.0
// The functions and constants of SHA-256 (FIPS 180-4, sections 4.1.2, 4.2.2 and 5.3.3).
package sha256_pkg;

  localparam logic [255:0] InitialState = {
    32'h6a09e667, 32'hbb67ae85, 32'h3c6ef372, 32'ha54ff53a,
    32'h510e527f, 32'h9b05688c, 32'h1f83d9ab, 32'h5be0cd19
  };

  // The constant of round t.
  function automatic logic [31:0] k(input logic [5:0] t);
    unique case (t)
      6'd0 : k = 32'h428a2f98; 6'd1 : k = 32'h71374491; 6'd2 : k = 32'hb5c0fbcf; 6'd3 : k = 32'he9b5dba5;
      6'd4 : k = 32'h3956c25b; 6'd5 : k = 32'h59f111f1; 6'd6 : k = 32'h923f82a4; 6'd7 : k = 32'hab1c5ed5;
      6'd8 : k = 32'hd807aa98; 6'd9 : k = 32'h12835b01; 6'd10: k = 32'h243185be; 6'd11: k = 32'h550c7dc3;
      6'd12: k = 32'h72be5d74; 6'd13: k = 32'h80deb1fe; 6'd14: k = 32'h9bdc06a7; 6'd15: k = 32'hc19bf174;
      6'd16: k = 32'he49b69c1; 6'd17: k = 32'hefbe4786; 6'd18: k = 32'h0fc19dc6; 6'd19: k = 32'h240ca1cc;
      6'd20: k = 32'h2de92c6f; 6'd21: k = 32'h4a7484aa; 6'd22: k = 32'h5cb0a9dc; 6'd23: k = 32'h76f988da;
      6'd24: k = 32'h983e5152; 6'd25: k = 32'ha831c66d; 6'd26: k = 32'hb00327c8; 6'd27: k = 32'hbf597fc7;
      6'd28: k = 32'hc6e00bf3; 6'd29: k = 32'hd5a79147; 6'd30: k = 32'h06ca6351; 6'd31: k = 32'h14292967;
      6'd32: k = 32'h27b70a85; 6'd33: k = 32'h2e1b2138; 6'd34: k = 32'h4d2c6dfc; 6'd35: k = 32'h53380d13;
      6'd36: k = 32'h650a7354; 6'd37: k = 32'h766a0abb; 6'd38: k = 32'h81c2c92e; 6'd39: k = 32'h92722c85;
      6'd40: k = 32'ha2bfe8a1; 6'd41: k = 32'ha81a664b; 6'd42: k = 32'hc24b8b70; 6'd43: k = 32'hc76c51a3;
      6'd44: k = 32'hd192e819; 6'd45: k = 32'hd6990624; 6'd46: k = 32'hf40e3585; 6'd47: k = 32'h106aa070;
      6'd48: k = 32'h19a4c116; 6'd49: k = 32'h1e376c08; 6'd50: k = 32'h2748774c; 6'd51: k = 32'h34b0bcb5;
      6'd52: k = 32'h391c0cb3; 6'd53: k = 32'h4ed8aa4a; 6'd54: k = 32'h5b9cca4f; 6'd55: k = 32'h682e6ff3;
      6'd56: k = 32'h748f82ee; 6'd57: k = 32'h78a5636f; 6'd58: k = 32'h84c87814; 6'd59: k = 32'h8cc70208;
      6'd60: k = 32'h90befffa; 6'd61: k = 32'ha4506ceb; 6'd62: k = 32'hbef9a3f7; default: k = 32'hc67178f2;
    endcase
  endfunction

  // W of round t from those of rounds t-16, t-15, t-7 and t-2.
  function automatic logic [31:0] next_w(input logic [31:0] w16, input logic [31:0] w15,
                                         input logic [31:0] w7, input logic [31:0] w2);
    logic [31:0] s0, s1;
    s0 = {w15[6:0], w15[31:7]} ^ {w15[17:0], w15[31:18]} ^ {3'b0, w15[31:3]};
    s1 = {w2[16:0], w2[31:17]} ^ {w2[18:0], w2[31:19]} ^ {10'b0, w2[31:10]};
    next_w = w16 + s0 + w7 + s1;
  endfunction

  // One round on the working variables, a first.
  function automatic logic [255:0] round(input logic [255:0] s, input logic [31:0] k_t,
                                         input logic [31:0] w_t);
    logic [31:0] a, b, c, d, e, f, g, h, sum_a, sum_e, choice, majority, t1;
    {a, b, c, d, e, f, g, h} = s;
    sum_a    = {a[1:0], a[31:2]} ^ {a[12:0], a[31:13]} ^ {a[21:0], a[31:22]};
    sum_e    = {e[5:0], e[31:6]} ^ {e[10:0], e[31:11]} ^ {e[24:0], e[31:25]};
    choice   = (e & f) ^ (~e & g);
    majority = (a & b) ^ (a & c) ^ (b & c);
    t1       = h + sum_e + choice + k_t + w_t;
    round    = {t1 + sum_a + majority, a, b, c, d + t1, e, f, g};
  endfunction

  // Word by word.
  function automatic logic [255:0] add(input logic [255:0] x, input logic [255:0] y);
    for (int unsigned i = 0; i < 8; i++) add[32*i+:32] = x[32*i+:32] + y[32*i+:32];
  endfunction

endpackage
