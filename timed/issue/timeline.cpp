#include "timed/issue/timeline.h"

namespace warpscope::timed {

void Timeline::encode(std::vector<std::uint8_t>& out) const {
  put_varint(out, cycles_);
  put_varint(out, stretches_.size());
  for (const Stretch& one : stretches_)
    for (const std::uint64_t number : {std::uint64_t{one.warp}, std::uint64_t{one.group}, one.from, one.to,
                                       static_cast<std::uint64_t>(one.state)})
      put_varint(out, number);
  put_varint(out, issues_.size());
  for (const Issue& one : issues_)
    for (const std::uint64_t number : {one.at, std::uint64_t{one.warp}, std::uint64_t{one.memory}})
      put_varint(out, number);
  put_varint(out, look_ups_.size());
  for (const LookUps& one : look_ups_)
    for (const std::uint64_t number : {one.at, one.hits, one.others}) put_varint(out, number);
}

Timeline::Timeline(ByteReader& in) : began_(0), cycles_(in.varint("cycles")) {
  const auto number32 = [&](const char* what) { return static_cast<std::uint32_t>(in.varint(what)); };
  stretches_.resize(in.count("stretches", 5));
  for (Stretch& one : stretches_) {
    one.warp = number32("warp");
    one.group = number32("work-group");
    one.from = in.varint("cycle");
    one.to = in.varint("cycle");
    one.state = static_cast<WarpState>(in.varint("state"));
  }
  issues_.resize(in.count("issues", 3));
  for (Issue& one : issues_) {
    one.at = in.varint("cycle");
    one.warp = number32("warp");
    one.memory = in.varint("kind") != 0;
  }
  look_ups_.resize(in.count("look-ups", 3));
  for (LookUps& one : look_ups_) {
    one.at = in.varint("cycle");
    one.hits = in.varint("hits");
    one.others = in.varint("others");
  }
}

}  // namespace warpscope::timed
