// SPDX-License-Identifier: Apache-2.0
// A simulated card, or several in one host, that runs as long as this object lives: a process of its own,
// with sockets and copies of the flash image in a folder of its own. There is one at a time.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host/tools/cli/options.hpp"

namespace swai::cli {

class StartedCard {
 public:
  // Waits until it has booted. `more`: further options of swai-card. Throws Error.
  StartedCard(const Options& options, const std::vector<std::string>& more = {}, unsigned cards = 1);
  ~StartedCard();
  StartedCard(const StartedCard&) = delete;
  StartedCard& operator=(const StartedCard&) = delete;

  // Separated by commas.
  std::string sockets() const;
  // Stops it, and returns all that it has said.
  std::string end();
  // Stops it. Returns how its process had ended before; empty if it had not.
  std::string stop_and_tell();

  // What a card says whose flash is a copy of this image, up to the line in which `last` is; it is stopped
  // then. Throws Error.
  static std::string console_of(const Options& options, const std::filesystem::path& image,
                                const std::string& last);

  // What programs that were killed have left of theirs; the next card that is started clears it away.
  struct LeftOver {
    unsigned folders = 0;
    uint64_t bytes = 0;
  };
  static LeftOver left_over();

  // SIGINT and SIGTERM end the program, and what was started first.
  static void stop_on_signals();
  // The first of them only calls this, and the program ends by itself then.
  static void call_on_signal(std::function<void(int signal)> ending);
  // Does not return when that has begun: what fails now fails because of it.
  static void wait_if_interrupted();
  // For a new process that is about to become another program: signals are again what they usually are.
  static void take_signals();

 private:
  explicit StartedCard(unsigned cards) : cards_(cards) {}
  // With copies of the flash image.
  void make_folder(const Options& options, const std::filesystem::path& image);
  void start(const Options& options, const std::vector<std::string>& more);
  // Until its log has a whole line with that. Throws Error when the card ends before, or does not say it.
  void wait_until_said(const std::string& text, std::chrono::seconds limit);
  std::string log() const;
  static void stop();

  const unsigned cards_;
  std::filesystem::path folder_;
};

// The cards that are there for a command which starts none: those that were chosen, else those that a daemon
// shares, separated by commas; empty: none. Waits for a daemon whose cards boot.
std::string cards_there_are(const Options& options);

// The card that a command uses: the one that was chosen, else one that a daemon shares, else one that is
// started, with `more` options. The runtime library and programs that are started find it.
class UsedCard {
 public:
  explicit UsedCard(const Options& options, const std::vector<std::string>& more = {});
  // For a command with --number. Throws Error when there is no such card, before one is started.
  UsedCard(const Options& options, std::optional<unsigned> number);

  // Of the cards, by their numbers.
  const std::vector<std::string>& sockets() const { return sockets_; }
  // The card that was asked for with --number, else all.
  std::vector<unsigned> numbers() const;
  // Stops a card that was started, and returns all that it has said.
  std::string end() { return started_ ? started_->end() : ""; }

 private:
  UsedCard(const Options& options, const std::vector<std::string>& more, std::optional<unsigned> number);

  std::optional<unsigned> number_;
  std::vector<std::string> sockets_;
  std::unique_ptr<StartedCard> started_;
};

// Options of a card that checks kernels, from these modules, for mistakes; the runtime library checks memory,
// too. Throws Error if no such card is started.
std::vector<std::string> checks(const Options& options, const std::vector<std::string>& modules);
// Stops the card. Returns kFailed if it has reported mistakes, which are on standard error.
int code_of_checks(UsedCard& card);

}  // namespace swai::cli
