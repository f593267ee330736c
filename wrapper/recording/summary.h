#pragma once
// What trace-kernel prints for people: on stderr, so that the capture may go to standard output.
#include <map>
#include <string>

#include "traces/program/kernel_info.h"
#include "wrapper/recording/recorder.h"

namespace warpscope {

/// Writes to stderr.
void say(const std::string& text);

/// Executions of load, store, atomic, barrier and fence sites by address space, as lines of text.
std::string access_table(const KernelInfo& kernel, const RecorderTotals& totals);

/// "global loads", "barriers", … → executions.
std::map<std::string, std::uint64_t> counts_by_kind(const KernelInfo& kernel, const RecorderTotals& totals);

/// As access_table() per site, with source lines: --count-only.
std::string site_table(const KernelInfo& kernel, const RecorderTotals& totals);

/// One line per site with accesses outside of every object; empty if there are none.
std::string out_of_bounds_report(const KernelInfo& kernel, const RecorderTotals& totals);

/// Accesses with an address: what rates and bytes per access refer to.
std::uint64_t access_count(const KernelInfo& kernel, const RecorderTotals& totals);

/// "mm.cl:9:15", or "?" for a site without source line.
std::string location_of(const SiteInfo& site);

}  // namespace warpscope
