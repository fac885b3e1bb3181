// SPDX-License-Identifier: Apache-2.0
// The process of a job, and all that it starts: they end together, whatever becomes of the daemon.
//
// Between the daemon and the program stands a process of ours, to which the program's children come when
// their parents end (PR_SET_CHILD_SUBREAPER). It ends what is left when the program has ended, when it is
// told to, and when the daemon has gone (PR_SET_PDEATHSIG), so that nobody gets away by a session or group of
// its own. If it is killed itself, its children come to the daemon, which ends them.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "host/transport/channel.hpp"

namespace swai::serve {

class JobProcess {
 public:
  // Its output comes through output().
  JobProcess(const std::vector<std::string>& command, const std::string& folder,
             const std::vector<std::string>& environment);
  // Ends it, if it has not ended.
  ~JobProcess();
  JobProcess(const JobProcess&) = delete;
  JobProcess& operator=(const JobProcess&) = delete;

  // Empty: it runs. Otherwise why it could not be started.
  const std::string& failure() const { return failure_; }
  pid_t process() const { return program_; }
  int output() const { return output_.get(); }

  // SIGTERM for all of them, and what has not ended seconds later is ended.
  void ask_to_end() const;
  // The program's status, as waitpid() has it, when it and all that it started have ended.
  std::optional<int> status();
  // The keeper was killed, perhaps by the program; the processes that it kept were then ended by SIGKILL.
  bool was_orphaned() const { return orphaned_; }

 private:
  void forget_keeper();

  pid_t keeper_ = -1;
  int status_ = 0;
  bool orphaned_ = false;
  pid_t program_ = 0;
  link::Fd output_;
  link::Fd report_;
  std::string failure_;
};

}  // namespace swai::serve
