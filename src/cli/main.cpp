#include <exception>
#include <new>

#include "base/error.hpp"
#include "base/terminal.hpp"
#include "cli/command.hpp"

int main(int argc, char** argv) {
  kjoule::prepare_output();
  try {
    const int code = kjoule::run_command(argc, argv);
    kjoule::finish_output();
    return code;
  } catch (const kjoule::UsageError& error) {
    kjoule::print_error("kjoule: {}\n", error.line());
    return 2;
  } catch (const kjoule::Error& error) {
    kjoule::print_error("kjoule: {}\n", error.line());
  } catch (const std::bad_alloc&) {
    kjoule::print_error("kjoule: out of memory; close other programs, or lift the limit (ulimit -v)\n");
  } catch (const std::exception& error) {
    kjoule::print_error("kjoule: {}\n", error.what());
  }
  return 1;
}
