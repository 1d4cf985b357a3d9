#include "cuda/memory/page_images.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "cuda/memory/image_room.hpp"

namespace kjoule::cuda {

namespace {

/// Returns the part of a piece from page `first` up to, but not including, page `end`.
PagePiece part_of(const PagePiece& piece, unsigned first, unsigned end) {
  const uint64_t skipped = uint64_t{std::max(first, piece.first) - piece.first} * kPageBytes;
  const uint64_t most = uint64_t{std::min(end, piece.end()) - piece.first} * kPageBytes;
  return {std::max(first, piece.first), piece.address + skipped, std::min(piece.bytes, most) - skipped,
          piece.image + skipped};
}

/// Removes the first pages that fit into `room` bytes from `pieces`, and returns them.
std::vector<PagePiece> take(std::vector<PagePiece>& pieces, uint64_t room) {
  std::vector<PagePiece> taken;
  auto piece = pieces.begin();
  for (; piece != pieces.end() && piece->bytes <= room; ++piece) {
    room -= piece->bytes;
    taken.push_back(*piece);
  }
  if (piece != pieces.end() && room >= kPageBytes) {
    const unsigned cut = piece->first + static_cast<unsigned>(room / kPageBytes);
    taken.push_back(part_of(*piece, piece->first, cut));
    *piece = part_of(*piece, cut, piece->end());
  }
  pieces.erase(pieces.begin(), piece);
  return taken;
}

/// Returns the pieces, or their parts, that belong to these pages.
std::vector<PagePiece> within(const std::vector<PagePiece>& pieces, const PageSet& pages) {
  std::vector<PagePiece> found;
  auto piece = pieces.begin();
  for (const PageSet::Run& run : pages.runs()) {
    piece = std::upper_bound(piece, pieces.end(), run.first,
                             [](unsigned page, const PagePiece& one) { return page < one.end(); });
    for (; piece != pieces.end() && piece->first < run.end(); ++piece) {
      found.push_back(part_of(*piece, run.first, run.end()));
      if (piece->end() > run.end()) break;  // the next run may begin in this piece
    }
  }
  return found;
}

[[noreturn]] void refuse(uint64_t needed, const ImageRoom& room, const char* what) {
  throw Error(
      fmt::format("copies of {} need {}, but {}", what, size_text(needed), room.text()),
      "let the program allocate less (a smaller batch or cache), or set TMPDIR to a folder on a larger disk");
}

}  // namespace

void PageImages::save(const PagedMemory& memory, const PageSet& pages, const char* what, CUstream stream) {
  const PageSet missing = subtract(pages, pages_);
  std::vector<PagePiece> pieces = pieces_of(memory, missing);
  const uint64_t bytes = bytes_of(pieces);
  const ImageRoom room;
  // If the device has no space for all images, half of its space is reserved for other pages, which have to
  // be restored often.
  const uint64_t of_device = bytes <= room.device ? bytes : room.device / 2;
  std::vector<PagePiece> on_device = take(pieces, of_device);
  std::vector<PagePiece> on_host = take(pieces, room.host.memory);
  const uint64_t of_host = bytes_of(on_host);
  const uint64_t of_file = bytes_of(pieces);
  if (of_file > room.host.file) refuse(bytes, room, what);
  if (!on_device.empty()) {
    PageSet there;
    for (const PagePiece& piece : on_device) there.add(piece.first, piece.end());
    auto place = make_device_place(kernels_, bytes_of(on_device));
    save_in(std::move(place), std::move(on_device), stream);
    on_device_ = unite(on_device_, there);
  }
  if (of_host > 0) save_in(make_host_place(kernels_, of_host), std::move(on_host), stream);
  if (of_file > 0) save_in(make_file_place(kernels_, of_file, room.host.folder), std::move(pieces), stream);
  bytes_on_host_ += of_host;
  bytes_in_files_ += of_file;
  pages_ = unite(pages_, missing);
}

void PageImages::save_in(std::unique_ptr<PagePlace> place, std::vector<PagePiece> pieces, CUstream stream) {
  uint64_t at = 0;
  for (PagePiece& piece : pieces) {
    piece.image = at;
    at += piece.bytes;
  }
  place->save(pieces, stream);
  parts_.push_back({std::move(place), std::move(pieces)});
}

void PageImages::restore(CUstream stream) const {
  for (const Part& part : parts_) part.place->restore_all(stream);
}

void PageImages::restore(const PageSet& pages, CUstream stream) const {
  for (const Part& part : parts_)
    if (const std::vector<PagePiece> wanted = within(part.pieces, pages); !wanted.empty())
      part.place->restore(wanted, stream);
}

std::vector<PagePiece> PageImages::on_device(const PageSet& pages) const {
  std::vector<PagePiece> found;
  for (const Part& part : parts_) {
    const std::optional<CUdeviceptr> place = part.place->on_device();
    if (!place) continue;
    for (PagePiece piece : within(part.pieces, pages)) {
      piece.image += *place;
      found.push_back(piece);
    }
  }
  return found;
}

std::string images_clause(const PageImages& images) {
  std::string places;
  if (images.bytes_on_host() > 0) places = size_text(images.bytes_on_host()) + " in the host's memory";
  if (images.bytes_in_files() > 0)
    places += (places.empty() ? "" : " and ") + size_text(images.bytes_in_files()) + " in a temporary file";
  if (places.empty()) return {};
  return "; during its replay, copies of its memory are kept outside the GPU, which has no free memory for "
         "them: " +
         places;
}

}  // namespace kjoule::cuda
