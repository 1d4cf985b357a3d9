#include "cuda/memory/iteration_end.hpp"

#include <fmt/format.h>

#include "base/text/counted.hpp"

namespace kjoule::cuda {

IterationEnd::IterationEnd(const PageKernels& kernels, const Snapshot& begin, const MemoryDigest& end,
                           CUstream stream)
    : end_(end.hashes), changed_(kernels) {
  const PagedMemory& memory = begin.memory();
  if (!end.of_graphs.empty())
    for (unsigned page = 0; page < memory.pages(); ++page)
      if (end.is_undefined(memory.address_of(page), memory.bytes_of(page))) undefined_.add(page);
  changed_.save(memory, subtract(begin.changed(end_), undefined_), "the memory that the iteration changes",
                stream);
}

PageSet IterationEnd::restore(const Snapshot& begin, CUstream stream) const {
  const PagedMemory& memory = begin.memory();
  PageSet changed_again;
  PageSet as_at_begin;
  PageSet belongs_to_others;
  const std::vector<uint64_t> now = memory.hashes(stream);
  for (unsigned page = 0; page < memory.pages(); ++page) {
    if (now[page] == end_[page] || undefined_.contains(page)) continue;
    if (changed_.pages().contains(page))
      changed_again.add(page);
    else if (memory.is_of_host(page))
      belongs_to_others.add(page);
    else
      as_at_begin.add(page);
  }
  begin.images().restore(as_at_begin, stream);
  changed_.restore(changed_again, stream);
  const std::vector<uint64_t> restored = memory.hashes(stream);
  PageSet different;
  for (unsigned page = 0; page < memory.pages(); ++page)
    if (restored[page] != end_[page] && !undefined_.contains(page) && !belongs_to_others.contains(page))
      different.add(page);
  return different;
}

std::string IterationEnd::describe(const PageSet& different) const {
  const unsigned unchanged = subtract(different, changed_.pages()).size();
  return fmt::format(
      "{} of its memory, in {}, could not be restored to the state after its own iteration, "
      "which had changed {} of them",
      counted(different.size(), "page"), counted(different.runs().size(), "place"),
      different.size() - unchanged);
}

}  // namespace kjoule::cuda
