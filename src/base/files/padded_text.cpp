#include "base/files/padded_text.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <new>

#include "base/error.hpp"
#include "base/files/input_file.hpp"
#include "base/files/truncation_guard.hpp"

namespace kjoule {

namespace {

constexpr size_t kFirstBuffer = size_t{1} << 20;

[[noreturn]] void too_large(const std::string& path, const char* how, uint64_t most) {
  throw Error(fmt::format("{}: {} more than {} bytes", path, how, most),
              "if the file is right, set a larger limit with --max-bytes");
}

/// The state of zlib, which the destructor frees.
struct Inflater {
  z_stream stream{};
  explicit Inflater(std::string_view packed) {
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
    constexpr int kGzipOnly = 16 + MAX_WBITS;
    if (inflateInit2(&stream, kGzipOnly) != Z_OK) throw std::bad_alloc();
  }
  ~Inflater() { inflateEnd(&stream); }
};

}  // namespace

void PaddedText::Release::operator()(char* data) const {
  if (mapped == 0) return std::free(data);
  end_truncation_guard(data);
  ::munmap(data, mapped);
}

PaddedText PaddedText::copy_of(std::string_view text) {
  Data data(static_cast<char*>(std::calloc(text.size() + kPadding, 1)), {});
  if (!data) throw std::bad_alloc();
  std::copy(text.begin(), text.end(), data.get());
  return {std::move(data), text.size()};
}

PaddedText PaddedText::of_file(const std::filesystem::path& path, uint64_t most) {
  const InputFile file(path, InputFile::Kind::regular);
  const size_t size = file.size().value_or(0);
  if (size == 0)
    throw Error(path.string() + ": is empty", "check that the program wrote its trace to the end");
  // The file is mapped over zero pages; the part that it does not cover is the padding.
  const size_t room = size + kPadding;
  void* zeros = ::mmap(nullptr, room, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (zeros == MAP_FAILED) throw std::bad_alloc();
  Data data(static_cast<char*>(zeros), {room});
  if (::mmap(zeros, size, PROT_READ, MAP_PRIVATE | MAP_FIXED | MAP_POPULATE, file.descriptor(), 0) ==
      MAP_FAILED)
    throw_cannot_read(path, errno);
  PaddedText text(std::move(data), size);
  guard_against_truncation(text.view().data(), size, path.string());
  if (text.view().starts_with("\x1f\x8b")) return unpacked(path, text.view(), most);
  if (size > most) too_large(path, "contains", most);
  return text;
}

PaddedText PaddedText::unpacked(const std::filesystem::path& path, std::string_view packed, uint64_t most) {
  Inflater inflater(packed);
  z_stream& stream = inflater.stream;
  size_t room = 0, size = 0, taken = 0;
  Data data(nullptr, {});
  int state = Z_OK;
  while (true) {
    if (size == room) {
      room = std::max(kFirstBuffer, 2 * room);
      // realloc moves large blocks by their page tables, without a second copy in memory.
      char* larger = static_cast<char*>(std::realloc(data.get(), room + kPadding));
      if (larger == nullptr) throw std::bad_alloc();
      (void)data.release();
      data.reset(larger);
    }
    const size_t free = std::min<size_t>(room - size, size_t{1} << 30);
    const size_t left = std::min<size_t>(packed.size() - taken, size_t{1} << 30);
    stream.next_out = reinterpret_cast<Bytef*>(data.get() + size);
    stream.avail_out = static_cast<uInt>(free);
    stream.avail_in = static_cast<uInt>(left);
    state = inflate(&stream, Z_NO_FLUSH);
    taken += left - stream.avail_in;
    size += free - stream.avail_out;
    if (size > most) too_large(path, "unpacks to", most);
    if (size > kFreelyUnpacked && size / kGzipLimit > packed.size())
      throw Error(fmt::format("{}: the gzip file unpacks to more than {} times its size (gzip limit)",
                              path.string(), kGzipLimit),
                  "if the file is right, unpack it with gzip -d");
    const bool another = state == Z_STREAM_END && packed.substr(taken).starts_with("\x1f\x8b");
    if (another) state = inflateReset(&stream);  // gzip files may be concatenated
    if (state == Z_STREAM_END) {
      if (packed.find_first_not_of('\0', taken) == std::string_view::npos) break;  // padding of tapes
      throw Error(path.string() + ": data follow the end of the gzip file",
                  "copy it again, or unpack it with gzip -dc");
    }
    if (state == Z_BUF_ERROR || (state == Z_OK && taken == packed.size() && stream.avail_out > 0))
      throw Error(path.string() + ": the gzip file is incomplete", "copy it again completely");
    if (state != Z_OK)
      throw Error(fmt::format("{}: damaged gzip file ({})", path.string(),
                              stream.msg != nullptr ? stream.msg : "unknown reason"),
                  "copy it again, or unpack its intact part with gzip -dc");
  }
  std::memset(data.get() + size, 0, kPadding);
  return {std::move(data), size};
}

}  // namespace kjoule
