// Written by python/warpscope/show/page/typescript.py from the types in that folder.

export type Page = {
  version: number;
  title: string;
  subtitle: string;
  context: Context;
  preset: [string, unknown, string, string][];
  notes: string[];
  total: Counts;
  profiler: Profiler | null;
  spread: Record<string, Spread> | null;
  kernels: ([string, number, number, number, number, [number, number] | null, number | null])[];
  launches: Launches;
  sites: Site[];
  sites_left_out: number;
  sources: Source[];
  buffers: Buffer[];
  buffers_left_out: number;
  sets: Sets | null;
  reuse: Reuse | null;
  memory: Memory[];
  timed: Timed | null;
  residency: [number, number, string][];
  clocks: Clocks | null;
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
  machine_code: MachineCode[];
};

export type Context = Record<string, unknown> & {
  cache: Record<string, number | string>;
  cores: number;
  warp_size: number;
};

export type Counts = {
  load?: Record<string, number>;
  store?: Record<string, number>;
  atomic?: Record<string, number>;
  classes?: Record<string, number>;
  classified?: number;
  write_backs?: number;
  evictions?: number;
  l1_to_l2_read_sectors?: number;
  outside?: Record<string, Partial<Record<'load' | 'store' | 'atomic', Record<string, number>>>>;
  local_memory?: LocalMemory;
};

export type LocalMemory = {
  requests?: number;
  passes?: number;
  wavefronts: number;
  conflicts: number;
  beta: number;
  max_degree: number;
  degrees?: Record<string, number>;
};

export type Profiler = {
  ncu?: Record<string, number>;
  nvprof?: Record<string, number>;
};

export type Spread = {
  min: number;
  median: number;
  max: number;
  values?: number[];
};

export type Launches = {
  count: number;
  groups: number;
  left_out: number;
  rows: Launch[];
};

export type Launch = {
  load?: Record<string, number>;
  store?: Record<string, number>;
  atomic?: Record<string, number>;
  classes?: Record<string, number>;
  classified?: number;
  write_backs?: number;
  evictions?: number;
  l1_to_l2_read_sectors?: number;
  outside?: Record<string, Partial<Record<'load' | 'store' | 'atomic', Record<string, number>>>>;
  local_memory?: LocalMemory;
  global: number[];
  kernel: string;
  local: number[];
  count: number;
  first: number;
  launches: string;
  l1_kib: number | null;
  carveout_kib: number | null;
  cycles: number | null;
};

export type Site = {
  load?: Record<string, number>;
  store?: Record<string, number>;
  atomic?: Record<string, number>;
  classes?: Record<string, number>;
  classified?: number;
  write_backs?: number;
  evictions?: number;
  l1_to_l2_read_sectors?: number;
  outside?: Record<string, Partial<Record<'load' | 'store' | 'atomic', Record<string, number>>>>;
  local_memory?: LocalMemory;
  kernel: string;
  site: number;
  function: string;
  kind: 'load' | 'store' | 'atomic';
  space: string;
  width: number;
  source: number | null;
  places: [string, number, number][];
  bypasses: boolean;
  reaches_l1: boolean;
  buffers: [number, string, number, number][];
  reuse?: Reuse;
};

export type Reuse = {
  capacity: number;
  cold: [number, number];
  bins: [number, number, number, number][];
};

export type Source = {
  name: string;
  lines: number;
  whole: boolean;
  pieces: [number, string][];
};

export type Buffer = {
  load?: Record<string, number>;
  store?: Record<string, number>;
  atomic?: Record<string, number>;
  classes?: Record<string, number>;
  classified?: number;
  write_backs?: number;
  evictions?: number;
  l1_to_l2_read_sectors?: number;
  outside?: Record<string, Partial<Record<'load' | 'store' | 'atomic', Record<string, number>>>>;
  local_memory?: LocalMemory;
  buffer: number;
  name: string;
  space: string;
  size: number;
  address: number;
};

export type Sets = {
  transactions: number[];
  misses: number[];
};

export type Memory = {
  name: string;
  timed: boolean;
  numbers: Record<string, number>;
};

export type Timed = {
  total: TimedTotal;
  cycles: number | null;
  cores: [number, number, number, number][];
  launches: TimedLaunch[];
  stalls: Stalls[];
  config: Record<string, string | number | boolean | null>;
  assumed: Assumed[];
};

export type TimedTotal = Record<string, number> & {
  scheduler_cycles: Record<string, number>;
  warp_stalls?: Record<string, number>;
  memory: Record<string, number | null>;
};

export type TimedLaunch = {
  launch: number;
  kernel: string;
  cycles: number;
  occupancy: [number, number, number][];
};

export type Stalls = {
  name: string;
  count: number;
  cycles: number;
  of: 'warps' | 'schedulers';
  per_issued: number | null;
  reasons: Record<string, number>;
};

export type Assumed = {
  key: string;
  value: unknown;
  reason: string;
};

export type Clocks = Record<string, unknown> & {
  timed_launches?: number;
  launches?: number;
  why?: string | null;
};

export type Finding = {
  title: string;
  line?: number | null;
  source?: string | null;
  buffer?: string | null;
  cause?: string | null;
  cost?: string | null;
  gain?: string | null;
  grade?: string | null;
  advice?: string | null;
};

export type Generation = {
  preset: string;
  generation: string;
  coalescing: string;
  l1_kib: number;
  load: Record<string, number>;
  store: Record<string, number>;
  local_memory?: LocalMemory | null;
  cycles?: number | null;
  microseconds?: number | null;
};

export type Sample = {
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
};

export type Points = {
  count: number;
  order: string;
  word: string;
  item: string;
  site: string;
};

export type Request = {
  kernel: string;
  site: number;
  space: 'global' | 'local';
  addresses: number[];
  of: number;
};

export type BufferPicture = {
  buffer: number;
  name: string;
  size: number;
  part_bytes: number;
  loads: number[];
  stores: number[];
  touched: number;
  by: Record<string, number>;
  patterns: ([number, 'load' | 'store' | 'atomic', string])[];
};

export type Roofline = {
  ceilings: Partial<Record<'flops' | 'fp64' | 'integers' | 'instructions' | 'L1' | 'L2' | 'DRAM', number>>;
  assumed: string[];
  kernels: Kernel[];
};

export type Kernel = {
  kernel: string;
  seconds: number;
  instructions: number;
  flops: number | null;
  fp64: number | null;
  integers: number | null;
  bytes: Partial<Record<'L1' | 'L2' | 'DRAM', number>>;
};

export type Timeline = {
  launch: number;
  core: number;
  cycles: number;
  states: string[];
  stretches: [number, number, number, number, number][];
  issues: [number, number, number][];
  look_ups: [number, number, number][];
};

export type Caches = {
  sizes: number[];
  ways: number[];
  misses: ((number | null)[])[];
};

export type WhatIf = {
  gpu: string;
  changes: string[];
  machine: string[];
  done: string[];
  advice?: string;
  fixed: Compared;
  timed: Compared | null;
};

export type Compared = {
  before: Record<string, number | null>;
  after: Record<string, number | null>;
  ratio: Record<string, number | null>;
};

export type MachineCode = {
  kernel: string;
  compiler: string;
  architecture: number;
  registers: number;
  counters: [string, string, string][];
  stalls: string[];
  instructions: ([number, string, number, string, string, string, string, number, (number | null)[], [number, number][]])[];
  left_out: number;
  facts: string[];
};
