#include <CLI/CLI.hpp>
#include <cstdlib>

#include "kjoule_version.hpp"
#include "nccl/serve_rank.hpp"

/// One rank of a kjoule that measures collectives.
int main(int argc, char** argv) {
  CLI::App app(
      "Runs the collectives of one rank with NCCL for kjoule collectives, which starts this program for each "
      "GPU.");
  app.set_version_flag("--version", std::string("kjoule-nccl ") + kjoule::kjoule_version);
  int socket = -1;
  app.add_option("--fd", socket, "file descriptor of the socket on which kjoule sends its requests")
      ->required();
  CLI11_PARSE(app, argc, argv);
  kjoule::nccl::serve_rank(socket);
  // The communicator is left as it is: destroying it would wait for ranks that may have failed.
  std::_Exit(0);
}
