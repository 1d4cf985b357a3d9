#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "base/process/environment_variable.hpp"
#include "base/process/terminal.hpp"
#include "base/text/counted.hpp"
#include "cli/options/comma_list.hpp"
#include "cli/options/command.hpp"
#include "cli/options/effect.hpp"
#include "cli/options/energy_arguments.hpp"
#include "cli/options/file_options.hpp"
#include "cli/options/numbers.hpp"
#include "cli/options/slurm_group_arguments.hpp"
#include "collectives/collective_sweep.hpp"
#include "collectives/group_member.hpp"
#include "collectives/rank_processes.hpp"
#include "report/wrapped.hpp"
#include "sampling/slurm_job.hpp"

namespace kjoule {

namespace {

constexpr int64_t kMostCollectiveBytes = int64_t{1} << 40;
/// Largest number of ranks: the sums of their numbers are exact in bf16.
constexpr size_t kMostRanksOfGroup = 64;
constexpr int64_t kLargestPort = 65535;

std::vector<std::string> names_of_collectives() {
  std::vector<std::string> names;
  for (const CollectiveOperation& operation : collective_operations()) names.push_back(operation.name);
  return names;
}

class Collectives final : public Command {
 public:
  std::string name() const override { return "collectives"; }
  std::string help() const override {
    return "measures collectives of NCCL on the GPUs of one or several machines for a range of sizes";
  }
  std::string example() const override { return "kjoule collectives all_reduce --gpus 0,1 -o results"; }
  std::vector<TableColumns> tables() const override {
    return {{"the table of sizes",
             {{"bytes", "size of the data, by the definition of nccl-tests"},
              {"elements", "number of elements of these data"},
              {"time us", "median time of one collective"},
              {"+- us", "half of the 95 % interval of this median"},
              {"algbw GB/s", "algorithm bandwidth: bytes divided by time"},
              {"busbw GB/s",
               "bus bandwidth: algorithm bandwidth times the factor of nccl-tests, which makes it comparable "
               "with the rate of a link"},
              {"mJ", "mean energy of one collective on all GPUs together (with --energy)"},
              {"+- mJ", "half of the 95 % interval of this energy"},
              {"W", "mean power of all GPUs together"}}}};
  }
  void declare(CLI::App& app) override {
    app_ = &app;
    app.add_option(
           "operation", sweep_.operation,
           fmt::format("{} (from the first to the last GPU)", fmt::join(names_of_collectives(), ", ")))
        ->required()
        ->check(one_of(names_of_collectives()));
    CLI::Option* gpus =
        add_list(app, "--gpus", gpus_, 0, kMostGpuNumber,
                 "numbers of the GPUs of this machine, from 0; default: 0,1, or one GPU for each rank that "
                 "torchrun or srun starts");
    gpus_option_ = gpus;
    app.add_option("--precision", sweep_.precision, "precision: fp16, bf16 or fp32")
        ->capture_default_str()
        ->check(one_of({"fp16", "bf16", "fp32"}));
    app.add_option("--from", sweep_.from_bytes,
                   "smallest size in bytes; each further size is twice as large as the one before")
        ->capture_default_str()
        ->check(whole_number(1, kMostCollectiveBytes));
    app.add_option("--to", sweep_.to_bytes, "largest size in bytes")
        ->capture_default_str()
        ->check(whole_number(1, kMostCollectiveBytes));
    app.add_flag("--out-of-place", out_of_place_,
                 "write the result to another buffer than the data; all_to_all and send_receive always do");
    app.add_flag("--graph", sweep_.graph,
                 "repeat the collectives as a CUDA graph: without the time in which the host launches them");
    app.add_option(
           "--time-limit", sweep_.time_limit_s,
           "time in seconds after which a GPU is given up that has not started, or not measured a size; "
           "with torchrun or srun, also for the connection of the ranks")
        ->capture_default_str()
        ->check(duration());
    port_option_ = app.add_option("--port", port_,
                                  "with torchrun or srun: TCP port on which rank 0 waits for the others; "
                                  "default: MASTER_PORT + 1, or one that depends on the job of Slurm")
                       ->check(whole_number(1, kLargestPort));
    CLI::Option* energy = app.add_flag("--energy", with_energy_,
                                       "also measure the energy of each size, on all GPUs of this machine");
    energy->group("Energy");
    declare_named_meter(app, energy, "the GPUs' energy counters", meters_);
    output_folder(app.add_option("-o,--output-dir", sweep_.folder, "folder for the tables"))
        ->capture_default_str();
    slurm_.declare(app, gpus);
  }
  std::string way_on() const override {
    return "measure the sizes that are left with --from, in another folder";
  }
  int run() override {
    sweep_.in_place = !out_of_place_ && collective_operation(sweep_.operation).has_in_place;
    if (with_energy_) sweep_.energy = meters_;
    if (slurm_.is_requested()) return write_slurm_script();
    sweep_.place = read_group_place(environment_variable, node_name());
    if (sweep_.place)
      choose_place();
    else
      choose_gpus();
    sizes_of(sweep_);  // throws Error on all ranks, before they wait for each other
    if (sweep_.place && sweep_.place->rank > 0) {
      take_part(*sweep_.place, sweep_.time_limit_s);
      return 0;
    }
    std::vector<CollectiveRow> rows;
    print(measure_collectives(sweep_, [&](const CollectiveRow& row) {
      rows.push_back(row);
      if (rows.size() == 1) print_head(row);
      print_row(row);
    }));
    return report_missing_energies(rows) ? 1 : 0;
  }

 private:
  void choose_gpus() {
    refuse_given({port_option_}, "without torchrun or srun", "omit it");
    for (const int64_t gpu : gpus_) sweep_.gpus.push_back(static_cast<int>(gpu));
    if (std::set(gpus_.begin(), gpus_.end()).size() != gpus_.size())
      throw UsageError("--gpus names a GPU twice", "name each GPU once");
    if (gpus_.size() < 2 || gpus_.size() > kMostRanksOfGroup)
      throw UsageError(fmt::format("--gpus names {}, but collectives need 2 to {}",
                                   counted(gpus_.size(), "GPU"), kMostRanksOfGroup),
                       "name several GPUs, such as --gpus 0,1");
  }

  int write_slurm_script() {
    sweep_.place.emplace().ranks = slurm_.ranks();
    check_number_of_ranks();
    sizes_of(sweep_);
    slurm_.write(*app_, sweep_.operation, sweep_.folder);
    return 0;
  }

  void check_number_of_ranks() const {
    const auto ranks = static_cast<size_t>(sweep_.ranks());
    if (ranks < 2 || ranks > kMostRanksOfGroup)
      throw UsageError(
          fmt::format("the number of ranks is {}, but collectives need 2 to {}", ranks, kMostRanksOfGroup),
          "start one rank for each GPU of several GPUs");
  }

  void choose_place() {
    refuse_given({gpus_option_}, "in a process that torchrun or srun started as one of several ranks",
                 "omit it: each rank uses one GPU of its machine");
    check_number_of_ranks();
    if (port_option_->count() > 0) sweep_.place->port = port_;
  }

  void print(const CollectiveSweepResult& result) const {
    const std::string machines =
        result.machines > 1 ? fmt::format(" of {} machines", result.machines) : std::string();
    print_text("\n" +
               wrapped("", fmt::format("{} GPUs{} ({}), {}, {}, NCCL {}; the rows are in {}", sweep_.ranks(),
                                       machines, result.greeting.gpu_name, sweep_.precision,
                                       std::string(sweep_.in_place ? "in place" : "out of place") +
                                           (sweep_.graph ? ", as CUDA graphs" : ""),
                                       nccl_version_text(result.greeting.nccl), result.jsonl.string())));
    if (result.greeting.stand_in) print_text("These are times of a stand-in for NCCL, not of GPUs.\n");
  }

  /// Returns whether an energy is missing.
  static bool report_missing_energies(const std::vector<CollectiveRow>& rows) {
    const auto lacks = [](const CollectiveRow& row) { return row.energy && !row.energy->missing.empty(); };
    const auto first = std::ranges::find_if(rows, lacks);
    if (first == rows.end()) return false;
    const auto lacking = static_cast<size_t>(std::ranges::count_if(rows, lacks));
    const std::string which =
        lacking == rows.size() ? "the energies" : fmt::format("{} of {} energies", lacking, rows.size());
    print_error("kjoule: {} {} not known: {}\n", which, lacking == 1 && rows.size() > 1 ? "is" : "are",
                first->energy->missing);
    return true;
  }

  static void print_head(const CollectiveRow& row) {
    print_text(fmt::format("{:>11} {:>11} {:>10} {:>8} {:>10} {:>10}{}\n", "bytes", "elements", "time us",
                           "+- us", "algbw GB/s", "busbw GB/s",
                           row.energy ? fmt::format(" {:>10} {:>8} {:>6}", "mJ", "+- mJ", "W") : ""));
  }
  static void print_row(const CollectiveRow& row) {
    const MedianOfPasses time = row.time_us();
    print_text(fmt::format("{:>11} {:>11} {:>10.2f} {:>8.2f} {:>10.3f} {:>10.3f}{}\n", row.size.bytes,
                           row.size.all, time.value, 0.5 * (time.high - time.low),
                           1e-9 * row.algorithm_bandwidth(), 1e-9 * row.bus_bandwidth(),
                           row.energy ? energy_cells(*row.energy) : ""));
  }
  static std::string energy_cells(const CollectiveEnergy& energy) {
    if (!energy.missing.empty()) return fmt::format(" {:>10} {:>8} {:>6}", "-", "-", "-");
    const Interval joules = energy.joules();
    return fmt::format(" {:>10.4g} {:>8.2g} {:>6.0f}", 1e3 * joules.value, 1e3 * joules.half_width,
                       1e6 * joules.value / energy.time_us);
  }

  CollectiveSweep sweep_;
  std::vector<int64_t> gpus_{0, 1};
  int port_ = 0;
  bool out_of_place_ = false, with_energy_ = false;
  EnergyMeterOptions meters_;
  SlurmGroupArguments slurm_;
  const CLI::Option *gpus_option_ = nullptr, *port_option_ = nullptr;
  const CLI::App* app_ = nullptr;
};

}  // namespace

std::unique_ptr<Command> collectives_command() {
  return std::make_unique<Collectives>();
}

}  // namespace kjoule
