#include "run/run_folders.hpp"

#include <set>

#include "base/error.hpp"

namespace kjoule {

RunFolders::RunFolders(const std::string& command, const RunOptions& options,
                       const std::vector<std::string>& names)
    : options_(options), several_(names.size() > 1) {
  if (!several_) return;
  std::set<std::string> seen;
  for (const std::string& name : names)
    if (!seen.insert(name).second) throw Error(name + ": is given twice", "give each only once");
  lock_.emplace(options.claim());
  ResultRows rows = options.open_rows();
  begin_rows(rows, {{"kind", "several"}, {"command", command}, {"runs", names}}, {"command", "runs"});
  for (const std::string& name : names) options.within(name).refuse_folder();
}

}  // namespace kjoule
