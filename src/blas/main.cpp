#include <CLI/CLI.hpp>

#include "blas/blas_runner.hpp"
#include "blas/run_products.hpp"
#include "device/report_failure.hpp"
#include "device/serve.hpp"
#include "kjoule_version.hpp"

namespace {

int serve(int socket) {
  kjoule::blas::BlasRunner runner;
  kjoule::serve(socket, runner, {});
  // A normal exit would free memory of an unusable device, which fails.
  if (!runner.is_usable()) std::_Exit(1);
  return 0;
}

int run(const std::string& file, int64_t iterations) {
  try {
    kjoule::blas::run_products(kjoule::read_work(file), iterations);
    return 0;
  } catch (const kjoule::Error& error) {
    kjoule::report_failure(error, "kjoule-blas");
    return 1;
  }
}

}  // namespace

/// Computes matrix products for a kjoule that tries them, or that measures this program.
int main(int argc, char** argv) {
  CLI::App app(
      "Computes matrix products with cuBLAS for kjoule, which starts this program: over a socket it answers "
      "whether products can be computed, and with --run it is measured like any program.");
  app.set_version_flag("--version", std::string("kjoule-blas ") + kjoule::kjoule_version);
  int socket = -1;
  int64_t iterations = 0;
  std::string file;
  auto* how = app.add_option_group("how");
  auto* serves =
      how->add_option("--fd", socket, "file descriptor of the socket on which kjoule sends its requests");
  auto* runs = how->add_option("--run", iterations,
                               "number of iterations to run, instead of answering requests (--fd)");
  how->require_option(1);
  auto* work = app.add_option("--work", file, "JSON file with the products to compute")->needs(runs);
  runs->needs(work);
  CLI11_PARSE(app, argc, argv);
  return serves->count() > 0 ? serve(socket) : run(file, iterations);
}
