#include "importers/imported_file.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/json/dump_json.hpp"
#include "base/json/optional_json.hpp"
#include "base/json/parse_json.hpp"
#include "importers/kernel_row.hpp"
#include "importers/table_limit.hpp"
#include "recording/tier_text.hpp"

namespace kjoule {

namespace {

using nlohmann::ordered_json;
constexpr int kImportedVersion = 1;
constexpr const char* kImportAgain = "import the trace again with kjoule import TRACE -o DIR";

/// Returns the time in us; null if it is not known.
template <class Number>
ordered_json us_or_null(const std::optional<Number>& ns) {
  return ns ? ordered_json(static_cast<double>(*ns) / 1e3) : ordered_json();
}

template <class T>
void set(ordered_json& json, const char* key, const std::optional<T>& value) {
  if (value) json[key] = *value;
}

void set(ordered_json& json, const char* key, const nlohmann::json& value) {
  if (!value.is_null()) json[key] = value;
}

/// Returns an unsigned integer of the header. Throws a JSON exception for fractions and numbers beyond 64
/// bits, which get<uint64_t>() would convert silently.
uint64_t size_in(const nlohmann::json& header, const char* key) {
  return header.at(key).get_ref<const nlohmann::json::number_unsigned_t&>();
}

ordered_json repeated_json(const RepeatedLaunches& repeated, uint64_t all) {
  return {{"launches", repeated.length},
          {"times", repeated.times},
          {"launches_covered", repeated.launches},
          {"covered_percent", 100 * static_cast<double>(repeated.launches) / static_cast<double>(all)}};
}

RepeatedLaunches repeated_from(const nlohmann::json& json) {
  return {size_in(json, "launches"), size_in(json, "times"), size_in(json, "launches_covered")};
}

ordered_json evidence_json(const RepetitionEvidence& evidence) {
  ordered_json json = repeated_json(evidence.found, evidence.all_launches);
  json["launches_in_all"] = evidence.all_launches;
  json["compared_by"] = evidence.by_name ? "name" : "signature";
  json["next_best"] = nullptr;
  if (evidence.next_best) json["next_best"] = repeated_json(*evidence.next_best, evidence.all_launches);
  return json;
}

RepetitionEvidence evidence_from(const nlohmann::json& json) {
  RepetitionEvidence evidence{
      repeated_from(json), size_in(json, "launches_in_all"), json.at("compared_by") == "name", {}};
  if (!json.at("next_best").is_null()) evidence.next_best = repeated_from(json.at("next_best"));
  return evidence;
}

ImportedTable header_from(const nlohmann::json& header) {
  ImportedTable table;
  table.source = header.at("source").get<std::string>();
  table.format = header.at("source_format").get<std::string>();
  table.device = header.value("device", nlohmann::json());
  if (header.contains("gpu")) table.gpu = static_cast<int64_t>(size_in(header, "gpu"));
  if (header.contains("rank")) table.rank = static_cast<int64_t>(size_in(header, "rank"));
  if (!header.at("iterations").is_null()) {
    table.iterations.number = size_in(header, "iterations");
    table.iterations.source = parse_iteration_source(header.at("iterations_from").get<std::string>());
  }
  table.iterations.warm_up = size_in(header, "warm_up_iterations");
  table.iterations.left_out = size_in(header, "launches_left_out");
  if (header.contains("annotation")) table.iterations.annotation = header.at("annotation").get<std::string>();
  if (header.contains("repetition")) {
    const RepetitionEvidence evidence = evidence_from(header.at("repetition"));
    if (evidence.all_launches > 0) table.iterations.repetition = evidence;
  }
  table.warnings = header.at("warnings").get<std::vector<std::string>>();
  return table;
}

}  // namespace

ordered_json kernel_to_json(const ImportedTable& table, const ImportedKernel& kernel) {
  ordered_json json{{"name", kernel.name}, {"kind", activity_kind_name(kernel.kind)}};
  set(json, "gpu", kernel.gpu);
  json.update({{"tier", tier_json(kernel.tier)},
               {"family", kernel.family},
               {"category", kernel.category},
               {"dtype", kernel.gemm.dtype.empty() ? kernel.dtype : kernel.gemm.dtype},
               {"count", nullptr},
               {"invocation_count", kernel.launches},
               {"iterations", nullptr}});
  if (const auto count = table.count(kernel)) {
    // Whole numbers are written as 2, not 2.0, so that fractions are easy to see.
    if (kernel.launches % table.iterations.number == 0)
      json["count"] = kernel.launches / table.iterations.number;
    else
      json["count"] = *count;
    json["invocation_count"] = json["count"];
    json["iterations"] = table.iterations.number;
    json["steady"] = table.steady(kernel);
  }
  json["launches"] = kernel.launches;
  json["fewest"] = or_null(kernel.fewest);
  json["most"] = or_null(kernel.most);
  set(json, "grid", kernel.grid);
  set(json, "block", kernel.block);
  json["shared_bytes"] = or_null(kernel.shared_bytes);
  json["bytes"] = or_null(kernel.bytes);
  if (!kernel.recorded_signature.empty()) json["signature"] = kernel.recorded_signature;
  if (!kernel.launched_by.name.empty()) json["operator"] = kernel.launched_by.name;
  set(json, "input_dims", kernel.launched_by.input_dims);
  set(json, "input_strides", kernel.launched_by.input_strides);
  set(json, "input_types", kernel.launched_by.input_types);
  set(json, "concrete_inputs", kernel.launched_by.concrete_inputs);
  set(json, "arguments", kernel.launched_by.arguments);
  json["M"] = or_null(kernel.gemm.m);
  json["N"] = or_null(kernel.gemm.n);
  json["K"] = or_null(kernel.gemm.k);
  json["batch"] = or_null(kernel.gemm.batch);
  const auto& times = kernel.times;
  json["mean_us"] = us_or_null(kernel.mean_ns());
  json["min_us"] = us_or_null(times ? times->min_ns : std::nullopt);
  json["max_us"] = us_or_null(times ? times->max_ns : std::nullopt);
  json["total_us"] = us_or_null(times ? std::optional(times->total_ns) : std::nullopt);
  return json;
}

ordered_json table_to_json(const ImportedTable& table) {
  ordered_json json{{"source", table.source}, {"source_format", table.format}};
  set(json, "device", table.device);
  set(json, "gpu", table.gpu);
  if (const std::set<int64_t> gpus = table.gpus(); gpus.size() > 1) json["gpus"] = gpus;
  set(json, "rank", table.rank);
  json["iterations"] = nullptr;
  if (table.iterations.known()) {
    json["iterations"] = table.iterations.number;
    json["iterations_from"] = iteration_source_text(table.iterations.source);
    if (!table.iterations.annotation.empty()) json["annotation"] = table.iterations.annotation;
    if (table.iterations.repetition) json["repetition"] = evidence_json(*table.iterations.repetition);
  } else {
    json["iterations_missing"] = table.iterations_missing();
  }
  json["warm_up_iterations"] = table.iterations.warm_up;
  json["launches_left_out"] = table.iterations.left_out;
  json["warnings"] = table.warnings;
  return json;
}

std::string imported_table_text(const ImportedTable& table) {
  ordered_json header{{"format", kImportedFormat}, {"version", kImportedVersion}};
  header.update(table_to_json(table));
  header["kernels"] = table.kernels.size();
  std::string text = dump_json(header) + "\n";
  for (const ImportedKernel& kernel : table.kernels) text += dump_json(kernel_to_json(table, kernel)) + "\n";
  return text;
}

ImportedTable read_imported_table(const PaddedText& text, const std::string& file) {
  JsonCursor cursor(text, file, kImportAgain);
  if (cursor.next() != '{') cursor.fail("this file is not a kernel table that kjoule import wrote");
  const nlohmann::json header = parse_json(cursor.raw(), file + ":1");
  if (header.is_discarded() || header.value("format", nlohmann::json()) != kImportedFormat)
    throw Error(file + ": this file is not a kernel table that kjoule import wrote",
                "write one with kjoule import TRACE -o DIR");
  if (header.value("version", nlohmann::json()) != kImportedVersion)
    throw Error(fmt::format("{}: is a kernel table of version {}, but this kjoule reads version {}", file,
                            dump_json(header.value("version", ordered_json())), kImportedVersion),
                kImportAgain);
  ImportedTable table;
  size_t expected = 0;
  try {
    table = header_from(header);
    expected = size_in(header, "kernels");
  } catch (const nlohmann::json::out_of_range&) {
    throw Error(file + ":1: a field of the first line, such as \"source\" or \"kernels\", is missing",
                kImportAgain);
  } catch (const nlohmann::json::exception&) {
    throw Error(file + ":1: a field of the first line, such as \"source\" or \"kernels\", has the wrong type",
                kImportAgain);
  }
  uint64_t launches = 0;
  TableSize size(file);
  while (!cursor.at_end()) {
    KernelRow row = read_kernel_row(cursor);
    size.add(row.kernel.name.size(), static_cast<size_t>(cursor.position() - row.begin));
    add_launches(launches, row, cursor);
    row.kernel.gpu = row.device ? row.device : table.gpu;
    table.kernels.push_back(std::move(row.kernel));
  }
  if (table.kernels.size() != expected)
    throw Error(fmt::format("{}: contains {} of {} kernels", file, table.kernels.size(), expected),
                "the file is truncated: import the trace again with kjoule import TRACE -o DIR");
  return table;
}

}  // namespace kjoule
