#include "parse.h"

#include <algorithm>
#include <regex>
#include <sstream>

#include "decode.h"
#include "fault.h"

namespace ptx {

namespace {

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t\n"), last = text.find_last_not_of(" \t\n");
  return first == std::string::npos ? "" : text.substr(first, last - first + 1);
}

std::uint64_t up_to(std::uint64_t size, std::uint64_t boundary) { return (size + boundary - 1) / boundary * boundary; }

// The statements of a kernel, each with the line of the source that it comes from.
class Statements {
 public:
  explicit Statements(const KernelText& text) : files_(text.files) {
    std::istringstream lines(text.body);
    for (std::string line; std::getline(lines, line);) {
      line = trimmed(line.substr(0, line.find("//")));
      if (line.compare(0, 4, ".loc") == 0)
        set_source(line);
      else
        add(line + "\n");
    }
  }

  struct Statement {
    std::string text, source;
  };
  const std::vector<Statement>& all() const { return all_; }

 private:
  // .loc 1 52 7, ...
  void set_source(const std::string& line) {
    std::istringstream words(line.substr(4));
    std::string file, number;
    words >> file >> number;
    const auto found = files_.find(file);
    source_ = (found == files_.end() ? "file " + file : found->second) + ":" + number;
  }

  // Braces around statements are scopes, whose names the compiler uses once at a time; those of operands stay.
  void add(const std::string& line) {
    for (const char c : line) {
      const bool begins = open_.find_first_not_of(" \t\n") == std::string::npos;
      if (begins && (c == '{' || c == '}')) continue;
      const bool is_label = c == ':' && trimmed(open_).compare(0, 1, "$") == 0;
      if (c != ';' && !is_label) {
        open_ += c;
        continue;
      }
      const std::string statement = trimmed(open_);
      if (!statement.empty()) all_.push_back({statement + (is_label ? ":" : ""), source_});
      open_.clear();
    }
  }

  const std::map<std::string, std::string>& files_;
  std::vector<Statement> all_;
  std::string open_, source_ = "?";
};

void decode_parameters(const std::string& head, Kernel& kernel, Names& names) {
  static const std::regex parameter(R"(\.param\s+(?:\.align\s+(\d+)\s+)?\.[bus](\d+)\s+([\w$]+)(?:\[(\d+)\])?)");
  for (std::sregex_iterator p(head.begin(), head.end(), parameter), end; p != end; ++p) {
    const std::uint64_t element = std::stoull((*p)[2]) / 8;
    const std::uint64_t bytes = element * ((*p)[4].matched ? std::stoull((*p)[4]) : 1);
    const std::uint64_t offset = up_to(kernel.parameter_size, (*p)[1].matched ? std::stoull((*p)[1]) : element);
    names.set_address((*p)[3], parameter_base + offset);
    kernel.parameter_offset.push_back(offset);
    kernel.parameter_bytes.push_back(bytes);
    kernel.parameter_size = offset + bytes;
  }
  static const std::regex most(R"(\.maxntid\s+(\d+))");
  if (std::smatch found; std::regex_search(head, found, most)) kernel.most_threads = std::stoi(found[1]);
}

// Variables of known size come first. Variables whose size the launch sets follow, and all of these begin at one
// address.
void decode_shared(const KernelText& text, Kernel& kernel, Names& names) {
  static const std::regex variable(R"(\.shared\s+\.align\s+(\d+)\s+\.b8\s+([\w$]+)\[(\d*)\])");
  std::vector<std::string> of_launch;
  for (std::sregex_iterator v(text.body.begin(), text.body.end(), variable), end; v != end; ++v) {
    if ((*v)[3].length() == 0) {
      of_launch.push_back((*v)[2]);
      continue;
    }
    const std::uint64_t offset = up_to(kernel.static_shared, std::stoull((*v)[1]));
    names.set_address((*v)[2], offset);
    kernel.static_shared = offset + std::stoull((*v)[3]);
  }
  kernel.static_shared = up_to(kernel.static_shared, 16);
  for (const std::string& name : of_launch) names.set_address(name, kernel.static_shared);
}

std::map<std::string, std::string> source_files(const std::string& text) {
  static const std::regex file(R"re(\.file\s+(\d+)\s+"(?:[^"]*/)?([^"/]+)")re");
  std::map<std::string, std::string> files;
  for (std::sregex_iterator f(text.begin(), text.end(), file), end; f != end; ++f) files[(*f)[1]] = (*f)[2];
  return files;
}

// @!%p1 setp.lt.f64 %p2, %fd1, %fd2
Instruction decode_instruction(const std::string& statement, Names& names) {
  static const std::regex form(R"((?:@(!?)(%\w+)\s+)?([\w.]+)\s*([\s\S]*))");
  std::smatch parts;
  if (!std::regex_match(statement, parts, form)) throw Fault("the interpreter cannot read: " + statement);
  Instruction instruction;
  instruction.text = statement;
  if (parts[2].matched) {
    instruction.predicate = names.number(parts[2]);
    instruction.negated = parts[1].length() > 0;
  }
  decode_operation(parts[3], parts[4], names, instruction);
  return instruction;
}

bool is_label(const std::string& statement) { return statement.back() == ':'; }

bool is_instruction(const std::string& statement) { return statement[0] != '.' && !is_label(statement); }

// The position of a label is the number of instructions before it.
std::map<std::string, std::int64_t> place_of_labels(const Statements& statements) {
  std::map<std::string, std::int64_t> place;
  std::int64_t instructions = 0;
  for (const auto& [statement, source] : statements.all())
    if (is_label(statement))
      place[statement.substr(0, statement.size() - 1)] = instructions;
    else
      instructions += is_instruction(statement);
  return place;
}

}  // namespace

std::map<std::string, KernelText> kernels_in(const std::string& text) {
  const std::string mark = ".visible .entry ";
  const auto files = source_files(text);
  const std::size_t first = text.find(mark);
  const std::string of_file = text.substr(0, first);  // where shared memory of a launch's size is declared
  std::map<std::string, KernelText> kernels;
  for (std::size_t begin = first; begin != std::string::npos;) {
    const std::size_t open = text.find('(', begin), body = text.find("\n{\n", open), end = text.find("\n}\n", body);
    const std::string name = trimmed(text.substr(begin + mark.size(), open - begin - mark.size()));
    std::string declarations;
    static const std::regex shared(R"(\.extern\s+\.shared[^;]*;)");
    for (std::sregex_iterator d(of_file.begin(), of_file.end(), shared), last; d != last; ++d)
      declarations += d->str() + "\n";
    kernels[name] = {text.substr(open, body - open), declarations + text.substr(body + 3, end - body - 2), files};
    begin = text.find(mark, end);
  }
  return kernels;
}

Kernel decode(const std::string& name, const KernelText& text) {
  Kernel kernel;
  kernel.name = name;
  Names names(kernel);
  decode_parameters(text.head, kernel, names);
  decode_shared(text, kernel, names);
  const Statements statements(text);
  const auto place = place_of_labels(statements);
  for (const auto& [statement, source] : statements.all()) {
    if (!is_instruction(statement)) continue;
    Instruction instruction = decode_instruction(statement, names);
    instruction.source = source;
    if (instruction.control == Control::branch) {
      const auto found = place.find(statement.substr(std::min(statement.find('$'), statement.size())));
      if (found == place.end()) throw Fault("the interpreter does not find where to go: " + statement);
      instruction.offset = found->second;
    }
    kernel.code.push_back(std::move(instruction));
  }
  return kernel;
}

}  // namespace ptx
