#include "device/report_failure.hpp"

#include <unistd.h>

#include "base/process/local_socket.hpp"
#include "base/process/terminal.hpp"
#include "device/injection_options.hpp"
#include "device/serve.hpp"

namespace kjoule {

namespace {

/// Returns false if kjoule did not start this process, or refused it: then this is like any other program.
bool report_to_kjoule(const Error& error) {
  const auto options = InjectionOptions::from_environment();
  const int socket = options ? connect_to(options->socket) : -1;
  if (socket < 0) return false;
  const ServiceEnd end = serve(socket, [&]() -> std::shared_ptr<Device> { throw error; });
  close(socket);
  return end != ServiceEnd::refused;
}

}  // namespace

void report_failure(const Error& error, const char* program) {
  if (!report_to_kjoule(error)) print_error("{}: {}\n", program, error.line());
}

}  // namespace kjoule
