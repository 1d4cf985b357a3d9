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

/// What the rules say about a kernel: the call that launches it, or the reason why its sizes are not known.
/// Neither if no rule matches it.
struct KnownCall {
  std::optional<OperatorCall> call;
  std::string why_not;
};

/// Operators of libtorch whose calls launch kernels that a table knows by name, grid and block only. Rules
/// (data/known_kernels.jsonl) say which operator a kernel's name belongs to, and how many elements its
/// tensors have for a grid and block. The last block may have been filled in part only, so sizes are upper
/// limits, which are reached if the program's sizes are multiples of a block's.
class KnownKernels {
 public:
  /// Reads rules, one a line. Throws Error "SOURCE:line: ..." for one that does not have the format that
  /// docs/reference/formats.md describes.
  KnownKernels(std::string_view text, const std::string& source);
  /// Returns the rules that are bundled with kjoule.
  static const KnownKernels& bundled();

  /// Returns the call for a kernel by the first rule whose sizes are all known, or its reason.
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
    bool only_strided = false;                 ///< whether the rule of a functor applies to such kernels only
    std::string operator_name;                 ///< `${x}` in it is the text that was captured as x
    std::vector<std::string> only;             ///< texts that may be captured as `op`; if empty, any
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

}  // namespace kjoule
