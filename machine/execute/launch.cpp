#include "machine/execute/launch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "machine/execute/base/fault.h"
#include "machine/execute/group.h"
#include "machine/execute/source_line.h"
#include "machine/isa/printer.h"
#include "traces/base/error.h"

namespace warpscope::machine {
namespace {

/// Instructions of a work-group until another one that is resident has its turn: far more than those need that do not wait for others.
constexpr std::uint64_t kTurn = 1U << 24;
/// Of clusters, whose work-groups may wait in loops for what is in their shared memory.
constexpr std::uint64_t kTurnInCluster = 1U << 16;

/// Resident groups, unless all of them wait for others: each takes memory.
constexpr std::uint64_t kMostBusy = 64;

/// Turns of each resident group in which it did nothing but read unchanged values, until that counts as a deadlock.
constexpr std::uint64_t kPatience = 4096;

/// Of a work-item, on all architectures (CUDA C++ Programming Guide, "Technical Specifications per Compute Capability").
constexpr std::uint64_t kMostLocalBytes = 512 * 1024;

/// Where constant bank 0 has what a launch says (sm_70 to sm_90; seen in what ptxas 13.0 and 11.8 make).
constexpr std::size_t kLocalSizes = 0x00, kGroupCounts = 0x0c, kSharedBase = 0x18, kLocalBase = 0x20,
                      kStackTop = 0x28, kConstantsBase = 0x50, kConstantsBaseSince90 = 0xd0;
/// Generic addresses of bank 0 itself, since sm_90 of its parameters: kernels take them of __grid_constant__ ones.
constexpr std::size_t kBankBase = 0x40, kParametersBaseSince90 = 0x198;
/// Of clusters: whether there are any, their sizes, what numbers of work-groups are multiplied by to get those of clusters, how many
/// clusters, and work-groups of each in all (seen in what ptxas 13.0 makes of the special registers of clusters).
constexpr std::size_t kHasClusters = 0x140, kClusterSizes = 0x144, kClusterFactors = 0x150,
                      kClusterCounts = 0x15c, kClusterGroups = 0x188;

/// %envreg1 and %envreg2, of the address of the grid's workspace its upper and lower half: the number of its bytes, and a barrier
/// (struct grid_workspace of the headers of CUDA 13.0; places seen in what ptxas 13.0 makes of the registers).
constexpr std::size_t kWorkspaceHigh = 0x8c, kWorkspaceHighSince90 = 0x44;
constexpr std::size_t kWorkspaceBytes = 8;

void put(std::vector<std::uint8_t>& bytes, std::size_t at, std::uint64_t value, std::size_t size) {
  if (bytes.size() < at + size) bytes.resize(at + size);
  std::memcpy(bytes.data() + at, &value, size);
}

/// Whether an instruction reads bank 0 at `offset`.
bool reads_bank_0(const Code& code, std::size_t offset) {
  for (const Instruction& instruction : code.instructions())
    for (std::size_t slot = 0; slot < instruction.operand_count; ++slot)
      if (const Operand& operand = instruction.operands[slot];
          operand.kind == OperandKind::Constant && operand.value == offset && instruction.bank() == 0)
        return true;
  return false;
}

}  // namespace

Launch::Launch(const Code& code, DeviceMemory& memory, const LaunchSettings& settings)
    : code_(code),
      memory_(memory),
      settings_(settings),
      texture_accesses_(machine::texture_accesses(code, settings.textures)),
      executions_(code.operations().size() + 2),
      others_(executions_.size()),
      order_(executions_.size()),
      follows_writers_(settings.groups.count() > 1) {
  const Function& kernel = code.kernel();
  if (settings.parameters.size() != kernel.parameter_bytes)
    throw InputError(fmt::format("kernel {}: {} bytes of arguments, expected {}", kernel.name,
                                 settings.parameters.size(), kernel.parameter_bytes));
  // All ones where the compiler does not know: of recursive functions, and of calls through pointers.
  const auto known = [](std::uint32_t bytes) { return bytes == ~std::uint32_t{0} ? 0 : bytes; };
  const std::uint64_t most = kernel.max_stack_bytes <= kMostLocalBytes ? kernel.max_stack_bytes : 0;
  const std::uint64_t frame =
      std::max<std::uint64_t>({kernel.frame_bytes, known(kernel.min_stack_bytes), most});
  if (frame > kMostLocalBytes)
    throw InputError(fmt::format("kernel {}: {} bytes of local memory for a work-item, at most {}",
                                 kernel.name, frame, kMostLocalBytes));
  if (shared_bytes() > kWindowBytes)
    throw InputError(fmt::format("kernel {}: {} bytes of shared memory, at most {}", kernel.name,
                                 shared_bytes(), kWindowBytes));
  set_clusters();
  local_bytes_ = (frame + settings.stack_bytes + 15) / 16 * 16;
  banks_ = code.image().banks();
  if (!settings.constants.empty()) banks_[3] = settings.constants;
  place_variables();
  fill_bank_0();
  fill_constants();
}

Launch::Launch(const Launch& whole, Claims& claims)
    : code_(whole.code_),
      memory_(whole.memory_),
      settings_(whole.settings_),
      clusters_(whole.clusters_),
      has_clusters_(whole.has_clusters_),
      texture_accesses_(whole.texture_accesses_),
      banks_(whole.banks_),
      constants_(whole.constants_),
      executions_(whole.executions_.size()),
      others_(whole.others_.size()),
      parameters_address_(whole.parameters_address_),
      local_bytes_(whole.local_bytes_),
      order_(executions_.size()),
      claims_(&claims) {}

void Launch::set_clusters() {
  const auto& [x, y, z] = code_.kernel().cluster;
  const Dim3 own{x, y, z}, asked = settings_.cluster;
  has_clusters_ = own.count() != 0 || asked.count() != 0;
  if (own.count() != 0 && asked.count() != 0 && own != asked)
    throw InputError(
        fmt::format("kernel {}: clusters of {}x{}x{} work-groups, which it is compiled for, not {}x{}x{}",
                    code_.kernel().name, x, y, z, asked.x, asked.y, asked.z));
  clusters_.groups = settings_.groups;
  if (has_clusters_) clusters_.size = own.count() != 0 ? own : asked;
  if (has_clusters_ && code_.cubin().architecture() < 90)
    throw InputError(fmt::format("kernel {}: clusters, which came with sm_90, on sm_{}", code_.kernel().name,
                                 code_.cubin().architecture()));
  if (const std::string wrong = clusters_.wrong(); !wrong.empty())
    throw InputError(fmt::format("kernel {}: {}", code_.kernel().name, wrong));
}

void Launch::place_variables() {
  for (const Variable& variable : code_.image().variables()) {
    if (memory_.find(variable.address) != nullptr) continue;
    std::vector<std::uint8_t>& bytes = variables_.emplace_back(variable.bytes);
    if (variable.bank != 0 && variable.offset + bytes.size() <= banks_[variable.bank].size())
      std::copy_n(banks_[variable.bank].begin() + variable.offset, bytes.size(), bytes.begin());
    memory_.add_at(variable.address, bytes.data(), bytes.size(), 0);
  }
}

void Launch::fill_bank_0() {
  std::vector<std::uint8_t>& bank = banks_[0];
  const Dim3& local = settings_.local;
  const Dim3& groups = settings_.groups;
  const std::uint64_t sizes[] = {local.x, local.y, local.z, groups.x, groups.y, groups.z};
  for (std::size_t which = 0; which < 3; ++which) put(bank, kLocalSizes + which * 4, sizes[which], 4);
  for (std::size_t which = 0; which < 3; ++which) put(bank, kGroupCounts + which * 4, sizes[3 + which], 4);
  put(bank, kSharedBase, kSharedWindow, 8);
  put(bank, kLocalBase, kLocalWindow, 8);
  put(bank, kStackTop, local_bytes_, 4);
  put(bank, code_.cubin().architecture() >= 90 ? kConstantsBaseSince90 : kConstantsBase,
      code_.image().constants_address(), 8);
  if (code_.cubin().architecture() >= 90) fill_clusters();
  place_parameters();
  place_grid_workspace();
  const std::size_t first = code_.kernel().parameter_bank_offset;
  if (bank.size() < first + settings_.parameters.size()) bank.resize(first + settings_.parameters.size());
  std::copy(settings_.parameters.begin(), settings_.parameters.end(),
            bank.begin() + static_cast<std::ptrdiff_t>(first));
}

void Launch::place_parameters() {
  const bool is_new = code_.cubin().architecture() >= 90;
  const std::size_t base = is_new ? kParametersBaseSince90 : kBankBase;
  if (settings_.parameters.empty() || !reads_bank_0(code_, base)) return;
  parameters_address_ = kParametersBank + code_.kernel().parameter_bank_offset;
  put(banks_[0], base, is_new ? parameters_address_ : kParametersBank, 8);
  memory_.add_at(parameters_address_, settings_.parameters.data(), settings_.parameters.size(), 0);
}

void Launch::place_grid_workspace() {
  const std::size_t high = code_.cubin().architecture() >= 90 ? kWorkspaceHighSince90 : kWorkspaceHigh;
  if (!settings_.is_cooperative || !reads_bank_0(code_, high)) return;
  put(workspace_, 0, kWorkspaceBytes, kWorkspaceBytes);
  put(banks_[0], high, kGridWorkspace >> 32, 4);
  put(banks_[0], high + 4, kGridWorkspace & 0xffffffff, 4);
  memory_.add_at(kGridWorkspace, workspace_.data(), workspace_.size(), 0);
}

void Launch::fill_clusters() {
  std::vector<std::uint8_t>& bank = banks_[0];
  const Dim3 size = clusters_.size, count = clusters_.counts();
  const std::uint64_t sizes[] = {size.x, size.y, size.z}, counts[] = {count.x, count.y, count.z};
  put(bank, kHasClusters, has_clusters_ ? 1 : 0, 4);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    // Not below the quotient: the product is rounded down.
    const auto divisor = static_cast<float>(sizes[axis]);
    float factor = 1.0F / divisor;
    if (double{factor} * double{divisor} < 1) factor = std::nextafterf(factor, 1.0F);
    put(bank, kClusterSizes + axis * 4, sizes[axis], 4);
    put(bank, kClusterFactors + axis * 4, std::bit_cast<std::uint32_t>(factor), 4);
    put(bank, kClusterCounts + axis * 4, counts[axis], 4);
  }
  put(bank, kClusterGroups, size.count(), 4);
}

void Launch::fill_constants() {
  for (const ConstantRow& row : code_.constants()) {
    std::uint32_t value = row.value;
    const auto bytes = bank(row.bank);
    if (!row.is_immediate && row.offset + 4 <= bytes.size())
      std::memcpy(&value, bytes.data() + row.offset, 4);
    constants_.push_back(same_in_all(value));
  }
}

const Texture& Launch::texture(std::uint32_t handle, unsigned lane) const {
  const std::uint32_t number = handle & kTextureHandleMask;
  if (number != 0 && number <= settings_.textures.size()) return settings_.textures[number - 1];
  ExecutionFault fault(fmt::format("no texture or surface of the launch has the handle 0x{:x}", handle));
  fault.lane = static_cast<int>(lane);
  throw fault;
}

std::span<const std::uint8_t> Launch::bank(std::uint32_t number) const {
  const auto found = banks_.find(number);
  return found == banks_.end() ? std::span<const std::uint8_t>()
                               : std::span<const std::uint8_t>(found->second);
}

void Launch::run(Observer* observer, const LaunchPart& part) {
  run_groups(observer, part);
  sum_executions();
}

void Launch::run_alone(std::uint64_t number, Observer* observer, const LaunchPart& part) {
  attend(number, observer, part);
  const auto cluster = std::make_shared<Cluster>(1, (settings_.local.count() + kLanes - 1) / kLanes);
  Group group(*this, number, cluster, 0);
  if (observer_ != nullptr) observer_->begin(group);
  for (auto state = Group::State::Running; state != Group::State::Done;) {
    if (settings_.instruction_limit != 0 && instructions_ >= settings_.instruction_limit)
      throw ExecutionFault("reached the limit of instructions");
    state = group.run(turn());
    if (state == Group::State::Waiting) throw InTurns{"work-groups wait for others"};
  }
  if (observer_ != nullptr) observer_->end(group);
}

void Launch::add(std::span<const std::unique_ptr<Launch>> parts) {
  for (const auto& part : parts) {
    for (std::size_t place = 0; place < executions_.size(); ++place) {
      executions_[place].warps += part->executions_[place].warps;
      executions_[place].lanes += part->executions_[place].lanes;
      executions_[place].guarded += part->executions_[place].guarded;
    }
    instructions_ += part->instructions_;
    order_.add(part->order_);
  }
  sum_executions();
}

void Launch::sum_executions() {
  Executions sum;
  for (std::size_t place = 0; place < executions_.size() - 1; ++place) {
    Executions& executed = executions_[place];
    sum.warps += executed.warps;
    sum.lanes += executed.lanes;
    executed.warps = sum.warps;
    executed.lanes = sum.lanes;
    if (place < code_.operations().size() && !code_.operations()[place].is_guarded)
      executed.guarded = sum.lanes;
  }
}

std::uint64_t Launch::turn() const {
  const std::uint64_t limit = settings_.instruction_limit;
  const std::uint64_t most = clusters_.size.count() == 1 ? kTurn : kTurnInCluster;
  if (limit == 0) return most;
  return std::min(most, limit > instructions_ ? limit - instructions_ : 1);
}

void Launch::attend(std::uint64_t group, Observer* observer, const LaunchPart& part) {
  const bool is_of_part = !part.has || part.has(group);
  observer_ = is_of_part ? observer : nullptr;
  counted_ = (is_of_part ? executions_ : others_).data();
}

std::uint64_t Launch::others_begin(std::uint64_t resident, std::uint64_t waits) const {
  if (resident == 0) return 1;
  const bool all_wait = waits >= resident;
  if (resident >= settings_.resident_groups || (!all_wait && resident >= kMostBusy)) return 0;
  return all_wait ? std::min(resident / 8 + 1, settings_.resident_groups - resident) : 1;
}

void Launch::run_groups(Observer* observer, const LaunchPart& part) {
  const std::uint64_t count = clusters_.counts().count(), size = clusters_.size.count();
  const GroupTurns order(part.order, count);
  lanes_descend_ = part.order.lanes_descend;
  const auto first_from = [&](std::uint64_t turn) {
    if (part.runs_others || !part.has) return turn;
    while (turn < count && std::ranges::none_of(clusters_.groups_of(order.group_at(turn)), part.has)) ++turn;
    return turn;
  };
  std::deque<std::unique_ptr<Group>> resident;
  std::uint64_t next = first_from(0), waits = 0;
  while (next < count || !resident.empty()) {
    // Other groups begin only when all that run have had a turn without coming to their end: they may wait for them.
    for (std::uint64_t more = others_begin(resident.size(), waits); more != 0 && next < count;
         more -= std::min(more, size)) {
      for (std::unique_ptr<Group>& group : cluster_of(order.group_at(next))) {
        attend(group->number(), observer, part);
        if (observer_ != nullptr) observer_->begin(*group);
        resident.push_back(std::move(group));
      }
      next = first_from(next + 1);
    }
    for (std::size_t turns = resident.size(); turns != 0; --turns) {
      std::unique_ptr<Group> group = std::move(resident.back());
      resident.pop_back();
      attend(group->number(), observer, part);
      const Group::State state = group->run(turn());
      waits = state == Group::State::Waiting ? waits + 1 : 0;
      if (state == Group::State::Done) {
        if (observer_ != nullptr) observer_->end(*group);
        break;
      }
      resident.push_front(std::move(group));
    }
    const bool can_begin = next < count && others_begin(resident.size(), waits) != 0;
    if (waits > kPatience * resident.size() && !resident.empty() && !can_begin)
      explain_waits(resident, (count - next) * size);
    if (settings_.instruction_limit != 0 && instructions_ >= settings_.instruction_limit &&
        !(resident.empty() && next == count))
      throw ExecutionFault(
          fmt::format("executed {} instructions of warps without coming to an end (limit {})", instructions_,
                      settings_.instruction_limit));
  }
}

std::vector<std::unique_ptr<Group>> Launch::cluster_of(std::uint64_t number) {
  const std::vector<std::uint64_t> numbers = clusters_.groups_of(number);
  const std::size_t warps = (settings_.local.count() + kLanes - 1) / kLanes;
  const auto cluster = std::make_shared<Cluster>(numbers.size(), warps);
  std::vector<std::unique_ptr<Group>> groups;
  for (std::size_t rank = numbers.size(); rank-- != 0;)
    groups.push_back(
        std::make_unique<Group>(*this, numbers[rank], cluster, static_cast<std::uint32_t>(rank)));
  return groups;
}

void Launch::explain_waits(const std::deque<std::unique_ptr<Group>>& groups, std::uint64_t others) const {
  std::string text;
  for (const auto& group : groups) {
    if (text.size() > 500) {
      text += "; …";
      break;
    }
    text += fmt::format("; work-group {}: {}", group->number(), group->waiting());
  }
  if (others != 0)
    text += fmt::format("; {} work-groups have not begun: {} are resident", others, groups.size());
  throw ExecutionFault(fmt::format("kernel {} does not go on{}", code_.kernel().name, text));
}

std::string Launch::name_of(std::uint32_t place) const {
  if (place >= code_.instructions().size()) return fmt::format("'0x{:x}'", place * kInstructionBytes);
  std::string text = fmt::format("'{:04x}: {}'", place * kInstructionBytes,
                                 text_of(code_.decoder(), code_.instructions()[place]));
  const SourceLine at = source_line(code_, place);
  return at.line == 0 ? text : fmt::format("{} ({}:{})", text, at.file, at.line);
}

void Launch::explain(const ExecutionFault& fault, const Group& group, const Warp& warp) const {
  const LaneSet lanes = warp.active();
  const auto lane = static_cast<unsigned>(fault.lane >= 0 ? fault.lane : std::countr_zero(lanes) & 31);
  const Dim3 item = group.work_item(warp, lane);
  throw ExecutionFault(
      fmt::format("kernel {}, work-group ({}, {}, {}), work-item ({}, {}, {}), {}: {}", code_.kernel().name,
                  group.position().x, group.position().y, group.position().z, item.x, item.y, item.z,
                  name_of(warp.place()), fault.what()),
      fault.kind);
}

}  // namespace warpscope::machine
