#include "device/runner_work.hpp"

#include "base/bug_remedy.hpp"
#include "base/error.hpp"
#include "base/files/files.hpp"

namespace kjoule {

void describe(FieldWriter& fields, RunnerWork& work) {
  fields("device", work.device);
  fields("threads", work.threads);
  fields.unless_empty("allowed_operators", work.allowed_operators);
  fields("rank", work.rank);
  if (const auto* model = std::get_if<ModelWork>(&work.what)) fields("model", *model);
  if (const auto* calls = std::get_if<std::vector<ReplayCall>>(&work.what)) fields("calls", *calls);
  if (const auto* all = std::get_if<std::vector<SampleRequest>>(&work.what)) fields("operators", *all);
}

void describe(FieldReader& fields, RunnerWork& work) {
  fields("device", work.device);
  fields("threads", work.threads);
  fields.unless_empty("allowed_operators", work.allowed_operators);
  fields("rank", work.rank);
  std::optional<ModelWork> model;
  std::optional<std::vector<ReplayCall>> calls;
  std::optional<std::vector<SampleRequest>> operators;
  fields("model", model);
  fields("calls", calls);
  fields("operators", operators);
  if (int{model.has_value()} + int{calls.has_value()} + int{operators.has_value()} > 1)
    throw Error("a file of work for kjoule-torch contains several of model, calls and operators", kBugRemedy);
  if (model) work.what = std::move(*model);
  if (calls) work.what = std::move(*calls);
  if (operators) work.what = std::move(*operators);
}

void write_work(const std::filesystem::path& file, const RunnerWork& work) {
  write_json(file, write_fields(work));
}

RunnerWork read_work(const std::filesystem::path& file) {
  return read_fields<RunnerWork>(read_json(file), file);
}

}  // namespace kjoule
