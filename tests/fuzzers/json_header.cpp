// The JSON sections of captures, streams and transaction streams, one after the other.
#include "cachesim/transactions/transaction_json.h"
#include "tests/fuzzers/fuzzer.h"
#include "traces/base/json_fields.h"
#include "traces/program/capture.h"
#include "traces/stream/stream_format.h"

namespace warpscope::fuzzing {

void fuzz_json_header(Bytes input) {
  const std::string_view text(reinterpret_cast<const char*>(input.data()), input.size());
  nlohmann::json json;
  allow_refusal([&] { json = parse_json(text, "header"); });
  allow_refusal([&] { buffer_info_from_json(json); });
  allow_refusal([&] { launch_info_from_json(json); });
  allow_refusal([&] {
    DescriptionReader descriptions;
    stream_header_from_json(json, "header", descriptions);
  });
  allow_refusal([&] {
    DescriptionReader descriptions;
    transaction_header_from_json(json, "header", descriptions);
  });
  allow_refusal([&] { origin_from_json(json, "header"); });
}

}  // namespace warpscope::fuzzing
