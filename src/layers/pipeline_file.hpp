#pragma once
#include <string>
#include <vector>

namespace kjoule {

/// A Python file that defines `pipelines`. kjoule's Python package runs each pipeline in a separate process.
class PipelineFile {
 public:
  /// The name of the NVTX range that marks one iteration of a pipeline.
  static constexpr const char* kIteration = "kjoule layers";

  /// Runs the file to find its pipelines. Throws Error, with Python's message, if this fails.
  explicit PipelineFile(std::string path);
  struct Pipeline {
    std::string name;
    size_t layers = 0;
  };
  const std::vector<Pipeline>& pipelines() const { return pipelines_; }
  /// Returns the command line that runs the pipeline with this index repeatedly. Its process writes the
  /// layers that cannot run, with the reasons, to the file `failed`.
  std::vector<std::string> command(size_t pipeline, const std::string& failed) const;

 private:
  std::string path_;
  std::vector<Pipeline> pipelines_;
};

/// A layer that could not run.
struct FailedLayer {
  std::string name, why;
};
/// Returns the layers that could not run, in order, from the file that the pipeline's process wrote; empty if
/// there is no such file. Several may have the same name.
std::vector<FailedLayer> read_failed_layers(const std::string& path);

}  // namespace kjoule
