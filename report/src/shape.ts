// From counts to what tables and charts show. No function here touches the document.
import {CLASSES, Counts, KINDS, Kind, Launch, Numbers, Page, Request, Reuse, Roofline, Site, Timeline} from './data.ts';

export function number(of: Numbers | undefined, name: string): number {
  return of?.[name] ?? 0;
}

/** A counter, summed over loads, stores and atomics. */
export function every(counts: Counts, name: string): number {
  return KINDS.reduce((sum, kind) => sum + number(counts[kind], name), 0);
}

export const hits = (of?: Numbers) => number(of, 'hits') + number(of, 'hits_pending');
export const missed = (of?: Numbers) => number(of, 'misses') + number(of, 'sector_misses');
export const lookedUp = (of?: Numbers) => number(of, 'transactions') - number(of, 'bypasses');

/** 100 part / whole; null where there is nothing to divide by. */
export function percentOf(part: number, whole: number): number | null {
  return whole ? (100 * part) / whole : null;
}

export function over(part: number, whole: number): number | null {
  return whole ? part / whole : null;
}

export const hitRate = (of?: Numbers) => percentOf(hits(of), lookedUp(of));

export const allMissed = (counts: Counts) => KINDS.reduce((sum, kind) => sum + missed(counts[kind]), 0);
export const allLookedUp = (counts: Counts) => KINDS.reduce((sum, kind) => sum + lookedUp(counts[kind]), 0);
export const allHits = (counts: Counts) => KINDS.reduce((sum, kind) => sum + hits(counts[kind]), 0);

/** A counter of what other hardware than the L1 serves, all kinds together. */
export function outside(counts: Counts, place: string, name: string): number {
  const kinds = counts.outside?.[place];
  return kinds ? KINDS.reduce((sum, kind) => sum + number(kinds[kind], name), 0) : 0;
}

function addNumbers(into: Numbers | undefined, from: Numbers | undefined): Numbers | undefined {
  if (!from) return into;
  const sum: Numbers = {...into};
  for (const [name, value] of Object.entries(from)) sum[name] = (sum[name] ?? 0) + value;
  return sum;
}

/** The sum of counts; rates follow from it. */
export function sum(parts: Counts[]): Counts {
  const total: Counts = {};
  for (const part of parts) {
    for (const kind of KINDS) total[kind] = addNumbers(total[kind], part[kind]);
    total.classes = addNumbers(total.classes, part.classes);
    total.classified = (total.classified ?? 0) + (part.classified ?? 0);
    for (const [place, kinds] of Object.entries(part.outside ?? {})) {
      total.outside ??= {};
      const mine = (total.outside[place] ??= {});
      for (const kind of KINDS) mine[kind] = addNumbers(mine[kind], kinds[kind]);
    }
    for (const name of ['write_backs', 'evictions', 'l1_to_l2_read_sectors'] as const) {
      if (part[name]) total[name] = (total[name] ?? 0) + part[name]!;
    }
  }
  return total;
}

/** A source access: the memory instructions that the compiler made of it, more than one where it unrolled a loop. */
export interface Access extends Counts {
  key: string;
  kernel: string;
  kind: Kind;
  space: string;
  width: number;
  line: number;
  column: number;
  source: number | null;
  copies: number;
  sites: Site[];
  names: string[];
}

/** Place of an instruction in its own file: [line, column], or null. */
export function placeOf(site: Site, page: Pick<Page, 'sources'>): [number, number] | null {
  const name = site.source === null ? null : page.sources[site.source]?.name;
  const place = site.places.find(([file]) => file === name) ?? site.places[0];
  return place ? [place[1], place[2]] : null;
}

/** Instructions by source access, in the order of the sources. */
export function accesses(page: Pick<Page, 'sources' | 'sites'>): Access[] {
  const found = new Map<string, Site[]>();
  for (const site of page.sites) {
    const place = placeOf(site, page);
    const key = place === null ? `${site.kernel}#${site.site}`
      : [site.source, ...place, site.kind, site.space, site.kernel].join(':');
    found.set(key, [...(found.get(key) ?? []), site]);
  }
  const rows = [...found.entries()].map(([key, sites]) => {
    const place = placeOf(sites[0], page) ?? [0, 0];
    const names = [...new Set(sites.flatMap((site) => site.buffers.map((buffer) => buffer[1])).filter(Boolean))];
    return {...sum(sites), key, sites, names, copies: sites.length, kernel: sites[0].kernel, kind: sites[0].kind,
            space: sites[0].space, width: Math.max(...sites.map((site) => site.width)), source: sites[0].source,
            line: place[0], column: place[1]};
  });
  return rows.sort((a, b) => (a.source ?? 1e9) - (b.source ?? 1e9) || a.line - b.line || a.column - b.column ||
                             (a.key < b.key ? -1 : 1));
}

export interface Line {
  source: number;
  line: number;
  accesses: Access[];
  counts: Counts;
}

/** Source lines that access memory. */
export function lines(all: Access[]): Line[] {
  const found = new Map<string, Access[]>();
  for (const access of all) {
    if (access.source === null || !access.line) continue;
    const key = `${access.source}:${access.line}`;
    found.set(key, [...(found.get(key) ?? []), access]);
  }
  return [...found.values()].map((of) => ({source: of[0].source!, line: of[0].line, accesses: of, counts: sum(of)}));
}

/** What lanes asked for in bytes over what the transactions moved, in percent; above 100 where lanes share bytes. */
export function efficiency(all: Access[]): number | null {
  let asked = 0, moved = 0;
  for (const access of all) {
    for (const site of access.sites) {
      for (const kind of KINDS) {
        asked += number(site[kind], 'lanes') * site.width;
        moved += number(site[kind], 'bytes');
      }
    }
  }
  return percentOf(asked, moved);
}

/** What an access costs where no cycles are known: wavefronts of the L1 and of local memory; without them transactions. */
export function cost(counts: Counts): number {
  const wavefronts = every(counts, 'wavefronts') + outside(counts, 'local', 'wavefronts');
  return wavefronts || every(counts, 'transactions') + outside(counts, 'local', 'requests');
}

export interface KernelRow extends Counts {
  kernel: string;
  launches: number;
  groups: Launch[];
  covered: boolean;  // whether the groups are all its launches: only then their counters are the kernel's
  transactions: number;
  lookedUp: number;
  misses: number;
  spread: [number, number] | null;  // least and largest miss rate of a launch
  cycles: number | null;
}

/** Kernels, with those of their launches that the page has. */
export function kernels(page: Pick<Page, 'kernels' | 'launches'>): KernelRow[] {
  const groups = new Map<string, Launch[]>();
  for (const row of page.launches.rows) groups.set(row.kernel, [...(groups.get(row.kernel) ?? []), row]);
  return page.kernels.map(([kernel, launches, transactions, lookedUp, misses, spread, cycles]) => {
    const own = groups.get(kernel) ?? [];
    const covered = own.reduce((all, one) => all + one.count, 0) === launches;
    return {...(covered ? sum(own) : {}), kernel, launches, groups: own, covered, transactions, lookedUp, misses, spread, cycles};
  });
}

/** Shares of the miss classes in percent, in the order of CLASSES. */
export function classShares(counts: Counts): {name: string; count: number; percent: number}[] {
  const whole = CLASSES.reduce((all, name) => all + number(counts.classes, name), 0);
  return CLASSES.map((name) => ({name, count: number(counts.classes, name), percent: percentOf(number(counts.classes, name), whole) ?? 0}))
    .filter((one) => one.count > 0);
}

/** Bins below 16 merged into powers of two where no edge at the capacity forbids it; as python/warpscope/show/plots/reuse.py. */
export function coarse(reuse: Reuse): Reuse['bins'] {
  const merged: Reuse['bins'] = [];
  let last = -1;
  for (const [from, to, load, store] of reuse.bins) {
    const power = from ? 32 - Math.clz32(from) : 0;
    if (merged.length && from < 16 && power === last && from !== reuse.capacity) {
      const into = merged[merged.length - 1];
      into[1] = to;
      into[2] += load;
      into[3] += store;
    } else {
      merged.push([from, to, load, store]);
    }
    last = power;
  }
  return merged;
}

/** Misses of a fully associative LRU cache in percent of the transactions: [lines of the cache, percent] at the bins' edges. */
export function missCurve(reuse: Reuse): [number, number][] {
  const total = reuse.bins.reduce((all, bin) => all + bin[2] + bin[3], 0) + reuse.cold[0] + reuse.cold[1];
  if (!total) return [];
  let further = total;
  return reuse.bins.map(([, to, load, store]) => {
    further -= load + store;
    return [to + 1, (100 * further) / total] as [number, number];
  });
}

/** What a request touches: sectors of the L1, or words of 32 banks. */
export interface Drawing {
  lanes: {lane: number; address: number; cells: number[]}[];
  sectors: number[];  // distinct, ascending; addresses / sector
  lines: number;
  degree: number;     // of local memory: words in the fullest bank
}

export function drawing(request: Request, width: number, sectorBytes: number, lineBytes: number): Drawing {
  const unit = request.space === 'local' ? 4 : sectorBytes;
  const lanes = request.addresses.map((address, lane) => {
    const first = Math.floor(address / unit), last = Math.floor((address + Math.max(width, 1) - 1) / unit);
    return {lane, address, cells: Array.from({length: last - first + 1}, (_, step) => first + step)};
  });
  const sectors = [...new Set(lanes.flatMap((lane) => lane.cells))].sort((a, b) => a - b);
  const perLine = lineBytes / unit;
  const banks = new Map<number, number>();
  for (const word of sectors) banks.set(word % 32, (banks.get(word % 32) ?? 0) + 1);
  return {lanes, sectors, lines: new Set(sectors.map((sector) => Math.floor(sector / perLine))).size,
          degree: request.space === 'local' ? Math.max(0, ...banks.values()) : 0};
}

export interface RoofPoint {
  kernel: string;
  level: Level;
  bytes: number;
  intensity: number;  // counted operations per byte at this level
  rate: number;       // per second
  labelled: boolean;  // the rightmost mark of its kernel
}

export interface Roof {
  peak: number;
  slopes: {level: Level; bandwidth: number}[];
  points: RoofPoint[];
  x: [number, number];
  y: [number, number];
}

export const LEVELS = ['L1', 'L2', 'DRAM'] as const;
type Level = (typeof LEVELS)[number];

/** Ceilings and marks of a roofline that counts operations of a kind or instructions; null without a peak or a mark. Axes are whole decades. */
export function roofOf(data: Roofline, counted: 'flops' | 'fp64' | 'integers' | 'instructions'): Roof | null {
  const peak = data.ceilings[counted];
  const slopes = LEVELS.filter((level) => data.ceilings[level]).map((level) => ({level, bandwidth: data.ceilings[level]!}));
  const points: RoofPoint[] = data.kernels.flatMap((one) => {
    const done = one[counted];
    const own = !done || !one.seconds ? [] : slopes.filter(({level}) => one.bytes[level]).map(({level}) =>
      ({kernel: one.kernel, level, bytes: one.bytes[level]!, intensity: done / one.bytes[level]!, rate: done / one.seconds, labelled: false}));
    const right = own.reduce((most, point) => Math.max(most, point.intensity), 0);
    return own.map((point) => ({...point, labelled: point.intensity === right}));
  });
  if (!peak || !points.length || !slopes.length) return null;
  const ridges = slopes.map(({bandwidth}) => peak / bandwidth), intensities = points.map((point) => point.intensity);
  const decades = (least: number, most: number): [number, number] => [10 ** Math.floor(Math.log10(least)), 10 ** Math.ceil(Math.log10(most))];
  const x = decades(Math.min(...ridges, ...intensities) / 3, Math.max(...ridges, ...intensities) * 3);
  return {peak, slopes, points, x, y: [decades(Math.min(...points.map((point) => point.rate)) / 2, peak)[0], peak * 4]};
}

export interface WarpRow {
  warp: number;
  groups: number[];
  present: number;   // cycles
  states: number[];  // cycles, by number of the state
  issued: number;
  memory: number;
}

/** What the warps of a timeline did, by warp. */
export function warpRows(data: Timeline): WarpRow[] {
  const rows = new Map<number, WarpRow>();
  const of = (warp: number) => {
    if (!rows.has(warp)) rows.set(warp, {warp, groups: [], present: 0, states: data.states.map(() => 0), issued: 0, memory: 0});
    return rows.get(warp)!;
  };
  for (const [warp, group, from, to, state] of data.stretches) {
    const row = of(warp);
    if (!row.groups.includes(group)) row.groups.push(group);
    row.present += to - from;
    row.states[state] += to - from;
  }
  for (const [, warp, memory] of data.issues) {
    ++of(warp).issued;
    of(warp).memory += memory;
  }
  return [...rows.values()].sort((a, b) => a.warp - b.warp);
}

/** The order of values in a table: numbers before what is missing, text by code point. */
export function compare(a: number | string | null, b: number | string | null): number {
  if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1;
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  const [left, right] = [String(a), String(b)];
  return left < right ? -1 : left > right ? 1 : 0;
}

export function sorted<Row>(rows: Row[], value: (row: Row) => number | string | null, descending: boolean): Row[] {
  const keyed = rows.map((row, index) => ({row, index, key: value(row)}));
  keyed.sort((a, b) => {
    if (a.key === null || b.key === null) return compare(a.key, b.key) || a.index - b.index;
    return (descending ? -1 : 1) * compare(a.key, b.key) || a.index - b.index;
  });
  return keyed.map((one) => one.row);
}

/** 0, 1 or 2 steps of heat and so on up to `steps`: how much of the largest cost a line has. */
export function heat(value: number, largest: number, steps = 6): number {
  return value <= 0 || largest <= 0 ? 0 : Math.max(1, Math.ceil((steps * value) / largest));
}
