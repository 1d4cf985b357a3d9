#include "base/process/fault.hpp"

#include <cxxabi.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <system_error>
#include <typeinfo>

#include "base/bug_remedy.hpp"
#include "base/process/terminal.hpp"

namespace kjoule {

namespace {

std::string type_of(const std::exception& exception) {
  const char* name = typeid(exception).name();
  int failed = 0;
  const std::unique_ptr<char, void (*)(void*)> readable(abi::__cxa_demangle(name, nullptr, nullptr, &failed),
                                                        std::free);
  return failed == 0 ? readable.get() : name;
}

}  // namespace

Error fault_of(const std::exception& exception) {
  if (const auto* error = dynamic_cast<const Error*>(&exception)) return *error;
  if (dynamic_cast<const std::bad_alloc*>(&exception) != nullptr)
    return Error("out of memory", "close other programs, or lift the limit (ulimit -v)");
  const auto* file = dynamic_cast<const std::filesystem::filesystem_error*>(&exception);
  if (file != nullptr && file->code() == std::errc::not_a_directory)
    return Error(file->path1().string() + ": is not a folder", "give the path of a folder");
  if (file != nullptr)
    return Error(fmt::format("{}: {}", file->path1().string(), file->code().message()),
                 "check the name and its folder");
  if (const auto* system = dynamic_cast<const std::system_error*>(&exception))
    return Error("the system refused a request: " + system->code().message(),
                 "check the limits of this shell (ulimit -a) and repeat the command");
  return Error(fmt::format("unexpected exception {}", type_of(exception)), kBugRemedy);
}

void end_by_fault() noexcept {
  constexpr std::string_view kOutOfMemory =
      "kjoule: out of memory; close other programs, or lift the limit (ulimit -v)\n";
  try {
    if (const auto exception = std::current_exception()) std::rethrow_exception(exception);
  } catch (const std::bad_alloc&) {  // the message must not need memory
    [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, kOutOfMemory.data(), kOutOfMemory.size());
  } catch (const std::exception& exception) {
    print_error("kjoule: {}\n", fault_of(exception).line());
  } catch (...) {
  }
  std::_Exit(1);
}

}  // namespace kjoule
