#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <thread>

#include "base/files/files.hpp"
#include "base/files/machine_load.hpp"
#include "base/process/terminal.hpp"
#include "base/text/counted.hpp"
#include "cli/options/allowed_operators.hpp"
#include "cli/options/command.hpp"
#include "cli/options/effect.hpp"
#include "cli/options/energy_arguments.hpp"
#include "cli/options/file_options.hpp"
#include "cli/options/help_format.hpp"
#include "cli/options/numbers.hpp"
#include "cli/options/page_file.hpp"
#include "cli/options/printed.hpp"
#include "cli/options/shape_budget.hpp"
#include "cli/options/slurm_arguments.hpp"
#include "device/injected_program.hpp"
#include "device/operator_table.hpp"
#include "page/samples_page.hpp"
#include "prediction/own_operator.hpp"
#include "report/wrapped.hpp"
#include "run/python_runner.hpp"
#include "run/started_runner.hpp"
#include "run/torch_runner.hpp"
#include "sampling/chosen_gpus.hpp"
#include "sampling/queue_worker.hpp"
#include "sampling/shape_list.hpp"
#include "sampling/shape_run.hpp"
#include "sampling/shared_sweep.hpp"
#include "sampling/shipped_configurations.hpp"
#include "sampling/slurm_job.hpp"
#include "sampling/sweep_run.hpp"

namespace kjoule {

namespace {

constexpr double kSettle_s = 0.05;  ///< warm-up before a power reading
/// A reading of the time alone.
constexpr ReadingWindow kTimeReading{0.02, 0.05};
constexpr size_t kMostBudget = 1'000'000;

class Sample final : public Command {
 public:
  std::string name() const override { return "sample"; }
  std::string help() const override {
    return "measures the forward and backward pass of an operator for a sweep of shapes";
  }
  std::string example() const override {
    return "kjoule sample flash_atten --precision bf16 --parts 4 --part 1 --energy";
  }

  void declare(CLI::App& app) override {
    configuration_option_ =
        input_file(app.add_option("configuration,--config_path", configuration_,
                                  "operator (see --list), or YAML file (docs/guide/sampling.md)"));
    app_ = &app;
    list_flag_ = app.add_flag("--list", list_,
                              "list the operators with built-in configurations and their sweeps, or only "
                              "the sweep of the given configuration, and exit");
    app.add_option("--precision", options_.precision, "precision: fp16, bf16 or fp32")
        ->capture_default_str()
        ->check(one_of({"fp16", "bf16", "fp32"}));
    CLI::Option* parts =
        app.add_option("--parts", options_.parts,
                       "number of parts into which the shapes are divided, so that several jobs or machines "
                       "can measure them; --part selects the part that this command measures")
            ->capture_default_str()
            ->check(whole_number(1, kMostParts));
    CLI::Option* part = app.add_option("--part", options_.part, "number of the part to measure, from 1")
                            ->capture_default_str()
                            ->check(whole_number(1, kMostParts))
                            ->needs(parts);
    requeue_flag_ = app.add_flag(
        "--requeue", requeue_,
        "in a job of Slurm: take over the part from an earlier start of the job, and requeue the job if "
        "Slurm ends it before the part is complete; scripts of --slurm-script use it");
    app.add_option("--device", device_, "device: auto, cpu or cuda")->capture_default_str();
    of_gpus_ = {app.add_option("--device_num,--device-num", device_number_, "number of the GPU, from 0")
                    ->capture_default_str()
                    ->check(whole_number(0, kMostGpuNumber))};
    gpus_option_ =
        app.add_option(
               "--gpus", gpus_,
               "GPUs that measure the sweep together: all, or numbers such as 0,1; one process runs on "
               "each, and they share the samples")
            ->excludes(app.get_option("--device_num"));
    app.add_option("--queue-socket", queue_socket_)  // of a process that --gpus starts
        ->check(whole_number(STDERR_FILENO + 1, std::numeric_limits<int>::max()))
        ->group("");
    app.add_option("--threads", threads_, "number of libtorch's threads; default: chosen by libtorch")
        ->check(whole_number(1, kMostThreads));
    app.add_option(
           "--run", run_,
           "kind of run: get_all (the sweep), get_one (one shape), get_profiler (one shape, with "
           "PyTorch's trace) or run_function (one shape, without times); default: as in the configuration")
        ->check(one_of({"get_all", "get_one", "get_profiler", "run_function"}));
    declare_allowed_operators(app, allowed_operators_);
    python_option_ = input_file(app.add_option(
        "--python", python_,
        "Python file that defines the operator function_name of the configuration: a function that runs "
        "forward and backward pass, or a torch.nn.Module (docs/guide/sampling.md)"));
    const CLI::Option* roof = input_file(
        app.add_option("--roof", roof_,
                       "JSON file with the device's peak rates; a time that is shorter than they allow is "
                       "marked as too fast; default: built-in rates, if the device is known"));
    CLI::Option* graph = app.add_flag(
        "--graph", graph_,
        "also measure the time of each pass as a CUDA graph, without gaps between its kernels, as --energy "
        "does, but without energy: this is several times as fast");
    CLI::Option* shapes = input_file(app.add_option(
        "--shapes", shapes_,
        "CSV file of shapes of the sweep, as kjoule train --repeat-list writes it: measure only "
        "these shapes, each twice, also if they have rows; kjoule sample merge then takes the "
        "median of all measurements of a shape"));
    CLI::Option* budget =
        app.add_option(
               "--budget", budget_,
               "measure only so many shapes of the sweep: a random fifth, and those from which a model "
               "learns most; a later call with a larger number adds shapes")
            ->check(whole_number(1, kMostBudget))
            ->excludes(shapes);
    for (CLI::Option* chosen : {shapes, budget})
      for (CLI::Option* other : {parts, gpus_option_, requeue_flag_}) chosen->excludes(other);
    const CLI::Option* energy = declare_energy(app)->excludes(graph);
    output_folder(
        app.add_option("-o,--output-dir", options_.folder,
                       "folder for the subfolders sampling_data and sampling_log; samples that it already "
                       "contains are not measured again"))
        ->capture_default_str();
    const CLI::Option* json = app.add_flag("--json", json_, "print the summary as JSON instead of text");
    page_.declare(app);
    slurm_.declare(app, {parts, part, requeue_flag_});
    for (CLI::Option* chosen : {shapes, budget}) chosen->excludes(app.get_option("--slurm-script"));
    of_sweeps_ = {
        parts,  requeue_flag_, app.get_option("--slurm-script"), gpus_option_, roof, shapes, budget, graph,
        energy, json};
    for (auto& command : {&sample_merge_command, &sample_status_command}) {
      auto& [subcommand, its_app] = subcommands_.emplace_back(command(), nullptr);
      its_app = app.add_subcommand(subcommand->name(), subcommand->help());
      its_app->footer(help_footer(*subcommand));
      subcommand->declare(*its_app);
    }
  }

  std::string way_on() const override {
    return given_subcommand() != nullptr ? ""
                                         : "give the same command again: it continues and keeps all samples";
  }
  int run() override {
    if (Command* subcommand = given_subcommand()) {
      refuse_given(app_->get_options({}), "before the word " + subcommand->name(),
                   fmt::format("put the options of {} after that word", subcommand->name()));
      return subcommand->run();
    }
    if (list_) return list();
    if (configuration_.empty())
      throw UsageError(
          "no operator was given",
          "give an operator or a YAML file, for example kjoule sample gelu; --list shows all operators");
    if (options_.part > options_.parts)
      throw UsageError(
          fmt::format("--part {} does not exist, because --parts is {}", options_.part, options_.parts),
          fmt::format("give a number from 1 to {} to --part", options_.parts));
    const SamplingConfiguration configuration = read();
    report_completed(configuration);
    if (configuration.run != SamplingConfiguration::Run::get_all)
      refuse_given(of_sweeps_, "on one shape", "omit it, or use --run get_all");
    if (page_.is_requested() &&
        (slurm_.is_requested() || configuration.run != SamplingConfiguration::Run::get_all))
      throw UsageError("--html has no effect, because this command does not measure a sweep",
                       "omit it, or measure the sweep with it");
    if (!roof_.empty()) options_.roofs = read_device_roofs(read_json(roof_), roof_);
    if (slurm_.is_requested()) {
      if (gpus_option_->count() > 0) refuse_gpus_on_cpu();
      slurm_.write(*app_, configuration.kernel_name, Sweep(configuration.swept).size(), options_.folder);
      return 0;
    }
    const bool is_worker = queue_socket_ >= 0;
    if (requeue_ && !is_worker) prepare_requeue();
    if (!shapes_.empty())
      options_.repeated = read_shape_list(read_text(shapes_), shapes_, configuration.parameters);
    if (budget_ > 0) choose_within_budget(configuration);
    const std::vector<ChosenGpu> gpus = is_worker ? std::vector<ChosenGpu>() : read_gpus();
    choose_runner(configuration);
    if (is_worker) return serve_queue(queue_socket_, configuration, options_);
    if (!gpus.empty()) return report(sample_on_gpus(configuration, options_, gpus, worker_command()));
    if (configuration.run != SamplingConfiguration::Run::get_all)
      return print(sample_shape(configuration, options_));
    return report(sample_sweep(configuration, options_));
  }

 private:
  /// Returns the subcommand of the command line; null if there is none.
  Command* given_subcommand() const {
    for (const auto& [command, app] : subcommands_)
      if (app->parsed()) return command.get();
    return nullptr;
  }

  void choose_within_budget(const SamplingConfiguration& configuration) {
    shape_budget_ = std::make_unique<ShapeBudget>(
        own_operator_ ? own_operator_->kind
                      : make_operator_kind(configuration.function_name, configuration.parameters));
    options_.budget = budget_;
    options_.choose = [this](const auto& sweep, const auto& measured, size_t left) {
      return shape_budget_->choose(sweep, measured, left);
    };
    time_columns_ = configuration.time_columns;
  }

  /// Returns the errors of a model on the random shapes of a budget; none without a budget.
  std::vector<ShapeBudget::BudgetError> budget_errors() const {
    return shape_budget_ ? shape_budget_->errors(time_columns_) : std::vector<ShapeBudget::BudgetError>();
  }

  static nlohmann::ordered_json json_of(const std::vector<ShapeBudget::BudgetError>& errors) {
    nlohmann::ordered_json all = nlohmann::ordered_json::array();
    for (const auto& error : errors)
      all.push_back({{"column", error.column},
                     {"random_shapes", error.rows},
                     {"mean_error_percent", error.mean_percent},
                     {"inside_interval_percent", error.covered_percent}});
    return all;
  }

  static void print(const std::vector<ShapeBudget::BudgetError>& errors) {
    for (const auto& error : errors)
      print_text(
          wrapped("", fmt::format("{}: a model of the chosen shapes has a mean error of {:.2f} % on {}, "
                                  "which were not used for training; {:.0f} % of them are inside the 90 % "
                                  "interval",
                                  error.column, error.mean_percent, counted(error.rows, "random shape"),
                                  error.covered_percent)));
  }

  void prepare_requeue() {
    const auto job = SlurmJob::of_this_process();
    if (!job)
      throw UsageError("--requeue has no effect, because this process runs in no job of Slurm",
                       "omit it, or submit a script that --slurm-script wrote");
    options_.requeued = &requeued_.emplace(*job);
  }

  void refuse_gpus_on_cpu() const {
    if (device_ == "cpu")
      throw UsageError("--gpus has no effect on the CPU", "omit it, or use --device cuda");
  }

  /// Returns the GPUs of --gpus; none if it was not given.
  std::vector<ChosenGpu> read_gpus() const {
    if (gpus_option_->count() == 0) return {};
    refuse_gpus_on_cpu();
    return choose_gpus(gpus_, GpusOfMachine::of_this_machine());
  }

  /// Returns the command line of this process, with the option that makes it a worker of a queue.
  static std::vector<std::string> worker_command() {
    std::vector<std::string> words{std::filesystem::read_symlink("/proc/self/exe")};
    std::ifstream line("/proc/self/cmdline", std::ios::binary);
    std::string word;
    std::getline(line, word, '\0');  // the name by which this program was called
    while (std::getline(line, word, '\0')) words.push_back(word);
    words.insert(words.end(), {"--queue-socket", "{fd}"});
    return words;
  }

  /// Prints a warning if other programs leave fewer cores than the operator needs: `threads`, or all if 0.
  static void warn_of_load(int threads) {
    const int wanted = threads > 0 ? threads : static_cast<int>(std::thread::hardware_concurrency());
    if (const std::string warning = load_warning(machine_load(wanted), wanted); !warning.empty())
      print_warning("{}", warning);
  }

  /// Declares the options of energy. Returns the flag --energy, which all others need.
  CLI::Option* declare_energy(CLI::App& app) {
    const char* group = "Energy";
    CLI::Option* energy = app.add_flag(
        "--energy", energy_,
        "also measure the energy, power, clock and kernels of the forward and the backward pass, and the "
        "time of each pass as a CUDA graph; the values are written to the JSONL file");
    energy->group(group);
    declare_named_meter(app, energy,
                        "the GPU's energy counter, or its power samples if --reading is less than 0.3 s",
                        energy_options_);
    for (const char* named : {"--power-source", "--power-log"})
      gpus_option_->excludes(app.get_option(named));  // the meter of each GPU is read
    app.add_option("--reading", reading_s_,
                   "time in seconds for which the power meter is read during the forward pass, and again "
                   "during the backward pass")
        ->group(group)
        ->needs(energy)
        ->capture_default_str()
        ->check(duration());
    return energy;
  }

  int list() {
    refuse_given(app_->get_options([this](const CLI::Option* other) {
      return other != list_flag_ && other != configuration_option_ && other != python_option_;
    }),
                 "together with " + list_flag_->get_name(), "omit it");
    if (configuration_.empty()) {
      for (const ShippedConfiguration& shipped : shipped_configurations())
        list(read_sampling_configuration(shipped.yaml, shipped.name));
    } else {
      const SamplingConfiguration configuration = read();
      report_completed(configuration);
      list(configuration);
    }
    return 0;
  }

  static void list(const SamplingConfiguration& one) {
    const std::string about = one.call     ? one.call->name
                              : one.python ? "function or module in " + one.python->file
                                           : find_sampled_operator(one.function_name)->about;
    const std::string shapes = one.run == SamplingConfiguration::Run::get_all
                                   ? fmt::format("{} shapes", Sweep(one.swept).size())
                                   : "one shape";
    print_text(table_row(fmt::format("{:<31} ", one.function_name),
                         fmt::format("{}; {} of {}", about, shapes, fmt::join(one.parameters, ", "))));
  }

  static void report_completed(const SamplingConfiguration& configuration) {
    if (!configuration.completed.empty()) print_error("kjoule: {}\n", configuration.completed);
  }

  SamplingConfiguration read() {
    const bool file = is_file_name(configuration_);
    const std::string extension = std::filesystem::path(configuration_).extension();
    if (!file && (extension == ".yml" || extension == ".yaml"))
      throw Error(configuration_ + ": no such file",
                  "kjoule sample --list shows the operators that need no file");
    const std::string yaml = file ? read_text(configuration_) : shipped_configuration(configuration_).yaml;
    SamplingConfiguration made = read_sampling_configuration(yaml, configuration_, run_, python_);
    own_operator_ = read_own_operator(
        yaml, configuration_);  // reports faults before the sweep, instead of at the prediction
    return made;
  }

  void choose_runner(const SamplingConfiguration& configuration) {
    SubjectOptions subject;
    subject.device = gpus_option_->count() > 0 && device_ == "auto" ? "cuda" : device_;
    subject.device = device_for_runner(subject);
    subject.threads = threads_;
    subject.allowed_operators = allowed_operators_;
    const bool on_cpu = subject.device == "cpu";
    if (on_cpu && device_number_ > 0) refuse_given(of_gpus_, "on the CPU", "omit it, or use --device cuda");
    if (on_cpu && first_given(of_gpus_) != nullptr)
      print_error("kjoule: --device_num 0 has no effect, because the operator is measured on the CPU\n");
    if (device_number_ > 0) subject.injection.gpu = device_number_;
    if (!configuration.python) need_torch_runner();
    if (on_cpu) warn_of_load(threads_);
    const RunnerWork place = runner_place(subject);
    if (configuration.python)
      choose_python(place, *configuration.python);
    else
      choose_torch(place, subject);
    if (graph_) options_.replay = {open_operators_, {}, kTimeReading};
    if (energy_) options_.replay = {open_operators_, energy_options_, {kSettle_s, reading_s_}};
  }

  void choose_torch(const RunnerWork& place, const SubjectOptions& subject) {
    options_.start_runner = [place] { return std::move(start_runner(place).runner); };
    // Throws Error now if the library is missing, instead of after many samples.
    if ((graph_ || energy_) && place.device != "cpu") find_injected_library();
    open_operators_ = [subject](std::vector<SampleRequest> operators) {
      return open_sampled_operators(subject, std::move(operators));
    };
  }

  void choose_python(const RunnerWork& place, const PythonOperator& python) {
    if ((graph_ || energy_) && !python.targets.empty()) {
      const char* option = graph_ ? "--graph" : "--energy";
      throw UsageError(
          fmt::format("{} needs a torch.nn.Module, because forward and backward pass of a function cannot be "
                      "repeated separately",
                      option),
          fmt::format("write the operator as a module and remove targets, or omit {}", option));
    }
    const std::vector<std::string> arguments{python.file, "--function", python.function, "--targets",
                                             nlohmann::json(python.targets).dump()};
    options_.start_runner = [place, arguments] { return start_python_runner(place, arguments); };
    open_operators_ = [place, arguments](std::vector<SampleRequest> operators) {
      RunnerWork work = place;
      work.what = std::move(operators);
      return open_python_operators(work, arguments);
    };
  }

  int report(const SweepOutcome& outcome) const {
    if (json_)
      print_json(nlohmann::ordered_json({{"gpu", outcome.name.gpu},
                                         {"operator", outcome.name.operator_name},
                                         {"precision", outcome.name.precision},
                                         {"samples", outcome.samples},
                                         {"before", outcome.before},
                                         {"counts", outcome.counts},
                                         {"not_replayed", outcome.not_replayed},
                                         {"no_energy", outcome.energy_missing},
                                         {"csv", outcome.csv.string()},
                                         {"jsonl", outcome.jsonl.string()},
                                         {"gpus", gpus_json(outcome.gpus)},
                                         {"budget_errors", json_of(budget_errors())}}));
    else {
      print(outcome);
      print(budget_errors());
    }
    if (page_.is_requested() && outcome.any_measured) page_.write(page_of(outcome));
    const bool all_replayed = report_not_replayed(outcome) && are_all_used(outcome.gpus);
    const auto errors = outcome.counts.find("error");
    const bool any = outcome.any_measured || outcome.samples == 0;
    if (errors == outcome.counts.end() && any) return all_replayed ? 0 : 1;
    print_error("kjoule: {}; reason for the last one: {}\n",
                errors == outcome.counts.end() ? "no sample could be measured"
                                               : fmt::format("{} samples failed", errors->second),
                outcome.last_error);
    return 1;
  }

  static Page page_of(const SweepOutcome& outcome) {
    return samples_page(outcome.name.text(), outcome.name.operator_name,
                        read_samples(read_text(outcome.csv), outcome.csv, outcome.name.operator_name));
  }

  static bool are_all_used(const std::vector<GpuShare>& gpus) {
    return std::ranges::all_of(gpus, [](const GpuShare& gpu) { return gpu.lack.empty(); });
  }

  static std::string share_text(const GpuShare& gpu) {
    const std::string share = fmt::format("GPU {}: {}", gpu.number, counted(gpu.samples, "sample"));
    if (gpu.lack.empty()) return share;
    return gpu.samples > 0 ? fmt::format("{}, then not used any more: {}", share, gpu.lack)
                           : fmt::format("GPU {}: not used: {}", gpu.number, gpu.lack);
  }

  static nlohmann::ordered_json gpus_json(const std::vector<GpuShare>& gpus) {
    nlohmann::ordered_json all = nlohmann::ordered_json::array();
    for (const GpuShare& gpu : gpus)
      all.push_back({{"gpu", gpu.number},
                     {"uuid", or_null_if_empty(gpu.uuid)},
                     {"samples", gpu.samples},
                     {"not_used", or_null_if_empty(gpu.lack)}});
    return all;
  }

  static nlohmann::json or_null_if_empty(const std::string& text) {
    return text.empty() ? nlohmann::json() : nlohmann::json(text);
  }

  /// Reports samples without energy. Returns whether every timed sample has the requested energy.
  static bool report_not_replayed(const SweepOutcome& outcome) {
    if (outcome.not_replayed > 0)
      print_error("kjoule: the kernels of {} samples could not be replayed; reason for the last one: {}\n",
                  outcome.not_replayed, outcome.why_not_replayed);
    if (!outcome.energy_missing.empty())
      print_error("kjoule: energy was not measured: {}\n", outcome.energy_missing);
    return outcome.not_replayed == 0 && outcome.energy_missing.empty();
  }

  static int print(const ShapeOutcome& outcome) {
    print_output("{} on {}: {}\n", outcome.name, outcome.device, outcome.times);
    if (outcome.kernels) print_output("{} kernels in each pass\n", *outcome.kernels);
    if (!outcome.trace.empty()) print_output("trace in {}\n", outcome.trace);
    return 0;
  }

  static void print(const SweepOutcome& outcome) {
    print_output("{}: {} samples", outcome.name.text(), outcome.samples);
    if (outcome.before > 0) print_output(", of which {} were measured before", outcome.before);
    for (const auto& [status, count] : outcome.counts) print_output(", {} {}", count, status);
    print_output("\n");
    for (const GpuShare& gpu : outcome.gpus) print_text(wrapped("", share_text(gpu)));
    if (!outcome.has_roofs)
      print_output(
          "the peak rates of this device are unknown, so times were not checked against them (--roof FILE "
          "states the rates)\n");
    print_output("times in {}, all rows in {}\n", outcome.csv.string(), outcome.jsonl.string());
  }

  std::string configuration_, device_ = "auto", run_, roof_, shapes_;
  std::vector<std::string> allowed_operators_;
  std::string python_;  ///< Python file that defines the operator; empty for other operators
  std::string gpus_;
  std::optional<OwnOperator>
      own_operator_;   ///< what the configuration states of an operator of the user's own
  size_t budget_ = 0;  ///< number of shapes to measure; 0: all
  std::unique_ptr<ShapeBudget> shape_budget_;
  std::vector<std::string> time_columns_;
  int device_number_ = 0, threads_ = 0, queue_socket_ = -1;
  bool list_ = false, json_ = false, graph_ = false, energy_ = false;
  EnergyMeterOptions energy_options_;
  double reading_s_ = 0.2;  ///< duration of a power reading
  std::function<Subject(std::vector<SampleRequest>)> open_operators_;
  SamplingOptions options_;
  SlurmArguments slurm_;
  PageFile page_;
  bool requeue_ = false;
  std::optional<RequeuedJob> requeued_;
  std::vector<std::pair<std::unique_ptr<Command>, CLI::App*>> subcommands_;
  const CLI::App* app_ = nullptr;
  const CLI::Option *list_flag_ = nullptr, *configuration_option_ = nullptr, *python_option_ = nullptr;
  CLI::Option *requeue_flag_ = nullptr, *gpus_option_ = nullptr;
  Options of_gpus_, of_sweeps_;  ///< options that have an effect only on GPUs, and only on sweeps
};

}  // namespace

std::unique_ptr<Command> sample_command() {
  return std::make_unique<Sample>();
}

}  // namespace kjoule
