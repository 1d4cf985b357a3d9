#include "cli/options/replay_arguments.hpp"

#include <fmt/format.h>

#include "base/files/files.hpp"
#include "base/process/terminal.hpp"
#include "cli/options/file_options.hpp"
#include "compare/tables/replayed_table.hpp"
#include "importers/classified_table.hpp"
#include "importers/device_choice.hpp"
#include "report/replay_reports.hpp"

namespace kjoule {

void ReplayArguments::declare(CLI::App& app) {
  CLI::Option* kernels = input_file(app.add_option(
      "--kernels", file,
      "trace or kernel table (see kjoule import) whose kernels are replayed from their signatures; missing "
      "operators and shapes are taken from --model, for the kernels that it also launches"));
  for (CLI::Option* option : import.declare_for_files(app)) option->needs(kernels);
}

SignatureReplay ReplayArguments::read(KernelRules& rules, const SubjectOptions& subject) const {
  ImportedTable table = read_table({file}, import, subject);
  require_one_gpu(table);
  classify(table, rules);
  tell_warnings(table);
  return {file, std::move(table)};
}

void tell_cpu_notice(const SignatureReplay& replay, const SubjectOptions& subject) {
  if (const std::string notice = replay.cpu_notice(subject); !notice.empty()) print_error("{}\n", notice);
}

void write_replay_files(const std::filesystem::path& folder, const nlohmann::json& header,
                        const ReplayedTable& table) {
  write_json(folder / "isolated_kernels_timing.json", replay_timing(header, table));
  write_atomic(folder / "summary.csv", replay_csv(table));
}

int replay_exit_code(const ReplayedTable& table) {
  const std::string lack = not_replayed_text(table);
  if (lack.empty()) return 0;
  print_error("kjoule: {}\n", lack);
  return 1;
}

}  // namespace kjoule
