#include "importers/missing_facts.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/text/counted.hpp"

namespace kjoule {

namespace {

/// What the trace lacks, in numbers of launches.
struct Lacks {
  size_t before_profile = 0;  ///< launched before the profile began
  size_t call = 0, by_operator = 0, with_operator = 0, shapes = 0;
};

/// Returns when the trace's host events begin and the smallest correlation id of its calls. What was launched
/// before the profile began has no call in it.
class ProfileBegin {
 public:
  explicit ProfileBegin(const ProfilerTrace& trace) {
    for (const ProfilerCall& call : trace.calls) {
      first_ns_ = std::min(first_ns_, call.begin_ns);
      least_id_ = std::min(least_id_, call.correlation);
    }
  }
  bool precedes_profile(const ProfilerOperation& operation) const {
    return operation.begin_ns < first_ns_ || (operation.correlation && *operation.correlation < least_id_);
  }

 private:
  int64_t first_ns_ = INT64_MAX, least_id_ = INT64_MAX;
};

Lacks count_lacks(const ProfilerTrace& trace, const LaunchLinks& links,
                  const std::vector<uint32_t>& operations) {
  const ProfileBegin begin(trace);
  Lacks lacks;
  for (const uint32_t operation : operations) {
    const auto op = links.operator_index[operation];
    if (op) {
      ++lacks.with_operator;
      if (trace.operators[*op].input_dims.empty()) ++lacks.shapes;
    }
    if (!links.call[operation] && !trace.calls.empty() &&
        begin.precedes_profile(trace.operations[operation])) {
      ++lacks.before_profile;
      continue;
    }
    if (!links.call[operation]) ++lacks.call;
    if (!op) ++lacks.by_operator;
  }
  return lacks;
}

/// Returns how to wait for the GPU with a tool's framework.
const char* wait_text(TraceTool tool) {
  switch (tool) {
    case TraceTool::torch:
      return "torch.cuda.synchronize()";
    case TraceTool::xla:
      return "jax.block_until_ready(RESULT)";
    default:
      return "cudaDeviceSynchronize()";
  }
}

std::string no_call_text(const ProfilerTrace& trace) {
  if (!trace.calls.empty())
    return "no launching call in the trace, although other launches have one: their iteration and operator "
           "are unknown; profile again, and copy the trace completely";
  switch (trace.tool) {
    case TraceTool::torch:
      return "no launching call in the trace; profile(activities=[ProfilerActivity.CPU, "
             "ProfilerActivity.CUDA]) also records these calls";
    case TraceTool::nsys:
      return "no launching call in the database; nsys profile --trace cuda also records these calls";
    default:
      return "no launching call in the trace; jax.profiler.trace() of a program that also runs on the host "
             "records these calls";
  }
}

const char* no_operator_text(TraceTool tool) {
  switch (tool) {
    case TraceTool::torch:
      return "no launching operator; profile(activities=[ProfilerActivity.CPU, ..]) records "
             "operators, but not those of code that launches kernels itself";
    case TraceTool::nsys:
      return "no launching operator, because Nsight Systems records none; --like TRACE or --model M supplies "
             "operators and shapes";
    default:
      return "no launching operator, because XLA compiles its kernels itself; such kernels can be counted, "
             "but not replayed";
  }
}

}  // namespace

std::vector<std::string> missing_facts(const ProfilerTrace& trace, const LaunchLinks& links,
                                       const std::vector<uint32_t>& operations) {
  const Lacks lacks = count_lacks(trace, links, operations);
  std::vector<std::string> warnings;
  const std::string all = counted(operations.size(), "launch");
  const auto warn = [&](size_t number, const std::string& lack) {
    if (number > 0)
      warnings.push_back(fmt::format("{} of {} {} {}", number, all, agreeing(number, "has", "have"), lack));
  };
  if (lacks.before_profile > 0)
    warnings.push_back(
        fmt::format("{} of {} {} made before the profile began, so the trace has neither {} call nor {} "
                    "operator; let the program wait for the GPU ({}) before the profile begins",
                    lacks.before_profile, all, agreeing(lacks.before_profile, "was", "were"),
                    agreeing(lacks.before_profile, "its", "their"),
                    agreeing(lacks.before_profile, "its", "their"), wait_text(trace.tool)));
  warn(lacks.call, no_call_text(trace));
  warn(lacks.by_operator, no_operator_text(trace.tool));
  const auto option = trace.options.find("record_shapes");
  const bool stated = option != trace.options.end(), on = stated && option->second;
  const bool off = lacks.shapes == lacks.with_operator || (stated && !on);
  warn(lacks.shapes,
       off ? fmt::format("an operator without shapes: record_shapes was {}; profile(record_shapes=True) "
                         "records them",
                         on ? "on according to the trace, but no operator has any" : "off")
           : "an operator whose shapes the profiler did not record");
  return warnings;
}

std::string unread_work_text(const UnreadWork& work, const char* noun) {
  const std::string text = fmt::format("{} {}", counted(work.number, noun), work.what);
  return work.total_us ? fmt::format("{} ({:.3f} us)", text, *work.total_us) : text;
}

std::vector<std::string> unread_work_warnings(const ProfilerTrace& trace) {
  std::vector<std::string> warnings;
  for (const UnreadWork& work : trace.unread)
    warnings.push_back(fmt::format("{} {} not read, and not part of the totals",
                                   unread_work_text(work, "event"), agreeing(work.number, "is", "are")));
  return warnings;
}

void fail_without_operations(const ProfilerTrace& trace, const std::string& file) {
  std::string contains = ", and no operators";
  if (!trace.operators.empty())
    contains = fmt::format(", only {} of the host", counted(trace.operators.size(), "operator"));
  if (!trace.unread.empty())
    contains = " that kjoule reads, but " + unread_work_text(trace.unread.front(), "event");
  constexpr const char* kOtherTool =
      "kjoule reads traces of torch.profiler, those of JAX and TensorFlow if a GPU was profiled, and "
      "databases "
      "of Nsight Systems (nsys export --type sqlite)";
  if (!trace.foreign_tool.empty())
    throw Error(fmt::format("{}: this trace of {} contains no kernels{}", file, trace.foreign_tool, contains),
                kOtherTool);
  const bool torch = !trace.operators.empty() || !trace.ranges.empty() || !trace.device_properties.empty() ||
                     !trace.options.empty();
  constexpr const char* kProfileKernels =
      "record kernels of a GPU with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]), and "
      "without profiler_metrics";
  throw Error(fmt::format("{}: this trace contains no kernels{}", file, contains),
              torch && !trace.unread.empty() ? kProfileKernels
              : torch ? "record them with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA])"
                      : kOtherTool);
}

}  // namespace kjoule
