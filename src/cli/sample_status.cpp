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

constexpr size_t kNameWidth = 24;
constexpr size_t kShortUuid = 12;  ///< "GPU-" and 8 hex digits, which CUDA_VISIBLE_DEVICES also accepts

/// Returns what a place contributed. `kind` is the key of its name.
nlohmann::ordered_json place_json(const char* kind, const std::string& name, const PlaceStatus& place) {
  return {{kind, name},
          {"measured", place.measured},
          {"failed", place.failed},
          {"samples_per_s", or_null(place.samples_per_s)},
          {"against_neighbours", or_null(place.against_neighbours)},
          {"outliers", place.outliers}};
}

nlohmann::ordered_json status_json(const SweepStatus& sweep) {
  nlohmann::ordered_json json{{"sweep", sweep.sweep},
                              {"parts", sweep.parts},
                              {"samples", sweep.samples},
                              {"done", sweep.done},
                              {"left", sweep.samples - sweep.done},
                              {"failed", sweep.failed},
                              {"parts_not_begun", sweep.not_begun},
                              {"remaining_s", or_null(sweep.remaining_s)},
                              {"nodes", nlohmann::ordered_json::array()},
                              {"gpus", nlohmann::ordered_json::array()}};
  for (const auto& [name, node] : sweep.nodes) json["nodes"].push_back(place_json("node", name, node));
  for (const auto& [uuid, gpu] : sweep.gpus) json["gpus"].push_back(place_json("gpu", uuid, gpu));
  return json;
}

std::string number_or_dash(const std::optional<double>& number, const char* form) {
  return number ? fmt::format(fmt::runtime(form), *number) : "-";
}

/// Returns the table of nodes or of GPUs.
std::string places_text(const char* head, const std::map<std::string, PlaceStatus>& places) {
  std::string text =
      first_cell(head, kNameWidth) + fmt::format(" {:>8} {:>6} {:>9} {:>10} {:>8}\n", "measured", "failed",
                                                 "samples/s", "neighbours", "outliers");
  for (const auto& [name, place] : places)
    text += first_cell(printable(name), kNameWidth) +
            fmt::format(" {:>8} {:>6} {:>9} {:>10} {:>8}\n", place.measured, place.failed,
                        number_or_dash(place.samples_per_s, "{:.2f}"),
                        number_or_dash(place.against_neighbours, "{:.3f}"), place.outliers);
  return text;
}

std::string status_text(const SweepStatus& sweep) {
  std::string text = fmt::format("{}: {} of {} samples are done, {} left", sweep.sweep, sweep.done,
                                 sweep.samples, sweep.samples - sweep.done);
  if (sweep.failed > 0) text += fmt::format(", {} of them failed", sweep.failed);
  if (sweep.remaining_s && *sweep.remaining_s > 0)
    text += fmt::format("; about {:.0f} s left", *sweep.remaining_s);
  if (!sweep.not_begun.empty())
    text += fmt::format("; parts without files: {}", number_spans(sweep.not_begun));
  text = wrapped("", text) + places_text("node", sweep.nodes);
  std::map<std::string, PlaceStatus> gpus;
  for (const auto& [uuid, gpu] : sweep.gpus) gpus[uuid.substr(0, kShortUuid)] = gpu;
  if (!gpus.empty()) text += places_text("GPU", gpus);
  return text;
}

class SampleStatusCommand final : public Command {
 public:
  std::string name() const override { return "status"; }
  std::string help() const override {
    return "shows the progress of sweeps, with failures and outliers by node and GPU";
  }
  std::string example() const override { return "kjoule sample status results"; }
  std::vector<TableColumns> tables() const override {
    return {
        {"the tables of nodes and GPUs",
         {{"node", "machine: the name of Slurm's node, or the host name"},
          {"GPU", "beginning of the UUID of the GPU"},
          {"measured", "number of samples with times"},
          {"failed", "number of samples with the status error"},
          {"samples/s",
           "speed of the parts that the node measured last, together, or of the GPU in the last run"},
          {"neighbours",
           "median of the ratios of a sample's time to the geometric mean of the times of the next smaller "
           "and the next larger size; a slow node or GPU has a larger ratio than the others"},
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
