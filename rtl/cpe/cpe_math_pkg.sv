// What the serial arithmetic units of a CPE ask of the arithmetic that they share (cpe_math). Widths in comments are of fp32 where nothing
// else is said.
package cpe_math_pkg;

  typedef struct packed {
    logic        uses;       // this cycle, for any of these and for a product
    logic [31:0] left;       // that are compared
    logic [31:0] right;
    logic [31:0] whole;      // int32, to be converted
    logic [31:0] value;      // to be converted
  } request_t;

  // a * b + c. On its own, as it may depend on answers.
  typedef struct packed {
    logic        from_whole; // a is what `whole` converts to
    logic [31:0] a;
    logic [31:0] b;
    logic [31:0] c;
  } product_t;

  typedef struct packed {
    logic        ready;      // what follows belongs to the request
    logic [31:0] of_whole;
    logic [15:0] as_fp16;
    logic [7:0]  as_int8;
    logic        less;       // left than right
    logic        equal;
    logic [31:0] smallest;
    logic [31:0] largest;
    logic [31:0] y;          // of the product three cycles ago
  } answer_t;

endpackage
