#include "base/file.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>

#ifdef _WIN32
#include <io.h>
#include <process.h>
#include <share.h>
#include <windows.h>
#else
#include <sys/file.h>
#include <unistd.h>
#endif

#include "base/error.h"

namespace neargp {

namespace {

std::string reason() { return std::strerror(errno); }

[[noreturn]] void cannot(const std::string& what, const std::string& path, const std::string& why) {
  throw Error(path + " cannot be " + what + ": " + why + ".");
}

#ifdef _WIN32
int open_file(const std::string& path, int flags) {
  return _open(path.c_str(), flags | _O_BINARY, _S_IREAD | _S_IWRITE);
}
long write_some(int file, const unsigned char* data, std::size_t count) {
  return _write(file, data, unsigned(count < (1u << 30) ? count : (1u << 30)));
}
int synchronize(int file) { return _commit(file); }
int shorten(int file, long long length) { return _chsize_s(file, length); }
int close_file(int file) { return _close(file); }
long own_process() { return _getpid(); }
void synchronize_folder_of(const std::string&) {}
// std::rename() refuses a name that is taken. A virus scanner or a backup may have either file open for a moment.
int rename_over(const std::string& from, const std::string& to) {
  for (int time = 0; time < 20; ++time) {
    if (MoveFileExA(from.c_str(), to.c_str(), MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH)) return 0;
    const DWORD why = GetLastError();
    errno = why == ERROR_ACCESS_DENIED || why == ERROR_SHARING_VIOLATION ? EACCES : EIO;
    if (errno != EACCES) break;
    Sleep(10);
  }
  return -1;
}
#else
int open_file(const std::string& path, int flags) { return open(path.c_str(), flags | O_CLOEXEC, 0666); }
long write_some(int file, const unsigned char* data, std::size_t count) { return long(write(file, data, count)); }
int synchronize(int file) {
#ifdef F_FULLFSYNC
  if (fcntl(file, F_FULLFSYNC) == 0) return 0;
#endif
  return fsync(file);
}
int shorten(int file, long long length) { return ftruncate(file, off_t(length)); }
int close_file(int file) { return close(file); }
long own_process() { return long(getpid()); }
int rename_over(const std::string& from, const std::string& to) { return std::rename(from.c_str(), to.c_str()); }

// A rename is on the disk when its folder is. Some file systems do not support this, and errors are ignored.
void synchronize_folder_of(const std::string& path) {
  const std::size_t slash = path.find_last_of('/');
  const int folder = open_file(slash == std::string::npos ? "." : path.substr(0, slash + 1), O_RDONLY);
  if (folder < 0) return;
  fsync(folder);
  close(folder);
}
#endif

// A limit on the size of files (ulimit -f) ends a process that writes more, unless it ignores the signal.
class NoFileSizeSignal {
 public:
#ifdef SIGXFSZ
  NoFileSizeSignal() : before_(std::signal(SIGXFSZ, SIG_IGN)) {}
  ~NoFileSizeSignal() { std::signal(SIGXFSZ, before_); }

 private:
  void (*before_)(int);
#endif
};

bool write_all(int file, Bytes bytes) {
  [[maybe_unused]] const NoFileSizeSignal none;
  while (bytes.count > 0) {
    const long written = write_some(file, bytes.data, bytes.count);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    bytes.data += written;
    bytes.count -= std::size_t(written);
  }
  return synchronize(file) == 0;
}

}  // namespace

void replace_file(const std::string& path, Bytes bytes) {
  const std::string beside = path + ".neargp-tmp";
  const int file = open_file(beside, O_WRONLY | O_CREAT | O_TRUNC);
  if (file < 0) cannot("written", path, reason());
  const bool written = write_all(file, bytes);
  std::string why = written ? "" : reason();
  if (close_file(file) != 0 && why.empty()) why = reason();
  if (why.empty() && rename_over(beside, path) != 0) why = reason();
  if (!why.empty()) {
    std::remove(beside.c_str());
    cannot("written", path, why);
  }
  synchronize_folder_of(path);
}

void append_to_file(const std::string& path, Bytes bytes) {
  const int file = open_file(path, O_WRONLY | O_APPEND);
  if (file < 0) cannot("written", path, reason());
  struct stat before;
  std::string why = fstat(file, &before) == 0 ? "" : reason();
  if (why.empty() && !write_all(file, bytes)) {
    why = reason();
    if (shorten(file, before.st_size) != 0) why += ", and what was written of it cannot be taken back";
  }
  close_file(file);
  if (!why.empty()) cannot("written", path, why);
}

#ifdef _WIN32

FileLock::FileLock(const std::string& path) : path_(path), process_(own_process()) {
  if (_sopen_s(&file_, path.c_str(), _O_RDWR | _O_CREAT, _SH_DENYRW, _S_IREAD | _S_IWRITE) == 0) return;
  file_ = -1;
  if (errno != EACCES) cannot("locked", path, reason());
}

#else

// The last owner of the lock may have removed the file. A lock on a file without a name is worthless. A lock file is
// empty, and a file with content belongs to somebody else.
FileLock::FileLock(const std::string& path) : path_(path), process_(own_process()) {
  for (;;) {
    file_ = open_file(path, O_RDWR | O_CREAT);
    if (file_ < 0) cannot("locked", path, reason());
    struct stat own, named;
    const bool locked = flock(file_, LOCK_EX | LOCK_NB) == 0;
    const int why = errno;
    if (locked && fstat(file_, &own) == 0 && stat(path.c_str(), &named) == 0 && own.st_ino == named.st_ino) {
      if (own.st_size == 0) return;
      close(file_);
      file_ = -1;
      cannot("locked", path, "it is not empty, and is kept as it is");
    }
    close(file_);
    file_ = -1;
    if (locked) continue;
    if (why == EWOULDBLOCK) return;
    errno = why;
    cannot("locked", path, reason());
  }
}

#endif

// Windows does not remove an open file. On other systems, a lock that is closed first may belong to another process
// already, and its file would be removed.
FileLock::~FileLock() {
  if (!held()) return;
#ifdef _WIN32
  close_file(file_);
  std::remove(path_.c_str());
#else
  if (process_ == own_process()) std::remove(path_.c_str());
  close_file(file_);
#endif
}

}  // namespace neargp
