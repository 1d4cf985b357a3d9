#include "device/runner_requests.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "base/bug_remedy.hpp"
#include "base/error.hpp"

namespace kjoule {

namespace {

using Json = nlohmann::json;
using Answer = Json (*)(Runner&, const FieldReader&);

template <class T>
T field(const FieldReader& request, const char* name) {
  T value{};
  request(name, value);
  return value;
}

/// The function that answers each request. The table needs no start-up code, because the injected library
/// contains it, too.
constexpr std::array<std::pair<std::string_view, Answer>, 5> kAnswers{
    {{"try_call",
      [](Runner& runner, const FieldReader& request) {
        return Json(runner.try_call(field<ReplayCall>(request, "call")));
      }},
     {"sampling_device",
      [](Runner& runner, const FieldReader&) { return write_fields(runner.sampling_device()); }},
     {"sample",
      [](Runner& runner, const FieldReader& request) {
        return write_fields(runner.sample(field<SampleRequest>(request, "request")));
      }},
     {"roof",
      [](Runner& runner, const FieldReader& request) {
        return write_fields(runner.roof(field<std::string>(request, "type")));
      }},
     {"describe", [](Runner& runner, const FieldReader& request) {
        return runner.describe(field<ModelWork>(request, "model"));
      }}}};

}  // namespace

std::optional<Json> answer_runner_request(const Json& request, Runner* runner) {
  const auto operation = request.at("op").get<std::string>();
  const auto found = std::ranges::find(kAnswers, operation, &std::pair<std::string_view, Answer>::first);
  if (found == kAnswers.end()) return {};
  if (runner == nullptr) throw Error("a measured program cannot answer the request " + operation, kBugRemedy);
  return found->second(*runner, FieldReader(request, operation));
}

}  // namespace kjoule
