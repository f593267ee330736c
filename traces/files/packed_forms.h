#pragma once
// Packs the chunks of work-groups that differ only in where their accesses begin, without asking zstd about each.
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

struct ZSTD_CCtx_s;
struct ZSTD_DCtx_s;

namespace warpscope {

/// The frame of a payload depends on nothing but that payload, so it is the same whatever was packed before.
///
/// Locations are varints of 7 bytes or more, and the only ones in most payloads. For each of their digits zstd gets
/// another one that only says whether it is 0, and which locations shortly before have an equal one in that place. Its
/// literals are then exchanged for the payload's own. Payloads with equal bytes elsewhere, and the same equalities,
/// share what zstd made: their form.
class PackedForms {
 public:
  static constexpr std::size_t kLongestPayload = 1024;  ///< longer ones are rarely equal

  PackedForms();
  ~PackedForms();
  PackedForms(const PackedForms&) = delete;
  PackedForms& operator=(const PackedForms&) = delete;

  /// Writes a zstd frame that is shorter than `payload` to `packed`, which has room for any; returns its size. That of
  /// the payload: there is none. 0: this is not for such payloads. In both cases nothing is written that counts.
  std::size_t pack(ZSTD_CCtx_s* zstd, std::span<const std::uint8_t> payload, std::span<std::uint8_t> packed);

 private:
  struct Form;

  const Form& form_of(ZSTD_CCtx_s* zstd, std::span<const std::uint8_t> payload);
  void make_frame(ZSTD_CCtx_s* zstd, std::span<const std::uint8_t> payload, Form& form);
  bool find_sources(const Form& form, std::size_t literals, std::size_t count, std::size_t payload_bytes);

  std::vector<std::unique_ptr<Form>> forms_;  ///< the one used last comes first
  ZSTD_DCtx_s* unpacker_ = nullptr;
  std::vector<std::uint8_t> marked_, unpacked_;
  std::vector<std::uint32_t> sources_;  ///< indexed by byte of a payload: the literal that it is a copy of
};

}  // namespace warpscope
