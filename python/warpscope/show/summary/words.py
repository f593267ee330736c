"""Where a finding is and what it is about, in words."""
from warpscope.result import kernels, results

MOST_ALSO = 3  # accesses that a finding names besides the first


def title(finding, several):
    """Where, which buffer and the cause; the kernel, if the result has `several`."""
    kernel = f"{kernels.short(finding.kernel)}: " if several and finding.kernel else ""
    return f"{access_text(finding.access, several) if finding.access else kernel}{finding.what}"


def access_text(access, several):
    """Where an access is, its kernel if there are `several`, and what it does."""
    kernel = f"{kernels.short(access.kernels[0])}: " if several and access.kernels[0] else ""
    if not access.line:
        return f"{kernel}instruction {access.site} {access.name()}: " if several else f"{access.where()} {access.name()}: "
    return f"{access.where()} {kernel}{access.name()}: "


def also_text(finding):
    """The other accesses that the remedy of a finding is for: "also :7 load b, :8 store c"; empty if it is for one."""
    if not finding.also:
        return ""
    first = finding.access

    def place(one):
        where = one.where() if one.file != first.file else one.where().removeprefix(one.file)
        return where if (one.kind, one.buffers) == (first.kind, first.buffers) else f"{where} {one.name()}"

    shown = list(dict.fromkeys(map(place, finding.also)))
    more = f" and {len(shown) - MOST_ALSO:,} more" if len(shown) > MOST_ALSO else ""
    return f"; also {', '.join(shown[:MOST_ALSO])}{more}"


def has_several_kernels(result):
    return len({kernel["kernel"] for kernel in result.get("kernels") or results.launch_groups(result)}) > 1
