#pragma once
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kjoule {

/// A dynamic library that is loaded at run time and closed on destruction.
class Library {
 public:
  /// Opens the first of `names` that can be loaded; returns no value if none can be loaded. The library's
  /// symbols are visible only through this object.
  static std::optional<Library> open(const std::vector<std::string>& names);

  /// Returns the name that was loaded.
  const std::string& name() const { return name_; }
  /// Returns the function of that name, or null: library.symbol<int(int*)>("cuDriverGetVersion").
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
