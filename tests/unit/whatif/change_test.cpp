#include "whatif/change.h"

#include <gmock/gmock.h>

#include "traces/base/error.h"

namespace warpscope::whatif {
namespace {

using testing::ElementsAre;

Change read(const std::string& name, const std::string& value) {
  for (const ChangeForm& form : change_forms())
    if (form.name == name) return parse_change(form, value);
  throw InputError("no change " + name);
}

TEST(Change, EveryExampleHasItsForm) {
  for (const ChangeForm& form : change_forms())
    EXPECT_NO_THROW(parse_change(form, form.example)) << form.name;
}

TEST(Change, NumbersInTheirOrder) {
  EXPECT_THAT(read("transpose", "B=40x64:4").numbers, ElementsAre(40, 64, 4));
  EXPECT_THAT(read("split", "p=16:8,4,4").numbers, ElementsAre(16, 8, 4, 4));
  EXPECT_THAT(read("swizzle", "t=128").numbers, ElementsAre(128));
  EXPECT_EQ(read("groups", "tile:4x2").numbers, (std::vector<std::uint64_t>{4, 2}));
  EXPECT_TRUE(read("groups", "morton").morton);
  EXPECT_TRUE(read("offset", "a=-12").negative);
}

TEST(Change, ObjectsMayHoldAnEqualsSign) {
  EXPECT_EQ(read("pad", "a=b=+3").object, "a=b");
}

TEST(Change, MessagesAreOneLineWithAnExample) {
  try {
    read("pad", "tile=1");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "--pad 'tile=1': expected OBJECT=+ELEMENTS, for example --pad tile=+1");
  }
}

TEST(Change, NumbersThatAreTooLargeAreRefused) {
  EXPECT_THROW(read("pad", "tile=+99999999999999999999999"), InputError);
  EXPECT_THROW(read("offset", "a=9999999999999"), InputError);
}

}  // namespace
}  // namespace warpscope::whatif
