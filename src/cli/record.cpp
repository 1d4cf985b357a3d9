#include <fmt/format.h>

#include "base/files/files.hpp"
#include "base/process/terminal.hpp"
#include "cli/compare/timeline_files.hpp"
#include "cli/options/command.hpp"
#include "cli/options/file_options.hpp"
#include "cli/options/full_names_option.hpp"
#include "cli/options/subject_arguments.hpp"

namespace kjoule {

namespace {

class Record final : public Command {
 public:
  std::string name() const override { return "record"; }
  std::string help() const override { return "records one iteration: every launch with its arguments"; }
  std::string example() const override { return "kjoule record --model bloom.pt -o recording.jsonl"; }
  void declare(CLI::App& app) override {
    subject_.declare(app);
    output_file(app.add_option("-o,--output", output_, "file for the recording"), kRecordingOutput)
        ->capture_default_str();
    timeline_.declare(app);
    full_names_.declare(app);
  }
  void take_program(std::vector<std::string> program) override { subject_.program = std::move(program); }
  int run() override {
    timeline_.refuse_wrong_names();
    subject_.injection.after = InjectionOptions::After::run_on;
    const SubjectOptions& options = subject_.checked();
    timeline_.refuse_model_on_cpu(options);
    Subject subject = open_recordable_subject(options);
    timeline_.refuse_without_timeline(subject.device->info());
    Recording recording = subject.device->record();
    recording.program.update(subject.program);
    write_named(output_, recording_text(recording));
    print_output("{}: {} launches of {} kernels\n", output_, recording.launches.size(),
                 kernel_table(recording).kernels.size());
    if (timeline_.asked()) write_timeline(subject, recording);
    std::fflush(stdout);  // before further output of the program
    return subject.run_to_end();
  }

 private:
  void write_timeline(const Subject& subject, const Recording& recording) const {
    const std::optional<Observation> seen = subject.device->observe();
    if (seen) timeline_.write(make_timeline(subject.title, recording, seen->iteration), full_names_.style());
  }

  SubjectArguments subject_;
  std::string output_ = "recording.jsonl";
  TimelineFiles timeline_;
  FullNamesOption full_names_;
};

}  // namespace

std::unique_ptr<Command> record_command() {
  return std::make_unique<Record>();
}

}  // namespace kjoule
