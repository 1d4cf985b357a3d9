#pragma once
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "base/files/file_lock.hpp"
#include "base/files/files.hpp"
#include "base/files/output_place.hpp"
#include "base/files/user_folder.hpp"
#include "base/json/json_fields.hpp"

namespace kjoule {

/// A list of entries in a JSON file of the user: {"NAME": [{..}, ..]}.
template <class Entry>
struct UserList {
  const char* name;    ///< the name of the list, and of its file without ".json"
  const char* entry;   ///< the name of an entry in error messages
  const char* remedy;  ///< the remedy of errors about the file's contents
  /// Returns what is wrong with an entry ("gain is not above 0"); empty if nothing is.
  std::string (*fault)(const Entry&);
  /// Returns whether the second entry replaces the first.
  bool (*replaces)(const Entry&, const Entry&);

  /// Returns the file in $XDG_CONFIG_HOME/kjoule or ~/.config/kjoule; empty if neither is known.
  std::filesystem::path path() const {
    const std::filesystem::path folder = user_folder("XDG_CONFIG_HOME", ".config");
    return folder.empty() ? folder : folder / "kjoule" / fmt::format("{}.json", name);
  }

  /// Returns the entries of a file; none if there is no such file. Throws Error if the file exists but cannot
  /// be read.
  std::vector<Entry> read(const std::filesystem::path& path) const {
    std::error_code ignored;
    if (path.empty() || !std::filesystem::exists(path, ignored)) return {};
    return entries(read_json(path), path.string());
  }

  /// Returns the entries of a file's JSON. Throws Error, whose text begins with `file`, if the JSON is not
  /// such a list.
  std::vector<Entry> entries(const nlohmann::json& json, const std::string& file) const {
    if (!json.is_object() || !json.contains(name) || !json.at(name).is_array())
      throw Error(fmt::format("{}: it has no list \"{}\"", file, name), remedy);
    std::vector<Entry> all;
    for (const nlohmann::json& one : json.at(name)) {
      try {
        all.push_back(read_fields<Entry>(one, entry));
      } catch (const Error& error) {
        throw Error(fmt::format("{}: {}", file, error.what()), remedy);
      }
      if (const std::string wrong = fault(all.back()); !wrong.empty())
        throw Error(fmt::format("{}: {}.{}", file, entry, wrong), remedy);
    }
    return all;
  }

  /// Creates the folder of the file and returns the file's entries. Throws Error if the folder cannot be
  /// created, or if the file cannot be read or written.
  std::vector<Entry> prepare(const std::filesystem::path& path) const {
    if (path.empty())
      throw Error(fmt::format("the {} cannot be stored: HOME is not set to an absolute path", name),
                  "set HOME or XDG_CONFIG_HOME");
    try {
      make_folder(path.parent_path());
    } catch (const Error& error) {
      throw Error(error.what(), "set XDG_CONFIG_HOME to a folder that can be written");
    }
    check_output_file(path);
    return read(path);
  }

  /// Stores an entry and removes those that it replaces. Several processes may store at the same time. Throws
  /// Error if the file cannot be read or written; the file is then unchanged.
  void store(const std::filesystem::path& path, const Entry& added) const {
    prepare(path);
    const FileLock lock = FileLock::wait_for(path.string() + ".lock");
    std::vector<Entry> all = read(path);
    std::erase_if(all, [&](const Entry& old) { return replaces(old, added); });
    all.push_back(added);
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const Entry& one : all) list.push_back(nlohmann::ordered_json(write_fields(one)));
    write_json(path, {{name, std::move(list)}});
  }
};

}  // namespace kjoule
