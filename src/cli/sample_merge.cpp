#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/files/files.hpp"
#include "base/process/terminal.hpp"
#include "base/text/counted.hpp"
#include "cli/options/command.hpp"
#include "cli/options/file_options.hpp"
#include "report/wrapped.hpp"
#include "sampling/merge.hpp"
#include "sampling/sample_name.hpp"

namespace kjoule {

namespace {

class SampleMerge final : public Command {
 public:
  std::string name() const override { return "merge"; }
  std::string help() const override { return "merges the parts of a sweep into one sorted CSV file"; }
  std::string example() const override {
    return "kjoule sample merge sampling_data/NVIDIAH200_gelu_fp16_4_*.csv -o NVIDIAH200_gelu_fp16.csv";
  }

  void declare(CLI::App& app) override {
    input_file(app.add_option("parts", parts_,
                              "CSV files of kjoule sample, one for each part of a sweep: "
                              "GPU_OPERATOR_PRECISION_PARTS_PART.csv, "
                              "where PARTS is the number of parts and PART the number of this part"))
        ->required();
    output_file(app.add_option("-o", output_, "CSV file to write"), kSampleTableOutput)->required();
    app.add_flag(
        "--graph", graph_,
        "use the times of CUDA graphs (measured with --graph or --energy) instead of the times of single "
        "passes; shapes without such times are omitted");
    app.add_flag("--incomplete", incomplete_, "write the file even if parts are missing or incomplete");
  }

  int run() override {
    const MergedSamples merged =
        merge_samples({parts_.begin(), parts_.end()}, graph_ ? SampleTimes::graph : SampleTimes::eager);
    if (!merged.missing_parts.empty() && !incomplete_)
      throw Error(fmt::format("missing parts: {}", number_spans(merged.missing_parts)),
                  "also give their files, or merge without them: --incomplete");
    if (!merged.unfinished.empty() && !incomplete_)
      throw Error(fmt::format("unfinished parts: {}", fmt::join(merged.unfinished, ", ")),
                  "continue their sampling, or merge without the rest: --incomplete");
    if (graph_ && merged.rows == 0)
      throw Error(parts_.front() + ": the parts contain no times of CUDA graphs, which --graph needs",
                  "measure them with kjoule sample --graph, or omit --graph");
    write_named(output_, merged.csv);
    print_output("{} rows in {}\n", merged.rows, output_);
    if (merged.duplicates > 0)
      print_output("{} rows were omitted, because their shapes already had a row\n", merged.duplicates);
    if (merged.replaced > 0)
      print_output("{} rows are the medians of at least three measurements of their shapes\n",
                   merged.replaced);
    if (!merged.contradicted.empty())
      print_text(wrapped(
          "",
          fmt::format("two measurements of these shapes differ by more than 10 %, and the first was taken; "
                      "kjoule sample --shapes measures them again: {}",
                      fmt::join(merged.contradicted, ", "))));
    if (merged.without_graph > 0)
      print_output("{} shapes were omitted, because they were not timed as a CUDA graph\n",
                   merged.without_graph);
    if (merged.impossible_energies > 0)
      print_text(
          wrapped("", fmt::format("{} {} not written, because only energies above 0 are possible",
                                  merged.impossible_energies,
                                  agreeing(merged.impossible_energies, "energy was", "energies were"))));
    if (merged.failed > 0)
      print_text(wrapped(
          "", fmt::format("warning: {} {} missing, because all their samples failed; the kjoule sample "
                          "command of the sweep measures them again",
                          merged.failed, agreeing(merged.failed, "shape is", "shapes are"))));
    if (!merged.missing_parts.empty())
      print_output("missing parts: {}\n", number_spans(merged.missing_parts));
    if (!merged.unfinished.empty())
      print_output("unfinished parts: {}\n", fmt::join(merged.unfinished, ", "));
    return 0;
  }

 private:
  std::vector<std::string> parts_;
  std::string output_;
  bool incomplete_ = false, graph_ = false;
};

}  // namespace

std::unique_ptr<Command> sample_merge_command() {
  return std::make_unique<SampleMerge>();
}

}  // namespace kjoule
