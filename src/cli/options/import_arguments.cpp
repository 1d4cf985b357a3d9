#include "cli/options/import_arguments.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/process/terminal.hpp"
#include "cli/options/file_options.hpp"
#include "cli/options/numbers.hpp"
#include "recording/rank_limit.hpp"

namespace kjoule {

void ImportArguments::declare(CLI::App& app) {
  app.add_option("--iterations", choice.iterations,
                 "number of equal iterations in the trace or table; default: found in the file, if possible")
      ->check(whole_number(1, kMostIterations));
  app.add_option("--gpu", choice.gpu, "number of the GPU whose kernels are read; default: those of all GPUs")
      ->check(whole_number(0, kMostGpuNumber));
  app.add_option("--rank", rank, "rank whose trace is read, if traces of several ranks are given")
      ->check(whole_number(0, kMostNamedRanks - 1));
  declare_for_files(app);
}

std::vector<CLI::Option*> ImportArguments::declare_for_files(CLI::App& app) {
  const char* group = "For a trace or a table";
  std::vector<CLI::Option*> declared{
      app.add_option("--annotation", choice.annotation,
                     "name of the ranges (record_function) that mark the iterations; default: ProfilerStep, "
                     "or ranges that contain all launches"),
      input_file(app.add_option(
          "--like", like,
          "second profiler trace: if the imported file lacks the operator or shapes of a kernel, they are "
          "taken from the same kernel of this trace")),
      app.add_flag("--omit-impossible-times", choice.omit_impossible_times,
                   "leave out launches whose times are impossible, such as a kernel that ends after the next "
                   "one on its stream"),
      app.add_option("--max-bytes", most_bytes,
                     "largest uncompressed size in bytes of a trace; default: 4 GiB")
          ->check(whole_number(1, kMostBytes))};
  for (CLI::Option* option : declared) option->group(group);
  return declared;
}

void ImportArguments::take(const std::string& iterations, std::optional<int64_t> gpu,
                           std::optional<int64_t> of_rank) {
  choice.gpu = gpu;
  rank = of_rank;
  if (iterations.empty()) return;
  const auto number = parse_whole_number(iterations);
  if (!number || *number < 1 || *number > kMostIterations)
    throw UsageError(
        fmt::format("--iterations {}: not a whole number from 1 to {}", iterations, kMostIterations),
        "for a trace or table, give the number of iterations in it, for example --iterations 10");
  choice.iterations = static_cast<uint64_t>(*number);
}

bool ImportArguments::asked() const {
  return choice.annotation || choice.iterations || choice.gpu || choice.omit_impossible_times || rank ||
         !like.empty() || most_bytes != kMostImportBytes;
}

void tell_warnings(const ImportedTable& table) {
  for (const std::string& warning : table.warnings) print_error("{}: {}\n", table.source, warning);
  if (!table.iterations.known()) print_error("{}: {}\n", table.source, table.iterations_missing());
}

}  // namespace kjoule
