#include "traces/faults/launch_races.h"

#include <algorithm>

namespace warpscope {

LaunchRaces::LaunchRaces(const KernelInfo& kernel, const RacePlan& plan) : plan_(plan) {
  for (const RacePlan::Site& site : plan.sites) {
    const SiteInfo& info = kernel.sites[site.id.value()];
    const bool is_volatile = info.is_volatile || info.is_strong;
    if (is_of_group(info))
      roles_.push_back(info.kind == AccessKind::Load ? Role::Load : Role::Store);
    else if (site.kind == RaceKind::Atomic || (site.kind == RaceKind::Store && is_volatile))
      roles_.push_back(Role::SyncStore);
    else if (site.kind == RaceKind::Store)
      roles_.push_back(Role::Store);
    else
      roles_.push_back(is_volatile ? Role::SyncLoad : Role::Load);
  }
}

bool LaunchRaces::conflict(Role a, Role b) {
  if (a == Role::Store || b == Role::Store) return true;
  return (a == Role::Load && b == Role::SyncStore) || (a == Role::SyncStore && b == Role::Load);
}

void LaunchRaces::begin_group(std::uint32_t group) {
  group_ = group;
  fences_.clear();
  fences_before_.reset();
  fences_now_.reset();
}

void LaunchRaces::fence(const Position& at) {
  if (second_pass_) return;
  fences_[at.item] = at;
  end_interval_before(at);
  const bool several = fences_now_ && (fences_now_->several || fences_now_->last.item != at.item);
  fences_now_ = Fences{at, several};
}

void LaunchRaces::access(std::uint32_t site, BufferAddr where, const Position& at) {
  const Role role = roles_[site];
  if (!second_pass_ && plan_.has_fences && (role == Role::SyncStore || role == Role::SyncLoad))
    note_sync(site, where.key(), at);
  for (std::uint32_t done = 0; done < plan_.sites[site].width; done += plan_.granule) {
    const BufferAddr part(where.buffer(), where.offset() + done);
    const std::uint64_t key = part.key() / plan_.granule;
    if (second_pass_)
      second_pass(key, {group_, site, at, where.key()}, part);
    else
      first_pass(key, role);
  }
}

LaunchRaces::Cell* LaunchRaces::cell_at(std::uint64_t key) {
  const std::uint64_t page = key / kPage;
  if (page != last_page_) {
    const auto found = pages_.find(page);
    if (found == pages_.end() && (pages_.size() + 1) * kPage > kMostCells) {
      in_part_ = true;
      return nullptr;
    }
    last_cells_ = found != pages_.end() ? found->second.get()
                                        : (pages_[page] = std::make_unique<std::array<Cell, kPage>>()).get();
    last_page_ = page;
  }
  return &(*last_cells_)[key % kPage];
}

void LaunchRaces::first_pass(std::uint64_t key, Role role) {
  Cell* cell = cell_at(key);
  if (cell == nullptr) return;
  const std::uint32_t me = group_ + 1;
  std::uint32_t& own = (*cell)[static_cast<std::size_t>(role)];
  if (own == 0)
    own = me;
  else if (own != me)
    own = kSeveral;
  for (std::size_t other = 0; other < kRoles; ++other) {
    const std::uint32_t who = (*cell)[other];
    if (who == 0 || who == me || !conflict(role, static_cast<Role>(other))) continue;
    if (shared_.size() < kMostShared || shared_.count(key) != 0)
      shared_.try_emplace(key);
    else
      in_part_ = true;
    return;
  }
}

void LaunchRaces::note_sync(std::uint32_t site, std::uint64_t address, const Position& at) {
  Syncs& mine = syncs_[group_];
  const auto [entry, is_new] = mine.try_emplace(address);
  if (is_new && ++sync_count_ > kMostSyncs) {
    in_part_ = true;
    mine.erase(entry);
    return;
  }
  Sync& sync = entry->second;
  const auto is_of_item = [&](const Position& other) { return other.item == at.item; };
  if (plan_.sites[site].kind != RaceKind::Store) {  // an atomic reads as well as it writes
    const bool is_first = sync.acquires.empty() || !is_before(sync.acquires.front(), at);
    if (is_first && std::none_of(sync.acquires.begin(), sync.acquires.end(), is_of_item))
      sync.acquires.push_back(at);
  }
  if (roles_[site] != Role::SyncStore) return;
  end_interval_before(at);
  const auto own = fences_.find(at.item);
  if (own == fences_.end() && !fences_before_) return;
  if (!sync.releases.empty() && is_earlier_interval(sync.releases.front().at, at)) sync.releases.clear();
  std::erase_if(sync.releases, [&](const Release& other) { return is_of_item(other.at); });
  sync.releases.push_back(
      {at, own != fences_.end() ? std::optional(own->second) : std::nullopt, fences_before_});
}

/// Fences of an interval before that of `at` are of the past.
void LaunchRaces::end_interval_before(const Position& at) {
  if (!fences_now_ || !is_earlier_interval(fences_now_->last, at)) return;
  fences_before_ = fences_now_;
  fences_now_.reset();
}

void LaunchRaces::second_pass(std::uint64_t key, const Seen& now, BufferAddr where) {
  const auto found = shared_.find(key);
  if (found == shared_.end()) return;
  std::vector<Seen>& seen = found->second;
  const auto same = [&](const Seen& before) { return before.site == now.site && before.group == group_; };
  for (const Seen& before : seen) {
    if (before.group == group_ || !conflict(roles_[before.site], roles_[now.site])) continue;
    if (++compared_ > kMostCompared) {
      in_part_ = true;
      return;
    }
    if (!is_ordered(before, now)) report(before, now, where);
  }
  // Of each site the last two accesses stand for all: what comes before them is mostly of the same groups.
  if (const auto last = std::find_if(seen.begin(), seen.end(), same); last != seen.end()) {
    if (is_before(last->at, now.at)) return;
    *last = now;
    return;
  }
  const auto of_site = [&](const Seen& before) { return before.site == now.site; };
  if (std::count_if(seen.begin(), seen.end(), of_site) >= 2)
    seen.erase(std::find_if(seen.begin(), seen.end(), of_site));
  seen.push_back(now);
}

/// Whether `did` is behind it: a fence after it, and then the release.
bool LaunchRaces::has_released(const Sync& sync, const Position& did) {
  return std::any_of(sync.releases.begin(), sync.releases.end(), [&](const Release& release) {
    if (!is_before(did, release.at)) return false;
    const bool by_own = release.own && !is_before(*release.own, did);
    const bool by_others =
        release.others && (!is_before(release.others->last, did) ||
                           (release.others->several && !is_earlier_interval(release.others->last, did)));
    return by_own || by_others;
  });
}

/// Whether the group that does `does` has learned before it that `did` was done.
bool LaunchRaces::learns(const Syncs& of, const Position& did, const Syncs& by, const Position& does) {
  const bool first_is_smaller = of.size() <= by.size();
  const Syncs& smaller = first_is_smaller ? of : by;
  const Syncs& larger = first_is_smaller ? by : of;
  return std::any_of(smaller.begin(), smaller.end(), [&](const auto& one) {
    const auto other = larger.find(one.first);
    if (other == larger.end()) return false;
    const Sync& from = first_is_smaller ? one.second : other->second;
    const Sync& to = first_is_smaller ? other->second : one.second;
    const auto before = [&](const Position& acquired) { return is_before(acquired, does); };
    return has_released(from, did) && std::any_of(to.acquires.begin(), to.acquires.end(), before);
  });
}

/// Whether `did` is an atomic or volatile store that `does` comes after in the order of its address: its group has released there, at once
/// or later, and the other one has acquired there before.
bool LaunchRaces::sees(const Seen& did, const Seen& does) const {
  if (roles_[did.site] != Role::SyncStore) return false;
  const Syncs &of = syncs_.at(did.group), &by = syncs_.at(does.group);
  const auto from = of.find(did.address), to = by.find(did.address);
  if (from == of.end() || to == by.end()) return false;
  return std::any_of(
             from->second.releases.begin(), from->second.releases.end(),
             [&](const Release& release) { return release.at == did.at || is_before(did.at, release.at); }) &&
         std::any_of(to->second.acquires.begin(), to->second.acquires.end(),
                     [&](const Position& acquired) { return is_before(acquired, does.at); });
}

bool LaunchRaces::is_ordered(const Seen& a, const Seen& b) const {
  if (a.at.phase != b.at.phase) return true;
  const auto of_a = syncs_.find(a.group), of_b = syncs_.find(b.group);
  if (of_a == syncs_.end() || of_b == syncs_.end()) return false;
  return learns(of_a->second, a.at, of_b->second, b.at) || learns(of_b->second, b.at, of_a->second, a.at) ||
         sees(a, b) || sees(b, a);
}

void LaunchRaces::report(const Seen& before, const Seen& now, BufferAddr where) {
  const bool in_order = before.site <= now.site;
  const Seen &first = in_order ? before : now, &second = in_order ? now : before;
  GroupExample& example = found_[{first.site, second.site, where.buffer()}];
  if (example.times == 0)
    example = {first.group, second.group, first.at.item, second.at.item, where.offset(), 0};
  ++example.times;
}

}  // namespace warpscope
