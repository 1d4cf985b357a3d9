#pragma once
#include <map>
#include <string>
#include <vector>

namespace kjoule {

/// A Python file whose `pipelines` are run by kjoule's Python side, each in a process of its own.
class PipelineFile {
 public:
  /// The NVTX range that is an iteration of a pipeline.
  static constexpr const char* kIteration = "kjoule layers";

  /// Runs the file to see what it defines. Throws Error with what Python says.
  explicit PipelineFile(std::string path);
  struct Pipeline {
    std::string name;
    size_t layers = 0;
  };
  const std::vector<Pipeline>& pipelines() const { return pipelines_; }
  /// The command line that runs that pipeline again and again, and writes into `failed` which of its layers
  /// cannot run.
  std::vector<std::string> command(size_t pipeline, const std::string& failed) const;

 private:
  std::string path_;
  std::vector<Pipeline> pipelines_;
};

/// Why layers could not run, by name, as the pipeline's program wrote it; empty where it wrote nothing.
std::map<std::string, std::string> failed_layers(const std::string& path);

}  // namespace kjoule
