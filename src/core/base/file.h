// Files that outlive a kill: what is written is on the disk when the function returns, and a lock ends with its
// process.
#pragma once

#include <cstddef>
#include <string>

namespace neargp {

struct Bytes {
  const unsigned char* data;
  std::size_t count;
};

// A file of these bytes, which is new or as it was: they are written to a file next to it, which is renamed. Throws an
// Error.
void replace_file(const std::string& path, Bytes bytes);

// Appended, or the file is as it was and an Error is thrown.
void append_to_file(const std::string& path, Bytes bytes);

// Held by one process at a time, until the object or the process ends. The file is gone afterwards.
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
