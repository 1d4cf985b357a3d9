#include <cstdio>
#include <exception>
#include <new>

#include "base/error.hpp"
#include "cli/command.hpp"

int main(int argc, char** argv) {
  try {
    return kjoule::run_command(argc, argv);
  } catch (const kjoule::UsageError& error) {
    std::fprintf(stderr, "kjoule: %s\n", error.line().c_str());
    return 2;
  } catch (const kjoule::Error& error) {
    std::fprintf(stderr, "kjoule: %s\n", error.line().c_str());
  } catch (const std::bad_alloc&) {
    std::fputs("kjoule: out of memory; close other programs, or lift the limit (ulimit -v)\n", stderr);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "kjoule: %s\n", error.what());
  }
  return 1;
}
