#include <fmt/format.h>

#include "base/json/optional_json.hpp"
#include "base/process/terminal.hpp"
#include "base/text/printable.hpp"
#include "cli/options/command.hpp"
#include "cli/options/file_options.hpp"
#include "cli/options/printed.hpp"
#include "report/wrapped.hpp"
#include "sampling/sample_name.hpp"
#include "sampling/sweep_status.hpp"

namespace kjoule {

namespace {

constexpr size_t kNodeWidth = 24;

nlohmann::ordered_json status_json(const SweepStatus& sweep) {
  nlohmann::ordered_json json{{"sweep", sweep.sweep},
                              {"parts", sweep.parts},
                              {"samples", sweep.samples},
                              {"done", sweep.done},
                              {"left", sweep.samples - sweep.done},
                              {"failed", sweep.failed},
                              {"parts_not_begun", sweep.not_begun},
                              {"remaining_s", or_null(sweep.remaining_s)},
                              {"nodes", nlohmann::ordered_json::array()}};
  for (const auto& [name, node] : sweep.nodes)
    json["nodes"].push_back({{"node", name},
                             {"measured", node.measured},
                             {"failed", node.failed},
                             {"samples_per_s", or_null(node.samples_per_s)},
                             {"against_neighbours", or_null(node.against_neighbours)},
                             {"outliers", node.outliers}});
  return json;
}

std::string number_or_dash(const std::optional<double>& number, const char* form) {
  return number ? fmt::format(fmt::runtime(form), *number) : "-";
}

std::string status_text(const SweepStatus& sweep) {
  std::string text = fmt::format("{}: {} of {} samples are done, {} left", sweep.sweep, sweep.done,
                                 sweep.samples, sweep.samples - sweep.done);
  if (sweep.failed > 0) text += fmt::format(", {} of them failed", sweep.failed);
  if (sweep.remaining_s && *sweep.remaining_s > 0)
    text += fmt::format("; about {:.0f} s left", *sweep.remaining_s);
  if (!sweep.not_begun.empty())
    text += fmt::format("; parts without files: {}", number_spans(sweep.not_begun));
  text = wrapped("", text) + first_cell("node", kNodeWidth) +
         fmt::format(" {:>8} {:>6} {:>9} {:>10} {:>8}\n", "measured", "failed", "samples/s", "neighbours",
                     "outliers");
  for (const auto& [name, node] : sweep.nodes)
    text += first_cell(printable(name), kNodeWidth) +
            fmt::format(" {:>8} {:>6} {:>9} {:>10} {:>8}\n", node.measured, node.failed,
                        number_or_dash(node.samples_per_s, "{:.2f}"),
                        number_or_dash(node.against_neighbours, "{:.3f}"), node.outliers);
  return text;
}

class SampleStatusCommand final : public Command {
 public:
  std::string name() const override { return "status"; }
  std::string help() const override {
    return "shows the progress of sweeps, with failures and outliers by node";
  }
  std::string example() const override { return "kjoule sample status results"; }
  std::vector<TableColumns> tables() const override {
    return {
        {"the table of nodes",
         {{"node", "machine: the name of Slurm's node, or the host name"},
          {"measured", "number of samples with times"},
          {"failed", "number of samples with the status error"},
          {"samples/s", "speed of the parts that the node measured last, together"},
          {"neighbours",
           "median of the ratios of a sample's time to the geometric mean of the times of the next smaller "
           "and the next larger size; a slow node has a larger ratio than the others"},
          {"outliers",
           "number of samples that took more than twice the longer time of these two, or less than half the "
           "shorter one"}}}};
  }
  void declare(CLI::App& app) override {
    input_file(app.add_option("results", folder_, "folder that was given to -o of kjoule sample"))
        ->required();
    app.add_flag("--json", json_, "print JSON instead of text");
  }
  int run() override {
    const std::vector<SweepStatus> sweeps = read_sweep_status(folder_);
    bool all_complete = true;
    nlohmann::ordered_json json = nlohmann::ordered_json::array();
    for (const SweepStatus& sweep : sweeps) {
      all_complete = all_complete && sweep.is_complete();
      if (json_)
        json.push_back(status_json(sweep));
      else
        print_text(status_text(sweep));
    }
    if (json_) print_json(json);
    return all_complete ? 0 : 1;
  }

 private:
  std::string folder_;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> sample_status_command() {
  return std::make_unique<SampleStatusCommand>();
}

}  // namespace kjoule
