// SPDX-License-Identifier: Apache-2.0
// What a simulator with a model of its own for every CPE moves in each cycle in which one is awake; the rest moves only when a
// valid bit says that there is something.
package cpe_tile_pkg;

  typedef struct packed {
    logic [25:0] unused;
    logic        activity_wanted;
    logic [15:0] daemon_segment;
    cpe_pkg::id_t id;
    logic        rst_n;
    logic        halt;
    logic        launch_valid;
    logic [2:0]  released;
    logic        mem_ready;
    logic        rsp_valid;
    logic        invalidate;
    logic        row_send_ready;
    logic        row_receive_valid;
    logic        column_send_ready;
    logic        column_receive_valid;
    logic        access_valid;
  } in_t;

  typedef struct packed {
    logic [20:0] unused;
    // Engines that have not come to their end: counted, and nothing else.
    logic        dma_foreground;  // at least one foreground transfer is not complete
    logic        vector_works;
    logic        systolic_works;
    logic        dma_works;
    logic [7:0]  row_send_mask;
    logic [7:0]  column_send_mask;
    logic [2:0]  row_receive_source;
    logic [2:0]  column_receive_source;
    logic        row_receive_ready;
    logic        row_receive_one;
    logic        column_receive_ready;
    logic        column_receive_one;
    logic        quiet;
    logic        asleep;
    logic        launch_ready;
    logic        finished;
    logic [2:0]  arrive;
    logic        fetch_valid;
    // Of what has data.
    logic        fault_valid;
    logic        mem_valid;
    logic        row_send_valid;
    logic        column_send_valid;
    logic        access_ready;
  } out_t;

endpackage
