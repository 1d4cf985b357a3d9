#include "sampling/configuration.hpp"

#include <fstream>

#include "base/process/temporary_folder.hpp"
#include "tests/fuzz/reading.hpp"

namespace {

void read(const std::string& yaml, const std::string& python) {
  const kjoule::SamplingConfiguration all = kjoule::read_sampling_configuration(yaml, "t", {}, python);
  all.definition();
  all.numbers_of(all.warmup_shape);
  if (all.call) all.call_of(all.warmup_shape, "Half");
  if (all.run == kjoule::SamplingConfiguration::Run::get_all) kjoule::Sweep(all.swept).shape(0);
}

/// A file of Python, of which a configuration has the hash.
class PythonFile {
 public:
  PythonFile() { std::ofstream(path()) << "pass"; }
  std::string path() const { return folder_ / "t.py"; }

 private:
  kjoule::TemporaryFolder folder_;
};

}  // namespace

/// Reads a configuration as one of a built-in operator or of ATen, and as one of an operator in Python.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const PythonFile python;
  for (const std::string& file : {std::string(), python.path()})
    kjoule::fuzz(data, size, [&](kjoule::PaddedText text) { read(std::string(text.view()), file); });
  return 0;
}
