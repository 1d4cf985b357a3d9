#include "sampling/configuration.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "base/error.hpp"
#include "base/files/files.hpp"
#include "base/files/operator_files.hpp"
#include "base/files/yaml_file.hpp"
#include "base/text/nearest_names.hpp"
#include "device/operator_table.hpp"
#include "device/sample_row.hpp"
#include "sampling/call_template.hpp"

namespace kjoule {

namespace {

/// The fields of one file, with their lines for error messages.
class ConfigurationFields {
 public:
  ConfigurationFields(const YAML::Node& root, std::string file) : root_(root), file_(std::move(file)) {
    if (!root.IsMap())
      fail(root, "", "this file is not a map of fields", "docs/guide/sampling.md describes a configuration");
    if (const auto bad = find_bad_key(root, kOperatorFields)) fail(bad->key, "", bad->cause, bad->remedy);
  }

  [[noreturn]] void fail(const YAML::Node& node, const std::string& field, const std::string& cause,
                         const std::string& remedy = {}) const {
    const int line = node.IsDefined() ? node.Mark().line + 1 : 1;
    throw Error(fmt::format("{}:{}: {}{}{}", file_, line, field, field.empty() ? "" : ": ", cause), remedy);
  }
  [[noreturn]] void fail(const std::string& field, const std::string& cause,
                         const std::string& remedy = {}) const {
    fail(root_[field], field, cause, remedy);
  }
  /// Returns the place of a field for error messages: "FILE:LINE: FIELD".
  std::string place(const std::string& field) const {
    return fmt::format("{}:{}: {}", file_, node(field).Mark().line + 1, field);
  }

  bool has(const std::string& field) const { return root_[field].IsDefined(); }
  YAML::Node node(const std::string& field) const {
    if (!has(field))
      fail(root_, field, "this field is missing",
           "docs/guide/sampling.md lists the fields of a configuration");
    return root_[field];
  }
  std::string text(const std::string& field) const {
    const YAML::Node value = node(field);
    if (!value.IsScalar() || value.Scalar().empty()) fail(field, "the value is not a text", "write a text");
    return value.Scalar();
  }
  int64_t whole(const std::string& field, int64_t least) const {
    const int64_t number = whole(node(field), field);
    if (number < least)
      fail(field, fmt::format("{} is less than {}", number, least), fmt::format("write at least {}", least));
    return number;
  }
  std::vector<std::string> texts(const std::string& field) const {
    std::vector<std::string> all;
    for (const YAML::Node& one : list(field)) {
      if (!one.IsScalar()) fail(one, field, "contains an entry that is not a text", "write a list of texts");
      all.push_back(one.Scalar());
    }
    return all;
  }
  /// Reads a list of lists of texts.
  std::vector<std::vector<std::string>> lists_of_texts(const std::string& field) const {
    std::vector<std::vector<std::string>> all;
    for (const YAML::Node& one : list(field)) {
      std::vector<std::string>& texts = all.emplace_back();
      if (!one.IsSequence())
        fail(one, field, "contains an entry that is not a list", "write [[FORWARD, ..], [BACKWARD, ..]]");
      for (const YAML::Node& text : one) {
        if (!text.IsScalar() || text.Scalar().empty())
          fail(text, field, "contains an entry that is not a text", "write names of the profiler's events");
        texts.push_back(text.Scalar());
      }
    }
    return all;
  }
  std::vector<int64_t> wholes(const std::string& field) const {
    std::vector<int64_t> all;
    for (const YAML::Node& one : list(field)) all.push_back(whole(one, field));
    return all;
  }
  /// Reads a list of `length` whole numbers. Throws Error for any other length.
  std::vector<int64_t> wholes(const std::string& field, size_t length) const {
    std::vector<int64_t> all = wholes(field);
    if (all.size() != length)
      fail(field, fmt::format("has {} numbers, but columns_name has {} sizes", all.size(), length),
           fmt::format("write {} numbers, one for each size", length));
    return all;
  }

 private:
  YAML::Node list(const std::string& field) const {
    const YAML::Node value = node(field);
    if (!value.IsSequence()) fail(field, "the value is not a list", "write [FIRST, SECOND, ..]");
    return value;
  }
  int64_t whole(const YAML::Node& value, const std::string& field) const {
    int64_t number = 0;
    if (!value.IsScalar() || !YAML::convert<int64_t>::decode(value, number))
      fail(value, field,
           fmt::format("{} is not a whole number", value.IsScalar() ? value.Scalar() : "a list"),
           "write a whole number");
    return number;
  }

  const YAML::Node root_;
  std::string file_;
};

std::string file_name(const ConfigurationFields& fields, const std::string& field) {
  std::string name = fields.text(field);
  const auto fits = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == '-' || c == '.'; };
  if (!std::all_of(name.begin(), name.end(), fits) || name.front() == '.')
    fields.fail(field, name + " contains characters that are not allowed in this name",
                "use letters, digits, _ and -");
  return name;
}

SamplingConfiguration::Run run_of(const ConfigurationFields& fields, const std::string& way) {
  using Run = SamplingConfiguration::Run;
  static const std::map<std::string, Run> kWays{{"get_all", Run::get_all},
                                                {"get_one", Run::get_one},
                                                {"get_profiler", Run::get_profiler},
                                                {"run_function", Run::run_function}};
  const auto found = kWays.find(way);
  if (found == kWays.end())
    fields.fail("run", way + " is not a known value of run",
                "use get_all, get_one, get_profiler or run_function");
  return found->second;
}

/// Returns whether the text can be used as a name in formulas and as a CSV cell without quotes.
bool is_parameter_name(const std::string& text) {
  const auto is_word = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
  return !text.empty() && std::isdigit(static_cast<unsigned char>(text[0])) == 0 &&
         std::all_of(text.begin(), text.end(), is_word);
}

const std::vector<std::string> kForward{"F_dur(us)"}, kBoth{"F_dur(us)", "B_dur(us)"}, kStep{"dur(us)"};

/// Returns the number of columns before the times.
size_t count_sizes(const std::vector<std::string>& columns) {
  const auto time = std::find_if(columns.begin(), columns.end(), [](const std::string& column) {
    return column == kForward.front() || column == kStep.front();
  });
  return static_cast<size_t>(time - columns.begin());
}

/// The lists of a configuration, each with one entry for each size of the shape. If first_n_column is less
/// than the number of sizes, lists of this smaller length are completed.
class ListsOfSizes {
 public:
  ListsOfSizes(const ConfigurationFields& fields, size_t sizes)
      : fields_(fields), sizes_(sizes), stated_(static_cast<size_t>(fields.whole("first_n_column", 1))) {}

  std::vector<int64_t> numbers(const std::string& field) {
    if (fields_.wholes(field).size() != stated_ || stated_ >= sizes_) return fields_.wholes(field, sizes_);
    std::vector<int64_t> all = fields_.wholes(field);
    const std::vector<int64_t> starts = fields_.wholes("starts", sizes_);
    all.insert(all.end(), starts.begin() + static_cast<std::ptrdiff_t>(stated_), starts.end());
    note(field, fmt::format("{}", fmt::join(all, ", ")));
    return all;
  }
  std::vector<std::string> words(const std::string& field) {
    std::vector<std::string> all = fields_.texts(field);
    if (all.size() == stated_ && stated_ < sizes_) {
      for (size_t i = stated_; i < sizes_; ++i) all.push_back(step_that_reaches_the_end(i));
      note(field, fmt::format("{}", fmt::join(all, ", ")));
    }
    if (all.size() != sizes_)
      fields_.fail(field, fmt::format("has {} words, but columns_name has {} sizes", all.size(), sizes_),
                   "write add or mul for each size");
    return all;
  }
  /// Returns what was completed, as a message; an empty text if nothing was.
  std::string completed() const {
    if (stated_ >= sizes_) return {};
    return fmt::format("{}: {} is less than the {} sizes in columns_name; all of these are used{}",
                       fields_.place("first_n_column"), stated_, sizes_, completed_);
  }

 private:
  /// Returns `mul` if only multiplying reaches the end exactly, otherwise `add`.
  std::string step_that_reaches_the_end(size_t i) const {
    const int64_t start = fields_.wholes("starts", sizes_)[i], step = fields_.wholes("steps", sizes_)[i],
                  end = fields_.wholes("ends", sizes_)[i];
    if (start < 1 || step < 1 || end < start || (end - start) % step == 0) return "add";
    int64_t reached = start;
    while (step > 1 && reached <= end / step) reached *= step;
    return reached == end ? "mul" : "add";
  }
  void note(const std::string& field, const std::string& whole) {
    completed_ += fmt::format("; {} was completed to {}", field, whole);
  }

  const ConfigurationFields& fields_;
  const size_t sizes_, stated_;
  std::string completed_;
};

void refuse_collectives(const ConfigurationFields& fields) {
  static const std::vector<std::string> kCollectives{"allreduce", "allgather", "reducescatter", "p2p"};
  if (!fields.has("function_name") || fields.has("operator")) return;
  const std::string name = fields.text("function_name");
  if (std::find(kCollectives.begin(), kCollectives.end(), name) != kCollectives.end())
    fields.fail("function_name",
                "kjoule sample measures operators of one GPU, but " + name + " is a collective",
                "measure it in a program that calls it: kjoule compare -- torchrun .. (docs/guide/ranks.md)");
}

void read_columns(const ConfigurationFields& fields, SamplingConfiguration& made) {
  const std::vector<std::string> columns = fields.texts("columns_name");
  auto numbers = static_cast<size_t>(fields.whole("first_n_column", 1));
  if (numbers >= columns.size())
    fields.fail("first_n_column",
                fmt::format("the first {} of {} columns are sizes, so there is no column for a time", numbers,
                            columns.size()),
                "add the column F_dur(us) to columns_name, or lower first_n_column");
  if (const size_t sizes = count_sizes(columns); sizes < columns.size()) numbers = std::max(numbers, sizes);
  made.parameters.assign(columns.begin(), columns.begin() + static_cast<std::ptrdiff_t>(numbers));
  made.time_columns.assign(columns.begin() + static_cast<std::ptrdiff_t>(numbers), columns.end());
  for (const std::string& name : made.parameters)
    if (!is_parameter_name(name))
      fields.fail("columns_name", name + " is not a valid name of a size", "use letters, digits and _");
  if (made.time_columns != kBoth && made.time_columns != kStep && made.time_columns != kForward)
    fields.fail("columns_name",
                fmt::format("the columns with times are {}", fmt::join(made.time_columns, ", ")),
                "write F_dur(us) and B_dur(us), F_dur(us) alone, or dur(us) for an optimizer");
}

PythonOperator read_python_operator(const ConfigurationFields& fields, const std::string& file,
                                    bool step_only) {
  if (fields.has("operator")) fields.fail("operator", "cannot be combined with --python", "omit one of them");
  const std::string module = std::filesystem::path(file).stem();
  if (fields.has("module_name") && fields.text("module_name") != module)
    fields.fail("module_name", fmt::format("is {}, but --python names {}", fields.text("module_name"), file),
                "give the file of this module to --python, or correct module_name");
  if (step_only)
    fields.fail("columns_name", "an operator of a Python file cannot have the column dur(us)",
                "write F_dur(us), and B_dur(us) if the operator has a backward pass");
  PythonOperator made{file, fields.text("function_name"), {}, {}, hash_file(file)};
  if (fields.has("arguments")) made.arguments = fields.texts("arguments");
  if (fields.has("targets")) made.targets = fields.lists_of_texts("targets");
  return made;
}

void read_operator(const ConfigurationFields& fields, SamplingConfiguration& made,
                   const std::string& python) {
  made.kernel_name = file_name(fields, "kernel_name");
  made.function_name = fields.text("function_name");
  if (!python.empty()) {
    made.python = read_python_operator(fields, python, made.time_columns == kStep);
    return;
  }
  if (fields.has("operator")) {
    made.call = read_call_template(fields.text("operator"), fields.node("arguments"), made.file);
    if (made.time_columns.front() == "dur(us)")
      fields.fail("columns_name", "an ATen operator cannot have the column dur(us)",
                  "write F_dur(us), and B_dur(us) if the operator has a backward pass");
    return;
  }
  if (fields.has("arguments"))
    fields.fail("arguments", "has no effect without operator", "also write operator: aten::NAME");
  const SampledOperator* known = find_sampled_operator(made.function_name);
  if (known == nullptr) {
    std::vector<std::string> names;
    for (const SampledOperator& one : sampled_operators()) names.push_back(one.name);
    const std::string module = fields.has("module_name") ? fields.text("module_name") : "";
    fields.fail(
        "function_name", made.function_name + " is not a known operator",
        fmt::format(
            "did you mean {}? kjoule sample --list shows all operators{}",
            nearest_names(made.function_name, names),
            module.empty() ? "" : fmt::format("; if {0}.py defines it, give --python {0}.py", module)));
  }
  if (made.parameters.size() != known->parameters.size())
    fields.fail("first_n_column",
                fmt::format("the shape has {} sizes, but {} takes {}: {}", made.parameters.size(),
                            known->name, known->parameters.size(), fmt::join(known->parameters, ", ")),
                "name these sizes in columns_name, and set first_n_column to their number");
  if (made.parameters != known->parameters)
    fields.fail(
        "columns_name",
        fmt::format("the columns with sizes are {}, but {} takes {}", fmt::join(made.parameters, ", "),
                    known->name, fmt::join(known->parameters, ", ")),
        "name them like this");
  if (made.time_columns != known->time_columns())
    fields.fail(
        "columns_name",
        fmt::format("the columns with times are {}, but {} has {}", fmt::join(made.time_columns, ", "),
                    known->name, fmt::join(known->time_columns(), " and ")),
        "name them like this");
}

void read_sweep(const ConfigurationFields& fields, ListsOfSizes& lists, SamplingConfiguration& made) {
  const size_t length = made.parameters.size();
  const auto starts = fields.wholes("starts", length), steps = fields.wholes("steps", length),
             ends = fields.wholes("ends", length);
  const std::vector<std::string> growths = lists.words("operators");
  for (size_t i = 0; i < length; ++i) {
    if (growths[i] != "add" && growths[i] != "mul")
      fields.fail("operators", growths[i] + " is not a known step from one size to the next",
                  "use add or mul");
    made.swept.push_back({made.parameters[i], starts[i], steps[i], ends[i],
                          growths[i] == "add" ? SweptNumber::Growth::add : SweptNumber::Growth::mul});
    // A table with a size of 0 is not accepted as samples; of experts, 0 stands for four times dim.
    if (starts[i] == 0 && made.parameters[i] != "intermediate_size")
      fields.fail("starts", made.parameters[i] + ": its start is 0, but a size is at least 1",
                  "correct starts");
    try {
      made.swept.back().values();
    } catch (const Error& error) {
      fields.fail("starts", error.what(), error.remedy());
    }
  }
  try {
    Sweep{made.swept};
  } catch (const Error& error) {
    fields.fail("ends", error.what(), error.remedy());
  }
}

Sizes sizes_of(const std::vector<std::string>& names, const SampleShape& shape) {
  Sizes sizes;
  for (size_t i = 0; i < names.size(); ++i) sizes[names[i]] = shape[i];
  return sizes;
}

void read_warmup(const ConfigurationFields& fields, ListsOfSizes& lists, SamplingConfiguration& made) {
  made.warmup_shape = lists.numbers("warmup_shapes");
  made.warmup_passes = fields.whole("wait", 0) + fields.whole("warmup", 0);
  made.warmup_place = fields.place(made.call ? "operator" : "warmup_shapes");
  if (made.call || made.python) try {
      made.numbers_of(made.warmup_shape);
      if (made.call) made.call_of(made.warmup_shape, "Float");
    } catch (const Error& error) {
      fields.fail("arguments", fmt::format("with the sizes in warmup_shapes, {}", error.what()),
                  error.remedy());
    }
}

}  // namespace

std::vector<std::string> SamplingConfiguration::columns() const {
  std::vector<std::string> all = parameters;
  all.insert(all.end(), time_columns.begin(), time_columns.end());
  return all;
}

nlohmann::json SamplingConfiguration::definition() const {
  nlohmann::json all{{"operator", call ? call->name : function_name},
                     {"columns", columns()},
                     {"wait + warmup", warmup_passes},
                     {"active", active}};
  if (call) all["arguments"] = call->arguments;
  if (python)
    all["python"] = {{"hash", python->hash}, {"targets", python->targets}, {"arguments", python->arguments}};
  return all;
}

OperatorCall SamplingConfiguration::call_of(const SampleShape& at, const std::string& dtype) const {
  return evaluate_call(*call, sizes_of(parameters, at), dtype);
}

SampleShape SamplingConfiguration::numbers_of(const SampleShape& at) const {
  if (!python || python->arguments.empty()) return at;
  const Sizes sizes = sizes_of(parameters, at);
  SampleShape numbers;
  for (const std::string& formula : python->arguments) numbers.push_back(evaluate(formula, sizes));
  return numbers;
}

SamplingConfiguration read_sampling_configuration(const std::string& yaml, const std::string& file,
                                                  const std::string& run, const std::string& python) {
  const ConfigurationFields fields(load_yaml(yaml, file), file);
  SamplingConfiguration made;
  made.file = file;
  refuse_collectives(fields);
  made.run = run_of(fields, run.empty() ? fields.text("run") : run);
  read_columns(fields, made);
  read_operator(fields, made, python);
  ListsOfSizes lists(fields, made.parameters.size());
  if (made.run == SamplingConfiguration::Run::get_all)
    read_sweep(fields, lists, made);
  else
    made.shape = lists.numbers("shapes");
  read_warmup(fields, lists, made);
  made.active = fields.whole("active", kFewestPasses);
  made.completed = lists.completed();
  return made;
}

}  // namespace kjoule
