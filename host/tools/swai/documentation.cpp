// SPDX-License-Identifier: Apache-2.0
// swai help, swai completion, swai man: what the table of options gives beside the parser and its help.
#include <fmt/format.h>

#include <array>
#include <memory>

#include "build/gen/version.hpp"
#include "host/tools/cli/did_you_mean.hpp"
#include "host/tools/swai/commands.hpp"

namespace swai::cli {
namespace {

constexpr const char* kExamples = R"(Examples:
  swai completion bash > ~/.local/share/bash-completion/completions/swai
  swai completion zsh > ~/.zfunc/_swai
  swai completion fish > ~/.config/fish/completions/swai.fish)";

std::vector<const CLI::App*> subcommands(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

std::string options_of(const CLI::App& app) {
  std::string words;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames())
      words += fmt::format("{}--{}", words.empty() ? "" : " ", name);
  }
  return words;
}

std::string names_of(const CLI::App& app) {
  std::string words;
  for (const CLI::App* command : subcommands(app)) words += (words.empty() ? "" : " ") + command->get_name();
  return words;
}

std::string bash(const CLI::App& app) {
  std::string text = fmt::format(R"(_swai() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} words="{} {}" i
  for ((i = 1; i < COMP_CWORD; ++i)); do
    case ${{COMP_WORDS[i]}} in
)",
                                 names_of(app), options_of(app));
  for (const CLI::App* command : subcommands(app)) {
    text += fmt::format("      {}) words=\"{} {} {}\"; break ;;\n", command->get_name(), names_of(*command),
                        options_of(*command), options_of(app));
  }
  return text + R"(    esac
  done
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -o default -F _swai swai
)";
}

std::string zsh(const CLI::App& app) {
  return "#compdef swai\nautoload -U +X bashcompinit && bashcompinit\n" + bash(app);
}

std::string quoted(std::string text) {
  text = text.substr(0, text.find('\n'));
  for (size_t at = 0; (at = text.find('\'', at)) != std::string::npos; at += 2) text.insert(at, 1, '\\');
  return text;
}

std::string fish(const CLI::App& app) {
  std::string text;
  const auto options = [&](const CLI::App& of, const std::string& when) {
    for (const CLI::Option* option : of.get_options()) {
      for (const std::string& name : option->get_lnames()) {
        text +=
            fmt::format("complete -c swai{} -l {} -d '{}'\n", when, name, quoted(option->get_description()));
      }
    }
  };
  options(app, "");
  for (const CLI::App* command : subcommands(app)) {
    text += fmt::format("complete -c swai -n __fish_use_subcommand -a {} -d '{}'\n", command->get_name(),
                        quoted(command->get_description()));
    const std::string seen = fmt::format(" -n '__fish_seen_subcommand_from {}'", command->get_name());
    options(*command, seen);
    for (const CLI::App* part : subcommands(*command)) {
      text += fmt::format("complete -c swai{} -a {} -d '{}'\n", seen, part->get_name(),
                          quoted(part->get_description()));
    }
  }
  return text;
}

// Text for troff: nothing in it is a command of its own.
std::string plain(const std::string& text) {
  std::string result;
  bool begins = true;
  for (const char c : text) {
    if (begins && (c == '.' || c == '\'')) result += "\\&";
    if (c == '-') result += '\\';
    result += c == '\\' ? "\\e" : std::string(1, c);
    begins = c == '\n';
  }
  return result;
}

std::string man_options(const CLI::App& app) {
  std::string text;
  for (const CLI::Option* option : app.get_options()) {
    text += fmt::format(".TP\n.B {}", plain(option->get_name(true, true)));
    if (option->get_items_expected_max() > 0 && !option->get_positional())
      text += " \\fI" + plain(option->get_type_name()) + "\\fR";
    text += "\n" + plain(option->get_description()) + "\n";
  }
  return text;
}

std::string man_command(const std::string& name, const CLI::App& command) {
  std::string text =
      fmt::format(".SS {}\n{}\n{}", name, plain(command.get_description()), man_options(command));
  if (!command.get_footer().empty()) text += ".PP\n.nf\n" + plain(command.get_footer()) + "\n.fi\n";
  for (const CLI::App* part : subcommands(command)) text += man_command(name + " " + part->get_name(), *part);
  return text;
}

std::string man(const CLI::App& app) {
  std::string text =
      fmt::format(".TH SWAI 1 \"\" \"swai {}\"\n.SH NAME\nswai \\- uses SWAI accelerator cards\n", kVersion);
  text += ".SH SYNOPSIS\n.B swai\n[\\fIoptions\\fR] \\fIcommand\\fR ...\n";
  text += ".SH DESCRIPTION\n" + plain(app.get_description()) + "\n";
  text += ".SH OPTIONS\n" + man_options(app) + ".SH COMMANDS\n";
  for (const CLI::App* command : subcommands(app))
    text += man_command("swai " + command->get_name(), *command);
  return text + ".SH NOTES\n.nf\n" + plain(app.get_footer()) + "\n.fi\n";
}

// The command that these words lead to; what is none is told as it is without `help`.
const CLI::App& named(const CLI::App& app, const std::vector<std::string>& words) {
  const CLI::App* command = &app;
  for (const std::string& word : words) {
    std::vector<std::string> known;
    const CLI::App* below = nullptr;
    for (const CLI::App* one : subcommands(*command)) {
      known.push_back(one->get_name());
      if (one->get_name() == word) below = one;
    }
    if (below == nullptr)
      throw Error(kBadInput,
                  fmt::format("there is no command '{}'{}; see --help", word, did_you_mean(word, known)));
    command = below;
  }
  return *command;
}

void add_help(Cli& cli) {
  const auto words = std::make_shared<std::vector<std::string>>();
  CLI::App* const help =
      cli.add("help", "what --help prints: swai help run is swai run --help", [&cli, words] {
        const CLI::App& command = named(cli.app(), *words);
        const std::string before = fmt::format("swai {}", fmt::join(words->begin(), words->end(), " "));
        fmt::print("{}", command.get_formatter()->make_help(&command, words->empty() ? "swai" : before,
                                                            CLI::AppFormatMode::Normal));
        return kDone;
      });
  help->add_option("COMMAND", *words, "which one (default: what all have in common)")->type_name("");
}

}  // namespace

void add_documentation(Cli& cli) {
  add_help(cli);
  const auto shell = std::make_shared<std::string>();
  CLI::App* const completion = cli.add(
      "completion", "print what a shell needs to complete commands and options",
      [&cli, shell] {
        fmt::print("{}", *shell == "bash"  ? bash(cli.app())
                         : *shell == "zsh" ? zsh(cli.app())
                                           : fish(cli.app()));
        return kDone;
      },
      kExamples);
  completion->add_option("SHELL", *shell, "bash, zsh or fish")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  cli.add("man", "print the manual page: swai man | man -l -", [&cli] {
    fmt::print("{}", man(cli.app()));
    return kDone;
  });
}

}  // namespace swai::cli
