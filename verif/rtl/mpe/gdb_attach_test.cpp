// SPDX-License-Identifier: Apache-2.0
// A real gdb on mpe-run, driven as a person would drive it.
#include <doctest/doctest.h>
#include <signal.h>
#include <unistd.h>

#include <memory>
#include <string>

#include "verif/kit/process.hpp"

namespace swai::mpe {
namespace {

const std::string kProgram = "build/mpe-programs/debuggee";
const std::string kPrompt = "(gdb) ";

// mpe-run, waiting for gdb.
struct Simulation {
  Simulation() : process({"build/mpe-run", kProgram, "--gdb", "0"}) {
    process.read_until("localhost:");
    port = process.read_until("\n");
    port.pop_back();
  }
  common::Process process;
  std::string port;
};

struct Gdb {
  explicit Gdb(const Simulation& simulation)
      : process({"gdb-multiarch", "-nx", "-q", "-ex", "set confirm off", "-ex", "set pagination off", "-ex",
                 "set width 0", kProgram}) {
    process.read_until(kPrompt);
    hello = ask("target remote localhost:" + simulation.port);
    REQUIRE(hello.find("Remote debugging using") != std::string::npos);
  }
  std::string ask(const std::string& command) {
    process.write(command + "\n");
    return process.read_until(kPrompt);
  }
  common::Process process;
  std::string hello;
};

bool contains(const std::string& text, const std::string& part) {
  const bool found = text.find(part) != std::string::npos;
  if (!found) MESSAGE("no '" << part << "' in: " << text);
  return found;
}

struct Session {
  Simulation simulation;
  std::unique_ptr<Gdb> gdb = std::make_unique<Gdb>(simulation);
  std::string ask(const std::string& command) { return gdb->ask(command); }

  // Ends the program by what the debugger writes.
  void finish() {
    ask("delete");
    ask("set variable finish_now = 1");
    CHECK(contains(ask("continue"), "exited normally"));
    CHECK(simulation.process.wait() == 0);
  }
};

TEST_CASE_FIXTURE(Session, "gdb: registers, memory, breakpoints, steps") {
  CHECK(contains(gdb->hello, "_start"));
  CHECK(contains(ask("print $pc"), "0x80000000 <_start>"));
  CHECK(contains(ask("print/x $misa"), "0x8000000000941105"));
  CHECK(contains(ask("print $priv"), "= "));
  ask("break bump");
  CHECK(contains(ask("continue"), "Breakpoint 1, bump (by="));
  CHECK(contains(ask("print counter"), "= 0"));
  CHECK(contains(ask("print/x $a0"), "= 0x1"));
  CHECK(contains(ask("backtrace"), "in main ()"));
  ask("set variable counter = 40");
  ask("continue");
  CHECK(contains(ask("print counter"), "= 41"));
  ask("set variable by = 9");
  ask("finish");
  CHECK(contains(ask("print counter"), "= 50"));
  ask("set $s5 = 0x123456789abcdef0");
  CHECK(contains(ask("print/x $s5"), "0x123456789abcdef0"));
  ask("set $mscratch = 0xfeedface");
  CHECK(contains(ask("print/x $mscratch"), "0xfeedface"));
  CHECK(contains(ask("print table"), "\\001\\002\\003\\004\\005\\006\\a\\b\\t\\n\\v\\f\\r\\016\\017"));
  ask("set variable table[3] = 99");
  CHECK(contains(ask("x/8bd &table"), "0\t1\t2\t99\t4\t5\t6\t7"));
  const std::string before = ask("x/4i twice");
  ask("break twice");
  ask("continue");
  CHECK(contains(ask("x/4i twice"), before.substr(before.find(":\t"), 10)));  // the breakpoint does not show
  CHECK(contains(ask("print $pc"), "<twice>"));
  ask("stepi");
  CHECK(contains(ask("print $pc - (long)twice"), "= "));
  CHECK(contains(ask("next"), "main ()"));
  CHECK(contains(ask("info registers"), "pc "));
  CHECK(contains(ask("info registers csr"), "mstatus"));
  CHECK(contains(ask("monitor cycles"), "instructions"));
  CHECK(contains(ask("stepi 50"), "bump"));
  finish();
}

TEST_CASE_FIXTURE(Session, "gdb: bad addresses and registers are errors, and nothing worse") {
  CHECK(contains(ask("x/x 0"), "Cannot access memory at address 0x0"));
  CHECK(contains(ask("x/x 0xb0000000"), "Cannot access memory"));
  CHECK(contains(ask("x/x 0x123456789abcdef0"), "Cannot access memory"));
  CHECK(contains(ask("set variable *(long *)8 = 1"), "Cannot access memory"));
  CHECK(contains(ask("print $mcause"), "= 0"));  // the failed accesses left no trace
  CHECK(contains(ask("print/x $mtvec"), "= 0x0"));
  CHECK(contains(ask("set $mhartid = 1"), ""));
  CHECK(contains(ask("print $mhartid"), "= 0"));
  CHECK(contains(ask("x/s 0x10000005"), "`"));  // the console's status
  CHECK(contains(ask("print $pc"), "_start"));
  finish();
}

TEST_CASE_FIXTURE(Session, "gdb: hardware breakpoints are four") {
  ask("hbreak bump");
  CHECK(contains(ask("continue"), "Breakpoint 1, bump"));
  CHECK(contains(ask("continue"), "Breakpoint 1, bump"));
  for (const char* place : {"twice", "main", "finish", "unexpected"}) ask(std::string("hbreak ") + place);
  CHECK(contains(ask("continue"), "Could not insert hardware"));
  ask("delete 1");
  CHECK(contains(ask("continue"), "Breakpoint 2, twice"));
  finish();
}

TEST_CASE_FIXTURE(Session, "gdb: Ctrl-C stops a running program") {
  gdb->process.write("continue\n");
  gdb->process.read_until("Continuing.");
  usleep(200'000);
  kill(gdb->process.pid(), SIGINT);
  CHECK(contains(gdb->process.read_until(kPrompt), "SIGINT"));
  CHECK(contains(ask("print counter > 100"), "= 1"));
  finish();
}

TEST_CASE_FIXTURE(Session, "gdb: when gdb dies, the program runs on and another can attach") {
  ask("break bump");
  ask("continue");
  gdb.reset();
  gdb = std::make_unique<Gdb>(simulation);
  CHECK(contains(ask("print counter"), "= "));
  CHECK(contains(ask("x/i bump"), "auipc"));
  CHECK(contains(ask("detach"), "detached"));
  gdb = std::make_unique<Gdb>(simulation);
  finish();
}

TEST_CASE_FIXTURE(Session, "gdb: kill ends the simulation") {
  ask("kill");
  CHECK(simulation.process.wait() == 1);
}

TEST_CASE("gdb: a port in use is refused with one clear line") {
  Simulation first;
  common::Process second({"build/mpe-run", kProgram, "--gdb", first.port});
  CHECK(second.wait() == 2);
  CHECK(contains(second.output(), "port " + first.port));
}

}  // namespace
}  // namespace swai::mpe
