#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string_view>

namespace kjoule {

/// A text in memory that is followed by kPadding zero bytes, so that a parser may read ahead without checks
/// for the end. Moving the object does not change the text's address.
class PaddedText {
 public:
  static constexpr size_t kPadding = 64;
  /// Gzip limit: the most times its packed size to which a gzip file may unpack, if it unpacks to more than
  /// kFreelyUnpacked bytes. Traces unpack to 10 to 30 times their size, files that were made to harm to 1000.
  static constexpr uint64_t kGzipLimit = 100, kFreelyUnpacked = uint64_t{64} << 20;

  /// Returns a copy of `text`.
  static PaddedText copy_of(std::string_view text);
  /// Returns the contents of a file, which is mapped into memory. A gzip file, which is recognised by its
  /// first bytes, is unpacked. Throws Error if the file cannot be read or is empty, if a gzip file is
  /// incomplete or exceeds kGzipLimit, or if the text has more than `most` bytes. If another process
  /// truncates a mapped file later, reading the text ends this process with an error message.
  static PaddedText of_file(const std::filesystem::path& path, uint64_t most);

  std::string_view view() const { return {data_.get(), size_}; }

 private:
  struct Release {
    size_t mapped = 0;  ///< mapped bytes; 0 if the memory was allocated
    void operator()(char* data) const;
  };
  using Data = std::unique_ptr<char, Release>;
  PaddedText(Data data, size_t size) : data_(std::move(data)), size_(size) {}
  static PaddedText unpacked(const std::filesystem::path& path, std::string_view packed, uint64_t most);

  Data data_;
  size_t size_ = 0;
};

}  // namespace kjoule
