/* SPDX-License-Identifier: Apache-2.0 */
/* SDAA runtime: how programs use the card. Memory, copies, modules, launches, streams, events.
 *
 * Names and meanings are those that GPU programmers know, with `sdaa` in front; docs/program/sdaa.md is
 * the introduction, docs/reference/sdaa-memory.md and sdaa-execution.md say what each function does and which
 * errors it can return, docs/reference/cuda.md what differs from CUDA's. Plain C, with overloads and default
 * arguments for C++; every function may be called from every thread. */
#ifndef SDAA_RUNTIME_H
#define SDAA_RUNTIME_H

#include "sdaa/copy.h"
#include "sdaa/device.h"
#include "sdaa/error.h"
#include "sdaa/graph.h"
#include "sdaa/journal.h"
#include "sdaa/launch.h"
#include "sdaa/memory.h"
#include "sdaa/module.h"
#include "sdaa/pool.h"
#include "sdaa/profiler.h"
#include "sdaa/program.h"
#include "sdaa/stream.h"
#include "sdaa/symbol.h"

#ifdef __cplusplus
#include "sdaa/overloads.hpp"
#endif

#endif
