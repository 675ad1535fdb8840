// SPDX-License-Identifier: Apache-2.0
#include "tools/program.hpp"

#include <csignal>
#include <exception>
#include <iostream>
#include <new>
#include <optional>
#include <string>
#include <string_view>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "tools/command.hpp"
#include "tools/sweep/interrupt.hpp"
#include "tools/sweep/temporary_directory.hpp"

namespace a2a3::tools {
namespace {

/// The status for what CLI11 throws: --help and --version end well, everything else is wrong input.
ExitStatus report_parse_error(const CLI::App& program, const CLI::ParseError& error) {
  // CLI11 asks for a subcommand before it looks at the words that it could not place.
  const auto missing = static_cast<int>(CLI::ExitCodes::RequiredError);
  if (error.get_exit_code() == missing && !program.remaining(true).empty()) {
    std::cerr << fmt::format("a2a3sim: '{}' is no subcommand\ntry a2a3sim --help\n",
                             program.remaining(true).front());
    return ExitStatus::wrong_input;
  }
  const int code = program.exit(error, std::cout, std::cerr);
  return code == 0 ? ExitStatus::ok : ExitStatus::wrong_input;
}

/// Words of the command line that are an option without its value, as a variable that the shell
/// does not know leaves behind.
std::optional<std::string> empty_value(int argc, const char* const* argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word.empty()) return argv[i - 1];
    if (word.starts_with("--") && word.ends_with('=')) return std::string(word);
  }
  return std::nullopt;
}

/// A card that never arrived, on a full disk for example, is no success.
ExitStatus flush_output(ExitStatus status) {
  if (std::cout.flush()) return status;
  std::cerr << "a2a3sim: cannot write to standard output\n";
  return status == ExitStatus::ok ? ExitStatus::wrong_input : status;
}

}  // namespace

ExitStatus run_program(int argc, const char* const* argv) {
  try {
    if (const auto before = empty_value(argc, argv)) {
      std::cerr << fmt::format("a2a3sim: an empty value follows {}\ntry a2a3sim --help\n", *before);
      return ExitStatus::wrong_input;
    }
    CLI::App program{
        "a2a3sim runs distributed tile kernels on simulated Ascend a2a3 devices: is the result "
        "right, which bytes moved, and when?",
        "a2a3sim"};
    program.set_version_flag("--version", "a2a3sim " A2A3_VERSION, "Print the version and exit");
    program.require_subcommand(1);
    program.failure_message([](const CLI::App* app, const CLI::Error& error) {
      const auto chosen = app->get_subcommands();
      return fmt::format("a2a3sim: {}\ntry a2a3sim {}--help\n", error.what(),
                         chosen.empty() ? "" : chosen.front()->get_name() + " ");
    });
    program.footer(
        "Exit status: 0 right, 1 wrong input, 2 wrong result or traffic, 3 deadlock,\n"
        "             4 race or other finding, 5 internal fault.\n\n"
        "Examples:\n"
        "  a2a3sim run examples/13_allgather.py -d 0,1,2,3\n"
        "  a2a3sim run --help\n"
        "  a2a3sim machine show a2");
    Action action;
    add_run_command(program, action);
    add_check_command(program, action);
    add_lower_command(program, action);
    add_diff_command(program, action);
    add_machine_command(program, action);
    add_coverage_command(program, action);
    add_sweep_command(program, action);
    add_merge_command(program, action);
    add_compare_command(program, action);
    try {
      program.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
      return flush_output(report_parse_error(program, error));
    }
    return flush_output(action());
  } catch (const Interrupted& interrupted) {
    // The shell is to see what ended the program.
    std::signal(interrupted.signal(), SIG_DFL);
    std::raise(interrupted.signal());
    return ExitStatus::wrong_input;
  } catch (const NoTemporaryDirectory& error) {
    std::cerr << "error: " << error.what() << '\n';
    return ExitStatus::wrong_input;
  } catch (const std::bad_alloc&) {
    std::cerr << "a2a3sim: not enough memory for this run\n";
    return ExitStatus::wrong_input;
  } catch (const std::exception& error) {
    std::cerr << "a2a3sim: internal fault: " << error.what()
              << "\nThis is a bug in a2a3sim; please report it with the command and its input.\n";
    return ExitStatus::internal_fault;
  }
}

}  // namespace a2a3::tools
