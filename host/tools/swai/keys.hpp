// SPDX-License-Identifier: Apache-2.0
// A command that shows something until a key is pressed.
#pragma once

#include <termios.h>

#include <chrono>
#include <cstddef>
#include <string>

namespace swai::cli {

class Keys {
 public:
  // Not `wanted`, or where standard input is no terminal: nobody presses keys.
  explicit Keys(bool wanted);
  ~Keys();
  Keys(const Keys&) = delete;
  Keys& operator=(const Keys&) = delete;

  // Waits for so long. True at once when q is pressed, or a signal ends the command.
  bool quit_within(std::chrono::duration<double> time);

 private:
  bool terminal_ = false;
  termios before_ = {};
};

// Of standard output; a number of columns that nothing is cut by when it is no terminal.
size_t terminal_width();
// Every line with so many columns at most.
std::string cut(const std::string& text, size_t columns);

}  // namespace swai::cli
