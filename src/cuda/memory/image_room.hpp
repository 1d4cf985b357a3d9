#pragma once
#include <cstdint>
#include <string>

#include "cuda/memory/host_room.hpp"

namespace kjoule::cuda {

/// The bytes that are available for images of the program's pages, by place.
struct ImageRoom {
  /// Determines the space that is available now in the host and on the current context's GPU. A part of the
  /// GPU's free memory stays free for kjoule's graphs.
  ImageRoom();
  uint64_t device = 0;
  HostRoom host;
  uint64_t total() const { return device + host.memory + host.file; }
  /// Returns a clause for messages that states the available space in each place.
  std::string text() const;
};

/// Returns a size with its unit, for messages: "1.5 GiB".
std::string size_text(uint64_t bytes);

}  // namespace kjoule::cuda
