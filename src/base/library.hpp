#pragma once
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kjoule {

/// A dynamic library that may or may not be on this machine. Closed on destruction.
class Library {
 public:
  /// The first of `names` that loads; nothing when none does. Its symbols stay private to this handle.
  static std::optional<Library> open(const std::vector<std::string>& names);

  /// Which of the names it was.
  const std::string& name() const { return name_; }
  /// The function of that name, or null: library.symbol<int(int*)>("cuDriverGetVersion").
  template <class Function>
  Function* symbol(const char* symbol_name) const {
    return reinterpret_cast<Function*>(find(symbol_name));
  }

 private:
  struct Close {
    void operator()(void* handle) const;
  };
  Library(void* handle, std::string name) : handle_(handle), name_(std::move(name)) {}
  void* find(const char* symbol_name) const;

  std::unique_ptr<void, Close> handle_;
  std::string name_;
};

}  // namespace kjoule
