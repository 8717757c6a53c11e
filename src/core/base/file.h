// Files that outlive a kill: written data are on the disk when the function returns, and a lock ends with its process.
#pragma once

#include <cstddef>
#include <string>

namespace neargp {

struct Bytes {
  const unsigned char* data;
  std::size_t count;
};

// Replaces or creates a file with these bytes. If that fails, an old file is unchanged and an Error is thrown. The
// bytes are first written to a file next to it, which is then renamed.
void replace_file(const std::string& path, Bytes bytes);

// Appends the bytes. If that fails, the file is unchanged and an Error is thrown.
void append_to_file(const std::string& path, Bytes bytes);

// A lock that one process at a time can hold, until the object or the process ends. The object removes the file.
class FileLock {
 public:
  explicit FileLock(const std::string& path);  // throws an Error where the file cannot be made
  ~FileLock();
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;
  bool held() const { return file_ >= 0; }

 private:
  std::string path_;
  int file_ = -1;
  long process_ = 0;  // children that were forked leave the file alone
};

}  // namespace neargp
