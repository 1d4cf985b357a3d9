#include "cuda/memory/host_images.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <system_error>
#include <thread>

#include "base/error.hpp"
#include "base/process/quiet_thread.hpp"
#include "cuda/driver/check.hpp"

namespace kjoule::cuda {

namespace {

constexpr uint64_t kMostBufferBytes = uint64_t{64} << 20;
/// A single thread of the host copies at a fraction of the rate of the bus to the device.
constexpr unsigned kMostThreads = 8;
constexpr uint64_t kLeastBytesOfThread = uint64_t{4} << 20;
constexpr const char* kOtherFolder = "set TMPDIR to another folder";
constexpr const char* kRemedy = "let the program use less memory, for example with a smaller batch";

/// Opens a file without a name in `folder`. Its space is reserved, so that later writes cannot fail.
int open_file(uint64_t bytes, const std::filesystem::path& folder) {
  std::string name = (folder / ".kjoule-images-XXXXXX").string();
  const int file = mkostemp(name.data(), O_CLOEXEC);
  if (file < 0)
    throw Error(fmt::format("a temporary file for copies of the program's memory cannot be created in {}: {}",
                            folder.string(), std::generic_category().message(errno)),
                kOtherFolder);
  unlink(name.c_str());
  if (const int failed = posix_fallocate(file, 0, static_cast<off_t>(bytes)); failed != 0) {
    close(file);
    throw Error(
        fmt::format(
            "a temporary file of {} bytes for copies of the program's memory cannot be created in {}: {}",
            bytes, folder.string(), std::generic_category().message(failed)),
        kOtherFolder);
  }
  return file;
}

void* map(uint64_t bytes, int flags, int file) {
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, flags, file, 0);
  if (memory == MAP_FAILED)
    throw Error(
        fmt::format("copies of the program's memory need {} bytes of host memory, which are not free", bytes),
        kRemedy);
  madvise(memory, bytes, MADV_HUGEPAGE);
  madvise(memory, bytes, MADV_DONTFORK);
  return memory;
}

/// Calls `copy_some(first, end)` for parts of `count` pieces, whose total size is `bytes`, in several threads
/// if this is faster.
template <typename Function>
void in_parallel(size_t count, uint64_t bytes, const Function& copy_some) {
  const uint64_t useful = std::max<uint64_t>(1, bytes / kLeastBytesOfThread);
  const size_t parts =
      std::min<uint64_t>({useful, kMostThreads, std::max(1U, std::thread::hardware_concurrency())});
  std::vector<std::thread> threads;
  for (size_t part = 1; part < parts; ++part)
    threads.push_back(
        start_quiet_thread([&, part] { copy_some(count * part / parts, count * (part + 1) / parts); }));
  copy_some(0, count / parts);
  for (std::thread& thread : threads) thread.join();
}

/// Calls `copy_one(piece, offset)` for each piece of a load, in several threads. `offset` is the position of
/// the piece in the pinned buffer in bytes.
template <typename Function>
void copy_by_host(const PagePiece* first, const PagePiece* end, const Function& copy_one) {
  std::vector<uint64_t> at{0};
  for (const PagePiece* piece = first; piece != end; ++piece) at.push_back(at.back() + piece->bytes);
  in_parallel(at.size() - 1, at.back(), [&](size_t begin, size_t last) {
    for (size_t i = begin; i < last; ++i) copy_one(first[i], at[i]);
  });
}

}  // namespace

MappedBytes::MappedBytes(uint64_t bytes)
    : bytes_(bytes), memory_(map(bytes, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1)) {}

MappedBytes::MappedBytes(uint64_t bytes, const std::filesystem::path& folder) : bytes_(bytes) {
  const int file = open_file(bytes, folder);
  try {
    memory_ = map(bytes, MAP_SHARED, file);
  } catch (const Error&) {
    close(file);
    throw;
  }
  close(file);
}

MappedBytes::~MappedBytes() {
  if (memory_ != nullptr) munmap(memory_, bytes_);
}

HostTransfer::HostTransfer(const PageKernels& kernels, uint64_t bytes)
    : kernels_(kernels),
      buffer_bytes_(std::clamp(bytes, kMostPieceBytes, kMostBufferBytes)),
      most_pieces_(buffer_bytes_ / kPageBytes),
      buffers_{PinnedBuffer{HostMemory(buffer_bytes_), HostMemory(3 * most_pieces_ * sizeof(uint64_t))},
               PinnedBuffer{HostMemory(buffer_bytes_), HostMemory(3 * most_pieces_ * sizeof(uint64_t))}} {
  for (PinnedBuffer& buffer : buffers_) KJOULE_CU(cuEventCreate(&buffer.done, CU_EVENT_DISABLE_TIMING));
}

HostTransfer::~HostTransfer() {
  for (const PinnedBuffer& buffer : buffers_) {
    cuEventSynchronize(buffer.done);
    cuEventDestroy(buffer.done);
  }
}

std::vector<HostTransfer::Load> HostTransfer::loads_of(const std::vector<PagePiece>& pieces) const {
  std::vector<Load> loads;
  const PagePiece* const end = pieces.data() + pieces.size();
  uint64_t bytes = 0;
  for (const PagePiece* piece = pieces.data(); piece != end; ++piece) {
    const bool is_full = loads.empty() || bytes + piece->bytes > buffer_bytes_ ||
                         static_cast<uint64_t>(piece - loads.back().first) == most_pieces_;
    if (is_full) {
      loads.emplace_back(piece, piece);
      bytes = 0;
    }
    bytes += piece->bytes;
    loads.back().second = piece + 1;
  }
  return loads;
}

/// Makes the device copy between the program's memory and the buffer, in which the pieces follow each other.
void HostTransfer::copy(const Load& load, const PinnedBuffer& buffer, bool to_program,
                        CUstream stream) const {
  const auto count = static_cast<size_t>(load.second - load.first);
  auto* words = static_cast<uint64_t*>(buffer.words.get());
  uint64_t* to = words;
  uint64_t* from = words + count;
  if (to_program) std::swap(to, from);
  uint64_t at = buffer.bytes.address();
  for (size_t i = 0; i < count; ++i) {
    to[i] = at;
    from[i] = load.first[i].address;
    words[2 * count + i] = load.first[i].bytes;
    at += load.first[i].bytes;
  }
  kernels_.copy(buffer.words.address(), static_cast<unsigned>(count), stream);
  KJOULE_CU(cuEventRecord(buffer.done, stream));
}

void HostTransfer::fetch(const std::vector<PagePiece>& pieces, std::byte* images, CUstream stream) const {
  const std::vector<Load> loads = loads_of(pieces);
  for (size_t next = 0; next <= loads.size(); ++next) {
    if (next < loads.size()) copy(loads[next], buffers_[next % 2], false, stream);
    if (next == 0) continue;
    const PinnedBuffer& buffer = buffers_[(next - 1) % 2];
    KJOULE_CU(cuEventSynchronize(buffer.done));
    const auto* source = static_cast<const std::byte*>(buffer.bytes.get());
    copy_by_host(loads[next - 1].first, loads[next - 1].second, [&](const PagePiece& piece, uint64_t at) {
      std::memcpy(images + piece.image, source + at, piece.bytes);
    });
  }
}

void HostTransfer::write(const std::vector<PagePiece>& pieces, const std::byte* images,
                         CUstream stream) const {
  const std::vector<Load> loads = loads_of(pieces);
  for (size_t next = 0; next < loads.size(); ++next) {
    const PinnedBuffer& buffer = buffers_[next % 2];
    KJOULE_CU(cuEventSynchronize(buffer.done));
    auto* target = static_cast<std::byte*>(buffer.bytes.get());
    copy_by_host(loads[next].first, loads[next].second, [&](const PagePiece& piece, uint64_t at) {
      std::memcpy(target + at, images + piece.image, piece.bytes);
    });
    copy(loads[next], buffer, true, stream);
  }
}

}  // namespace kjoule::cuda
