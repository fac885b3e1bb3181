// SPDX-License-Identifier: Apache-2.0
// An answer in lines, between whoever makes them, in any thread, and the thread that has the connections.
#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "host/transport/channel.hpp"
#include "host/transport/control_call.hpp"

namespace swai::serve {

using link::Json;

class Lines {
 public:
  // Wakes the thread that has the connections.
  class Bell {
   public:
    Bell();
    int fd() const { return fd_.get(); }
    void ring() const;
    void silence() const;

   private:
    link::Fd fd_;
  };
  class Reader;

  explicit Lines(std::shared_ptr<const Bell> bell) : bell_(std::move(bell)) {}
  Lines(const Lines&) = delete;
  Lines& operator=(const Lines&) = delete;

  // What is not read yet waits here. What comes behind the last line is left out.
  void add(const Json& line) { add(line, false); }
  void end(const Json& last);
  void fail(const std::string& why) { end({{"error", why}}); }
  // Nobody reads any more.
  bool is_gone() const;

 private:
  void add(const Json& line, bool last);

  const std::shared_ptr<const Bell> bell_;
  mutable std::mutex mutex_;
  std::string text_;
  bool over_ = false;
  bool gone_ = false;
};

// The connection's end of it: when it goes, so has the reader.
class Lines::Reader {
 public:
  explicit Reader(std::shared_ptr<Lines> lines) : lines_(std::move(lines)) {}
  ~Reader();
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  bool has_some() const;
  std::string take();
  // The last line has been made, if not taken.
  bool is_over() const;

 private:
  const std::shared_ptr<Lines> lines_;
};

}  // namespace swai::serve
