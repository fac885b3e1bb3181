// SPDX-License-Identifier: Apache-2.0
// The subcommands: each adds itself with its options.
#pragma once

#include "host/tools/cli/cli.hpp"

namespace swai::cli {

void add_serve(Cli& cli);
void add_job(Cli& cli);
void add_top(Cli& cli);
void add_list(Cli& cli);
void add_info(Cli& cli);
void add_run(Cli& cli);
void add_copy_test(Cli& cli);
void add_log(Cli& cli);
void add_model(Cli& cli);
void add_dump(Cli& cli);
void add_reset(Cli& cli);
void add_exec(Cli& cli);
void add_compare(Cli& cli);
void add_cc(Cli& cli);
void add_flash(Cli& cli);
void add_graph(Cli& cli);
void add_onnx(Cli& cli);
void add_generate(Cli& cli);
void add_transcribe(Cli& cli);
void add_doctor(Cli& cli);
void add_documentation(Cli& cli);

}  // namespace swai::cli
