#include "decode.h"

#include <vector>

#include "arithmetic.h"
#include "fault.h"
#include "transfer.h"

namespace ptx {

namespace {

std::vector<std::string> split_at(const std::string& text, const std::string& separators) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (separators.find(c) != std::string::npos)
      parts.emplace_back();
    else if (!std::isspace(static_cast<unsigned char>(c)))
      parts.back() += c;
  }
  return parts;
}

std::string without(const std::string& text, const std::string& characters) {
  std::string rest;
  for (const char c : text)
    if (characters.find(c) == std::string::npos) rest += c;
  return rest;
}

// Integers, 0d... and 0f...: the bits of a number.
bool is_constant(const std::string& operand) {
  return operand[0] == '-' || std::isdigit(static_cast<unsigned char>(operand[0]));
}

std::uint64_t constant_bits(const std::string& operand) {
  if (operand.compare(0, 2, "0d") == 0 || operand.compare(0, 2, "0f") == 0)
    return std::stoull(operand.substr(2), nullptr, 16);
  if (operand[0] == '-') return std::uint64_t(std::stoll(operand, nullptr, 0));
  return std::stoull(operand, nullptr, 0);
}

bool starts_with(const std::string& text, const std::string& beginning) {
  return text.compare(0, beginning.size(), beginning) == 0;
}

// ld.shared.v2.f64, st.global.u32, ld.f64
void decode_access(const std::string& name, Instruction& instruction) {
  const std::vector<std::string> parts = split_at(name, ".");
  instruction.execute = parts[0] == "ld" ? load : store;
  for (std::size_t p = 1; p + 1 < parts.size(); ++p) {
    if (parts[p] == "param")
      instruction.space = Space::parameters;
    else if (parts[p] == "shared")
      instruction.space = Space::shared;
    else if (parts[p] == "global")
      instruction.space = Space::global;
    else if (parts[p] == "v2" || parts[p] == "v4")
      instruction.elements = parts[p][1] - '0';
    else
      throw Fault("does not know the instruction " + name);
  }
  instruction.bytes = std::stoi(parts.back().substr(1)) / 8;
  instruction.is_signed = parts.back()[0] == 's';
}

// {%r1, %r2}, [%rd1+8] or [%rd1+8], {%r1, %r2}: registers, then the address.
void decode_access_operands(const std::string& operands, Names& names, Instruction& instruction) {
  const std::size_t open = operands.find('['), close = operands.find(']');
  const std::string address = without(operands.substr(open + 1, close - open - 1), " \t\n");
  const std::string values = without(operands.substr(0, open) + operands.substr(close + 1), "{} \t\n");
  for (const std::string& value : split_at(values, ","))
    if (!value.empty()) instruction.operand[instruction.operands++] = names.number(value);
  const std::size_t plus = address.find('+');
  instruction.operand[instruction.operands++] = names.number(address.substr(0, plus));
  if (plus != std::string::npos) instruction.offset = std::stoll(address.substr(plus + 1));
}

struct Collective {
  const char* name;
  Control control;
  Execute execute;
};

constexpr Collective collectives[] = {{"bar.sync", Control::block_barrier, nullptr},
                                      {"bar.warp.sync", Control::warp_barrier, nullptr},
                                      {"shfl.sync.bfly.b32", Control::exchange, exchange},
                                      {"vote.sync.ballot.b32", Control::exchange, vote}};

Execute executor(const std::string& name, const std::string& operands) {
  const std::size_t brace = operands.find('{');
  if (starts_with(name, "mov.b64") && brace != std::string::npos) return operands.find(',') < brace ? join : split;
  if (starts_with(name, "selp.")) return select;
  const auto found = arithmetic().find(name);
  if (found == arithmetic().end())
    throw Fault("the interpreter does not know the instruction " + name + " " + operands);
  return found->second;
}

}  // namespace

int Names::number(const std::string& operand) {
  const auto found = number_.find(operand);
  if (found != number_.end()) return found->second;
  const int number = kernel_.registers++;
  number_[operand] = number;
  const auto address = address_.find(operand);
  if (address != address_.end())
    kernel_.constant[number] = address->second;
  else if (operand == "%tid.x" || operand == "%ctaid.x" || operand == "%ntid.x")
    kernel_.special_register[operand] = number;
  else if (is_constant(operand))
    kernel_.constant[number] = constant_bits(operand);
  else if (operand[0] != '%')
    throw Fault("the interpreter does not know the name " + operand);
  return number;
}

void decode_operation(const std::string& name, const std::string& operands, Names& names, Instruction& instruction) {
  if (name == "bra" || name == "bra.uni") {
    instruction.control = Control::branch;
    return;
  }
  if (name == "ret" || name == "exit") {
    instruction.control = Control::leave;
    return;
  }
  if (starts_with(name, "ld.") || starts_with(name, "st.")) {
    decode_access(name, instruction);
    decode_access_operands(operands, names, instruction);
    return;
  }
  for (const std::string& operand : split_at(without(operands, "{}"), ",|"))
    instruction.operand.at(instruction.operands++) = names.number(operand);
  for (const Collective& collective : collectives)
    if (name == collective.name) {
      instruction.control = collective.control;
      instruction.execute = collective.execute;
      return;
    }
  instruction.execute = executor(name, operands);
}

}  // namespace ptx
