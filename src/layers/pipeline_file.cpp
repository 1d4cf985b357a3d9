#include "layers/pipeline_file.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <sstream>

#include "base/error.hpp"
#include "base/files/files.hpp"
#include "base/json/parse_json.hpp"
#include "base/process/program_lines.hpp"
#include "run/python.hpp"

namespace kjoule {

PipelineFile::PipelineFile(std::string path) : path_(std::move(path)) {
  std::vector<std::string> command = python_command("kjoule_pipelines");
  command.insert(command.end(), {path_, "--list"});
  // The user's file may also print JSON objects.
  const ObjectsEnd end = run_for_objects(command, [&](const nlohmann::json& json) {
    if (json.contains("pipeline") && json["pipeline"].is_string() && json.contains("layers"))
      pipelines_.push_back({json["pipeline"], json["layers"].size()});
  });
  const std::string prefix = "kjoule: ";
  if (!pipelines_.empty() && end.how == "exit code 0") return;
  if (end.other.starts_with(prefix)) throw Error(end.other.substr(prefix.size()));
  throw Error(
      fmt::format("{}: Python could not list the pipelines in this file ({}): {}", path_, end.how, end.other),
      "run the file with Python to see its error");
}

std::vector<std::string> PipelineFile::command(size_t pipeline, const std::string& failed) const {
  std::vector<std::string> command = python_command("kjoule_pipelines");
  command.insert(command.end(), {path_, std::to_string(pipeline), "--failed", failed});
  return command;
}

std::vector<FailedLayer> read_failed_layers(const std::string& path) {
  std::vector<FailedLayer> failed;
  if (!std::filesystem::exists(path)) return failed;
  std::istringstream lines(read_text(path));
  for (std::string line; std::getline(lines, line);) {
    const auto json = parse_json(line, path);
    if (json.is_object()) failed.push_back({json.at("layer"), json.at("error")});
  }
  return failed;
}

}  // namespace kjoule
