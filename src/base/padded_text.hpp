#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string_view>

namespace kjoule {

/// A text in memory with kPadding zero bytes behind its end, so that a parser may look ahead without asking
/// where it ends. Its address stays when it is moved.
class PaddedText {
 public:
  static constexpr size_t kPadding = 64;

  /// A copy of `text`.
  static PaddedText copy_of(std::string_view text);
  /// The file, mapped, not copied; a gzip file (known by its first bytes) unpacked. Throws Error when it
  /// cannot be read, is truncated, or holds more than `most` bytes, unpacked. Where another process truncates
  /// it later, the text's use ends this one with an error that says so.
  static PaddedText of_file(const std::filesystem::path& path, uint64_t most);

  std::string_view view() const { return {data_.get(), size_}; }

 private:
  struct Release {
    size_t mapped = 0;  ///< bytes; 0 when it was allocated
    void operator()(char* data) const;
  };
  using Data = std::unique_ptr<char, Release>;
  PaddedText(Data data, size_t size) : data_(std::move(data)), size_(size) {}
  static PaddedText unpacked(const std::filesystem::path& path, std::string_view packed, uint64_t most);

  Data data_;
  size_t size_ = 0;
};

}  // namespace kjoule
