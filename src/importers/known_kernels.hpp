#pragma once
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "importers/imported_table.hpp"
#include "importers/table_facts.hpp"
#include "names/capture_pattern.hpp"
#include "recording/operator_call.hpp"

namespace kjoule {

/// The result of the rules for a kernel: the call that launches it, or the reason why its sizes are not
/// known. Both are empty if no rule matches the kernel.
struct KnownCall {
  std::optional<OperatorCall> call;
  std::string why_not;
};

/// Finds operators of libtorch that launch a kernel of which a table contains only name, grid and block.
/// Rules (data/known_kernels.jsonl) assign an operator to the kernel's name, and compute the sizes of its
/// tensors from grid and block. The sizes are upper limits, because the last block may be filled only in
/// part; they are exact if the program's sizes are multiples of a block's.
class KnownKernels {
 public:
  /// Reads rules, one per line. Throws Error "SOURCE:line: ..." for a rule that violates the format in
  /// docs/reference/formats.md.
  KnownKernels(std::string_view text, const std::string& source);
  /// Returns the rules that are bundled with kjoule.
  static const KnownKernels& bundled();

  /// Returns the call by the first matching rule whose sizes are all known, or the reason of the first
  /// matching rule that has a reason instead, whichever rule comes first.
  KnownCall call_of(const ImportedKernel& kernel, const TableFacts& facts) const;

 private:
  struct Rule {
    std::vector<CapturePattern> patterns;
    std::string
        functor;     ///< name of the capture to which the rules of functors apply; empty if there is none
    std::string of;  ///< the rule's group, or the group of rules for its functor
    std::map<std::string, std::string> sizes;  ///< formulas of the sizes that the rules of functors use
    std::vector<std::string> where;            ///< formulas that must be above 0
    std::string reason;                        ///< why the sizes are not known, in a rule without operator
    bool is_strided = false;                   ///< whether the kernel reads a tensor that is not contiguous
    bool only_strided = false;                 ///< whether the rule of a functor requires is_strided
    std::string operator_name;                 ///< may contain `${x}`, the text that was captured as x
    std::vector<std::string> only;             ///< the texts allowed for the capture `op`; if empty, any
    nlohmann::json arguments;
  };
  struct Layout;
  static Rule rule_of(const nlohmann::json& json);
  std::optional<OperatorCall> call_of_functor(const Rule& rule, const Captures& captures,
                                              Layout layout) const;
  static std::optional<nlohmann::json> argument_of(const nlohmann::json& argument, const Captures& captures,
                                                   const Layout& layout, bool by_columns);
  static std::optional<OperatorCall> call_by(const Rule& rule, const Captures& captures,
                                             const Layout& layout);

  std::vector<Rule> kernels_;
  std::map<std::string, std::vector<Rule>, std::less<>> functors_;  ///< by their group
};

/// Returns the number of kernels, without copies and memsets, that have no operator with shapes, no stated
/// matrix product, and no call by the bundled rules.
size_t count_without_call(const ImportedTable& table, const TableFacts& facts);

}  // namespace kjoule
