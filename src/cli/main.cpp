#include <exception>

#include "base/error.hpp"
#include "base/fault.hpp"
#include "base/terminal.hpp"
#include "cli/command.hpp"

int main(int argc, char** argv) {
  kjoule::prepare_output();
  std::set_terminate(kjoule::end_by_fault);
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
