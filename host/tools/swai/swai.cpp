// SPDX-License-Identifier: Apache-2.0
// swai: the command line of the card. docs/use/swai.md.
#include "bench/bench.hpp"
#include "host/tools/cli/started_card.hpp"
#include "host/tools/swai/commands.hpp"

int main(int argc, char** argv) {
  using namespace swai::cli;
  // Before there is any other thread.
  StartedCard::stop_on_signals();
  Cli cli;
  add_serve(cli);
  add_job(cli);
  add_top(cli);
  add_list(cli);
  add_info(cli);
  add_run(cli);
  add_copy_test(cli);
  add_bench(cli);
  add_exec(cli);
  add_compare(cli);
  add_log(cli);
  add_model(cli);
  add_generate(cli);
  add_transcribe(cli);
  add_dump(cli);
  add_reset(cli);
  add_cc(cli);
  add_flash(cli);
  add_graph(cli);
  add_onnx(cli);
  add_doctor(cli);
  add_documentation(cli);
  return cli.run(argc, argv);
}
