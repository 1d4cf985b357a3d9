#include "recording/run_log.hpp"

#include <fstream>

#include "base/process/temporary_folder.hpp"
#include "tests/fuzz/reading.hpp"

// A log has three files, which are made of the fuzzer's bytes: names.jsonl, then a zero byte, then the
// records of both binary files. Before each record, an odd byte stands for calls.bin, an even one for
// operations.bin. The heads of these files are not fuzzed, because any other head is refused.
namespace {

class FedLog {
 public:
  const std::filesystem::path& path() const { return folder_.path(); }
  void write(std::string_view fed) const {
    const size_t names = std::min(fed.find('\0'), fed.size());
    std::ofstream(folder_ / kjoule::kNamesFile) << fed.substr(0, names);
    std::ofstream calls = open(kjoule::kCallsFile, kjoule::kCallsMagic);
    std::ofstream operations = open(kjoule::kOperationsFile, kjoule::kOperationsMagic);
    for (size_t at = names + 1; at < fed.size(); at += 1 + kBytes)
      (fed[at] % 2 != 0 ? calls : operations) << fed.substr(at + 1, kBytes);
  }

 private:
  static constexpr size_t kBytes = 40;
  static_assert(sizeof(kjoule::HostCall) == kBytes && sizeof(kjoule::DeviceOperation) == kBytes);

  std::ofstream open(const char* name, const std::array<char, 8>& magic) const {
    std::ofstream file(folder_ / name, std::ios::binary);
    const kjoule::LogHead head{magic, kjoule::kRunLogVersion, kBytes};
    file.write(reinterpret_cast<const char*>(&head), sizeof head);
    return file;
  }

  kjoule::TemporaryFolder folder_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const FedLog log;
  log.write({reinterpret_cast<const char*>(data), size});
  return kjoule::fuzz(data, size, [](const kjoule::PaddedText&) {
    kjoule::RunLog read = kjoule::read_run_log(log.path());
    kjoule::keep_device(0, read);
  });
}
