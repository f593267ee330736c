// The control-flow graph of CrawfordFlow: what it is made of, in the order of its blocks. A branch with the outcome 1 takes an element,
// passes a body again, or goes to the next iteration.
#include <algorithm>

#include "traces/crawford/crawford_flow.h"
#include "traces/crawford/crawford_import.h"

namespace warpscope {
namespace {

using What = CrawfordElement::What;

class KernelBuilder {
 public:
  KernelBuilder(std::vector<CrawfordNode>& nodes, std::string file,
                std::optional<std::uint32_t> element_bytes)
      : nodes_(nodes), file_(std::move(file)), element_bytes_(element_bytes) {}

  KernelInfo run() {
    kernel_.name = "trace";
    kernel_.arguments = {{"memory", "__global void*", AddressSpace::Global, true}};
    // Each work-item's barriers are where its own counters say.
    kernel_.independent_threads = true;
    go_on(add_block());
    add_body(nodes_[0]);
    add_block();
    return std::move(kernel_);
  }

 private:
  BlockId add_block() {
    BlockInfo block;
    block.loop = loop_;
    kernel_.blocks.push_back(std::move(block));
    return BlockId(static_cast<std::uint32_t>(kernel_.blocks.size() - 1));
  }
  [[nodiscard]] BlockId next_block() const {
    return BlockId(static_cast<std::uint32_t>(kernel_.blocks.size()));
  }
  BlockInfo& at(BlockId block) { return kernel_.blocks[block.value()]; }

  /// The block leads to the next one only.
  void go_on(BlockId block) {
    at(block).successors = {next_block()};
    at(block).immediate_post_dominator = next_block();
  }

  void branch(BlockId block, BlockId otherwise, BlockId taken, BlockId meet) {
    at(block).successors = {otherwise, taken};
    at(block).immediate_post_dominator = meet;
    at(block).instructions = 1;
    at(block).mix = {{"branch", 1}};
  }

  void add_body(CrawfordNode& node) {
    if (node.goes_again)
      add_loop([&] { add_elements(node); });
    else
      add_elements(node);
  }

  template <class AddBody>
  void add_loop(const AddBody& add_the_body) {
    const std::optional<std::uint32_t> outer = loop_;
    loop_ = static_cast<std::uint32_t>(kernel_.loops.size());
    kernel_.loops.push_back({next_block(), outer, 0, {}});
    const BlockId header = add_block();
    go_on(header);
    add_the_body();
    const BlockId latch = add_block();
    branch(latch, next_block(), header, next_block());
    loop_ = outer;
  }

  void add_elements(CrawfordNode& node) {
    for (const std::uint32_t element : node.order) {
      if (!node.elements[element].is_guarded) {
        add_element(node.elements[element]);
        continue;
      }
      const BlockId guard = add_block();
      add_element(node.elements[element]);
      branch(guard, next_block(), BlockId(guard.value() + 1), next_block());
    }
  }

  void add_element(CrawfordElement& element) {
    if (element.what == What::Loop) return add_loop([&] { add_body(nodes_[element.node]); });
    const BlockId block = add_block();
    go_on(block);
    element.site = SiteId(static_cast<std::uint32_t>(kernel_.sites.size()));
    at(block).sites = {element.site};
    at(block).instructions = 1;
    kernel_.sites.push_back(site_of(element, block));
  }

  SiteInfo site_of(const CrawfordElement& element, BlockId block) {
    SiteInfo site;
    site.kind = element.kind;
    site.point = {block, 0};
    site.locations = {{file_, static_cast<std::uint32_t>(element.line), 1}};
    if (element.what == What::Barrier) {
      site.function = "barrier";
      site.operation = element.scope;
      site.space = element.scope == "local" ? AddressSpace::Local : AddressSpace::Global;
      return site;
    }
    site.function = "M" + std::to_string(element.number);
    site.object = {StaticObject::Kind::Argument, 0};
    const std::uint64_t aligned =
        element.address_bits == 0 ? 16 : element.address_bits & (0 - element.address_bits);
    site.width = element_bytes_.value_or(
        static_cast<std::uint32_t>(std::min<std::uint64_t>(aligned, kCrawfordElementBytes)));
    site.alignment = static_cast<std::uint32_t>(std::min<std::uint64_t>(aligned, site.width));
    return site;
  }

  std::vector<CrawfordNode>& nodes_;
  std::string file_;
  std::optional<std::uint32_t> element_bytes_;
  KernelInfo kernel_;
  std::optional<std::uint32_t> loop_;
};

}  // namespace

KernelInfo CrawfordFlow::kernel(const std::string& file, std::optional<std::uint32_t> element_bytes) {
  return KernelBuilder(nodes_, file, element_bytes).run();
}

}  // namespace warpscope
