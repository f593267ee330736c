#include "scheduler/formation/formation.h"

#include <array>

#include "traces/base/names.h"

namespace warpscope {
namespace {

constexpr std::array kFormations = {
    FormationInfo{"static", "neighbouring work-items for good", "as without the option", Formation::Static},
    FormationInfo{"dynamic",
                  "work-items that come to the same block, each in its lane; the lowest block goes first",
                  "Fung et al. 2007", Formation::Dynamic},
    FormationInfo{"dynamic-majority", "the same; the block where most work-items are goes first",
                  "Fung et al. 2007", Formation::Majority},
    FormationInfo{"large", "eight warps share their control flow and fill warps together",
                  "Narasiman et al. 2011", Formation::Large},
};

}  // namespace

const FormationInfo& formation_named(const std::string& name) {
  if (const FormationInfo* found = find_named(kFormations, name)) return *found;
  throw unknown_name("--formation: '" + name + "' is unknown", names_of(kFormations));
}

std::span<const FormationInfo> formations() {
  return kFormations;
}

}  // namespace warpscope
