#pragma once
#include <filesystem>
#include <string>
#include <string_view>

namespace kjoule {

/// The place of a file that kjoule writes: an open folder, and the name of the file in it. All files that
/// kjoule writes are opened here, so that no foreign file is overwritten: the file is a regular file or does
/// not exist yet. A symbolic link is not followed, and a pipe or a device is not opened. Links in the path of
/// the folder are followed, because the user named this folder.
class OutputPlace {
 public:
  /// Opens the folder. Throws WriteError if it does not exist, or if something that is not a regular file has
  /// the name of the file.
  explicit OutputPlace(const std::filesystem::path& path);
  ~OutputPlace();
  OutputPlace(const OutputPlace&) = delete;
  OutputPlace& operator=(const OutputPlace&) = delete;

  /// Opens the file, and creates it if necessary, with `flags` of open(). Returns the descriptor, which the
  /// caller closes. Throws WriteError if the file cannot be opened, or if it has a second name (a hard link),
  /// through which another file would change.
  int open(int flags) const;
  /// Writes the file atomically: writes a temporary file in the folder, then renames it. Throws WriteError if
  /// the file cannot be written.
  void replace(std::string_view text) const;
  /// Creates a temporary file in the folder and removes it. Throws WriteError if this is not possible.
  void check_writable() const;

 private:
  /// Creates a new file in the folder. Returns its descriptor, or -1 and errno.
  int create(const std::string& name) const;

  std::filesystem::path path_;
  std::string name_;
  int folder_ = -1;
};

/// Returns whether `path` leads to a pipe, a character device or kjoule's own stdout. Such a path can be an
/// output if the user named it on the command line.
bool is_stream(const std::filesystem::path& path);
/// Returns whether `path` leads to the pipe or file that is kjoule's stdout, for example as /dev/stdout. A
/// terminal or another device is excluded, because texts and an output may share it.
bool is_stdout(const std::filesystem::path& path);
/// Opens a pipe or a device that the user named, or returns a copy of the descriptor that check_output_file()
/// opened. The caller closes the descriptor. Throws WriteError if it cannot be opened, or if no program reads
/// the pipe.
int open_stream(const std::filesystem::path& path);

/// Throws WriteError if the file that the user named cannot be written. Existing contents stay unchanged. A
/// stream is opened, and stays open until the process ends, so that its reader waits for the output. If it is
/// kjoule's stdout, texts are printed on stderr from now on, because they would be mixed with the output; if
/// it is kjoule's stderr, whose messages would be mixed with the output, WriteError is thrown.
void check_output_file(const std::filesystem::path& path);
/// Throws WriteError if no files can be created in the folder or, if it does not exist, in the first of its
/// parent folders that exists.
void check_output_folder(const std::filesystem::path& folder);
/// Creates a folder for output within a folder that the user named. Throws WriteError if a symbolic link is
/// in its place, and Error if the folder cannot be created.
void make_subfolder(const std::filesystem::path& folder);
/// Throws WriteError if the folder or one of its subfolders contains a link, a pipe, a device or a socket,
/// which kjoule never creates in a results folder.
void refuse_irregular_files(const std::filesystem::path& folder);

}  // namespace kjoule
