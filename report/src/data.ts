// The page's data, as python/warpscope/show/page/data.py writes it. Counters that are zero are left out.

export type Kind = 'load' | 'store' | 'atomic';
export const KINDS: Kind[] = ['load', 'store', 'atomic'];
export const CLASSES = ['cold', 'capacity', 'conflict', 'invalidated'] as const;

export type Numbers = Record<string, number>;

export interface Counts {
  load?: Numbers;
  store?: Numbers;
  atomic?: Numbers;
  classes?: Numbers;
  classified?: number;
  write_backs?: number;
  evictions?: number;
  l1_to_l2_read_sectors?: number;
  outside?: Record<string, Partial<Record<Kind, Numbers>>>;
  local_memory?: {requests: number; passes: number; wavefronts: number; conflicts: number; beta: number; max_degree: number};
}

export interface Launch extends Counts {
  kernel: string;
  global: number[];
  local: number[];
  count: number;
  first: number;
  launches: string;
  l1_kib: number | null;
  carveout_kib: number | null;
  cycles: number | null;
}

export interface Reuse {
  capacity: number;
  cold: [number, number];
  bins: [number, number, number, number][];
}

export interface Site extends Counts {
  kernel: string;
  site: number;
  function: string;
  kind: Kind;
  space: string;
  width: number;
  source: number | null;
  places: [string, number, number][];
  bypasses: boolean;
  reaches_l1: boolean;
  buffers: [number, string, number, number][];
  reuse?: Reuse;
}

export interface Source {
  name: string;
  lines: number;
  whole: boolean;
  pieces: [number, string][];
}

export interface Buffer extends Counts {
  buffer: number;
  name: string;
  space: string;
  size: number;
  address: number;
}

export interface Finding {
  title: string;
  line?: number | null;
  source?: string | null;
  buffer?: string | null;
  cause?: string | null;
  cost?: string | null;
  gain?: string | null;
  grade?: string | null;
  advice?: string | null;
}

export interface Points {
  count: number;
  order: string;
  word: string;
  item: string;
  site: string;
}

export interface Request {
  kernel: string;
  site: number;
  space: 'global' | 'local';
  addresses: number[];
  of: number;
}

/** What a sample says about one buffer: show/page/buffer_pictures.py. */
export interface BufferPicture {
  buffer: number;
  name: string;
  size: number;
  part_bytes: number;
  loads: number[];
  stores: number[];
  touched: number;
  by: Record<string, number>;
  patterns: [number, Kind, string][];
}

export interface Roofline {
  ceilings: Partial<Record<string, number>>;
  assumed: string[];
  kernels: {kernel: string; seconds: number; instructions: number; flops: number | null; bytes: Partial<Record<string, number>>}[];
}

/** page/timeline.py: stretches are [warp, work-group, from, to, state], issues [cycle, warp, of memory], look_ups [cycle, hits, others]. */
export interface Timeline {
  launch: number;
  core: number;
  cycles: number;
  states: string[];
  stretches: [number, number, number, number, number][];
  issues: [number, number, number][];
  look_ups: [number, number, number][];
}

export interface Caches {
  sizes: number[];
  ways: number[];
  misses: (number | null)[][];
}

type Measures = Record<string, number | null>;

/** docs/tools/what-if.md, "The JSON of warpscope what-if". */
export interface WhatIf {
  gpu: string;
  changes: string[];
  machine: string[];
  done: string[];
  advice?: string;  // what it was tried for
  fixed: {before: Measures; after: Measures; ratio: Measures};
  timed: {before: Measures; after: Measures; ratio: Measures} | null;
}

export interface Sample {
  kernel: string;
  launch: number;
  note: string;
  every: number;
  read: number;
  lowest: number;
  spread: Points;
  beginning: Points | null;
  requests: Request[];
  buffers: BufferPicture[];
  near?: string;
}

export interface Generation {
  preset: string;
  generation: string;
  coalescing: string;
  l1_kib: number;
  load: Numbers;
  store: Numbers;
  local_memory?: {wavefronts: number; conflicts: number; beta: number; max_degree: number} | null;
  cycles?: number | null;
  microseconds?: number | null;
}

export interface Timed {
  total: Numbers & {scheduler_cycles: Numbers; memory: Record<string, number | null>};
  cores: [number, number, number, number][];
  launches: {launch: number; kernel: string; cycles: number; occupancy: [number, number, number][]}[];
  config: Record<string, string | number | boolean | null>;
  assumed: {key: string; value: unknown; reason: string}[];
}

export interface Page {
  version: number;
  title: string;
  subtitle: string;
  context: Record<string, unknown> & {cache: Record<string, number | string>; cores: number; warp_size: number};
  preset: [string, unknown, string, string][];
  notes: string[];
  total: Counts;
  profiler: {ncu?: Numbers; nvprof?: Numbers} | null;
  spread: Record<string, {min: number; median: number; max: number}> | null;
  kernels: [string, number, number, number, number, [number, number] | null, number | null][];
  launches: {count: number; groups: number; left_out: number; rows: Launch[]};
  sites: Site[];
  sites_left_out: number;
  sources: Source[];
  buffers: Buffer[];
  buffers_left_out: number;
  sets: {transactions: number[]; misses: number[]} | null;
  reuse: Reuse | null;
  timed: Timed | null;
  residency: [number, number, string][];
  clocks: {timed_launches?: number; launches?: number; why?: string | null} | null;
  bound: string[];
  classes: Record<string, string>;
  definitions: Record<string, [string, string, string, string]>;
  findings: Finding[];
  generations: Generation[];
  presets: [string, string, number, number][];
  samples: Sample[];
  roofline: Roofline | null;
  timeline: Timeline | null;
  caches: Caches | null;
  what_ifs: WhatIf[];
}

/** Numbers that Python packed: little-endian, in base64. */
export function unpack(text: string, bytes: 2 | 4): Uint16Array | Uint32Array {
  const raw = atob(text);
  const view = new DataView(new ArrayBuffer(raw.length));
  for (let at = 0; at < raw.length; ++at) view.setUint8(at, raw.charCodeAt(at));
  const count = raw.length / bytes;
  const numbers = bytes === 2 ? new Uint16Array(count) : new Uint32Array(count);
  for (let at = 0; at < count; ++at) numbers[at] = bytes === 2 ? view.getUint16(2 * at, true) : view.getUint32(4 * at, true);
  return numbers;
}
