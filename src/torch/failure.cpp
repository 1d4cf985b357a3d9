#include "torch/failure.hpp"

#include <c10/util/Exception.h>

#include <array>
#include <new>
#include <optional>
#include <string_view>

namespace kjoule::runner {

namespace {

std::string first_line(std::string_view text) {
  return std::string(text.substr(0, text.find('\n')));
}

std::string what_of(const std::exception& error) {
  const auto* torch = dynamic_cast<const c10::Error*>(&error);
  return torch == nullptr ? error.what() : torch->what_without_backtrace();
}

/// Returns the text between the first `before` and the next `after`; nothing if one of them is missing.
std::optional<std::string> between(const std::string& text, std::string_view before, std::string_view after) {
  const size_t at = text.find(before);
  if (at == std::string::npos) return {};
  const size_t begin = at + before.size(), end = text.find(after, begin);
  if (end == std::string::npos) return {};
  return text.substr(begin, end - begin);
}

/// The names in the dispatcher's error about a missing implementation. The rest of that error concerns builds
/// for phones and lists all dispatch keys.
struct MissingImplementation {
  std::string name, backend;

  static std::optional<MissingImplementation> of(const std::string& text) {
    const auto name = between(text, "Could not run '", "'");
    const auto backend = between(text, "' with arguments from the '", "' backend");
    if (!name || !backend) return {};
    return MissingImplementation{*name, *backend};
  }
  std::string reason() const {
    const bool is_cpu = backend == "CPU";
    return name + " has no implementation for " + (is_cpu ? "the CPU" : backend);
  }
  const char* remedy() const {
    if (backend == "CPU") return "run it on a GPU: --device cuda";
    return backend == "CUDA" ? "run it on the CPU: --device cpu" : "";
  }
};

}  // namespace

std::string reason(const std::exception& error) {
  if (is_out_of_memory(error)) return "out of memory";
  const std::string text = what_of(error);
  if (const auto missing = MissingImplementation::of(text)) return missing->reason();
  // The text is "The following operation failed ...", the traceback, and then "RuntimeError: " with the
  // cause.
  for (const std::string_view mark : {"\nRuntimeError: ", "\ntorch.jit.Error: "})
    if (const size_t at = text.rfind(mark); at != std::string::npos)
      return first_line(std::string_view(text).substr(at + mark.size()));
  return first_line(text);
}

bool is_out_of_memory(const std::exception& error) {
  if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr) return true;
  if (dynamic_cast<const c10::OutOfMemoryError*>(&error) != nullptr) return true;
  const std::string_view text = error.what();
  constexpr std::array<std::string_view, 4> said{"DefaultCPUAllocator: can't allocate memory",
                                                 "DefaultCPUAllocator: not enough memory",
                                                 "Cannot allocate memory", "std::bad_alloc"};
  for (const std::string_view words : said)
    if (text.find(words) != std::string_view::npos) return true;
  return false;
}

Error explain(const std::exception& error) {
  const auto missing = MissingImplementation::of(what_of(error));
  return Error(reason(error), is_out_of_memory(error) ? kNeedLessMemory : missing ? missing->remedy() : "");
}

}  // namespace kjoule::runner
