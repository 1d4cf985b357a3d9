#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace kjoule::runner {

/// The operators that calls of traces, tables, networks and sweeps may name: those of
/// data/callable_operators.txt, and those that the user has allowed for this run.
class CallableOperators {
 public:
  /// `allowed` names operators that a file may also call, although they are not in the list. The names have
  /// no overload: "aten::resize_".
  explicit CallableOperators(std::vector<std::string> allowed = {});

  /// Returns whether calls may name the operator. `name` is the name in the operator's schema, without an
  /// overload.
  bool contain(std::string_view name) const;

 private:
  std::vector<std::string> allowed_;
};

}  // namespace kjoule::runner
