#pragma once
// Transaction stream files (traces/FORMAT.md, "Transaction stream").
#include <memory>
#include <string>

#include "cachesim/transactions/transaction_sink.h"
#include "traces/program/core_share.h"

namespace warpscope {

/// Writes PATH.part and renames it in end(); "-" = standard output. Throws InputError on I/O failure.
std::unique_ptr<TransactionSink> make_transaction_writer(const std::string& path);

/// Feeds a transaction stream to `sink`; "-" = standard input. Throws InputError with "PATH: byte N:" on
/// anything malformed. With `partial`, a stream cut short is fed up to its last complete section and the
/// result is true. Of the blocks, only those of the cores in `share` are read; a share of less than all needs
/// a regular file.
bool read_transactions(const std::string& path, TransactionSink& sink, bool partial = false,
                       CoreShare share = {});

}  // namespace warpscope
