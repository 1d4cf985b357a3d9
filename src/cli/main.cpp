#include <chrono>
#include <exception>

#include "base/error.hpp"
#include "base/process/descendants.hpp"
#include "base/process/fault.hpp"
#include "base/process/guardian.hpp"
#include "base/process/interruption.hpp"
#include "base/process/signal_handler.hpp"
#include "base/process/terminal.hpp"
#include "cli/options/command.hpp"

namespace {

/// Runs the command that the arguments name, and returns the exit code.
int run(int argc, char** argv) {
  try {
    const int code = kjoule::run_command(argc, argv);
    kjoule::finish_output();
    return code;
  } catch (const kjoule::UsageError& error) {
    kjoule::print_error("kjoule: {}\n", error.line());
    return 2;
  } catch (const std::exception& exception) {
    kjoule::print_error("kjoule: {}\n", kjoule::fault_of(exception).line());
  }
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  kjoule::prepare_output();
  std::set_terminate(kjoule::end_by_fault);
  const kjoule::Guardian guardian;
  kjoule::adopt_orphans();  // so that a signal ends all that this process started
  kjoule::SignalHandler signals([](int signal, bool from_terminal) {
    kjoule::interrupt(signal, from_terminal, std::chrono::milliseconds(0));
  });
  const int code = run(argc, argv);
  signals.replace([](int, bool) {});  // the command is complete
  return code;
}
