#include "run/recorded_subject.hpp"

#include "base/error.hpp"

namespace kjoule {

namespace {

using Json = nlohmann::json;

Error not_understood(const std::string& file, const std::string& field) {
  return Error(file + ": program.asked." + field + " has a type that kjoule does not write",
               "record the program or model again with kjoule record");
}

/// Returns the field `name`; `otherwise` if it is missing. Throws Error if it has another type than T.
template <class T>
T field_of(const Json& asked, const char* name, const T& otherwise, const std::string& file) {
  if (!asked.contains(name)) return otherwise;
  try {
    return asked.at(name).get<T>();
  } catch (const Json::exception&) {
    throw not_understood(file, name);
  }
}

const Json& asked_in(const Recording& recording, const std::string& file) {
  const auto asked = recording.program.find("asked");
  if (asked == recording.program.end() || !asked->is_object())
    throw Error(file + ": does not contain the program or model from which it was recorded",
                "record it again with kjoule record");
  if (!asked->contains("program") && !asked->contains("model") && !asked->contains("attached"))
    throw Error(file + ": this recording was made from a kernel table, not from a program or model",
                "give the kernel table with --kernels");
  return *asked;
}

bool is_simulated(const std::string& device) {
  return device.starts_with("simulated");
}

/// Copies the options that describe the recorded iteration from the recording. The socket and the folder of
/// the run's log are not copied: they belong to this run, and a file must not set them.
void take_injection(const Json& asked, const std::string& file, InjectionOptions& own) {
  if (!asked.contains("injection")) return;
  const InjectionOptions recorded =
      InjectionOptions::parse(field_of(asked, "injection", Environment(), file));
  if (own.nvtx_range.empty() && !own.iteration_launches) {
    own.nvtx_range = recorded.nvtx_range;
    own.iteration_launches = recorded.iteration_launches;
  }
  if (own.skip_iterations == 0) own.skip_iterations = recorded.skip_iterations;
  own.loop_s = recorded.loop_s;
  if (!own.gpu) own.gpu = recorded.gpu;
  if (!own.rank) own.rank = recorded.rank;
}

void refuse_without_code(const RecordedCode& code, const SubjectOptions& options) {
  if (options.is_program() || !options.model.empty() || is_simulated(options.device)) return;
  throw Error(options.recording + ": the " + (code.is_program() ? "program" : "model") +
                  " in this recording was not started, because a file must not start programs by itself",
              std::string("give it after ") + (code.is_program() ? "-- PROGRAM" : "--model M.pt") +
                  ", or confirm it with --run-recorded");
}

}  // namespace

RecordedCode recorded_code(const Recording& recording, const std::string& file) {
  const Json& asked = asked_in(recording, file);
  RecordedCode code;
  code.attached = asked.contains("attached");
  code.program = field_of(asked, "program", code.program, file);
  if (code.program.empty()) code.model = field_of(asked, "model", code.model, file);
  return code;
}

void take_recorded_options(const Recording& recording, SubjectOptions& options) {
  const std::string& file = options.recording;
  const RecordedCode code = recorded_code(recording, file);
  const Json& asked = asked_in(recording, file);
  const SubjectOptions none;
  take_injection(asked, file, options.injection);
  const bool of_program = options.is_program() || code.is_program();
  if (!of_program && options.device == none.device)
    options.device = field_of(asked, "device", none.device, file);
  refuse_without_code(code, options);
  if (of_program) return;
  if (options.seed == none.seed) options.seed = field_of(asked, "seed", none.seed, file);
  if (options.threads == none.threads) options.threads = field_of(asked, "threads", none.threads, file);
  if (options.inputs.empty()) options.inputs = field_of(asked, "inputs", none.inputs, file);
  if (!options.seq_len && asked.contains("seq_len"))
    options.seq_len = field_of(asked, "seq_len", int64_t{0}, file);
  if (!options.batch && asked.contains("batch")) options.batch = field_of(asked, "batch", int64_t{0}, file);
}

}  // namespace kjoule
