// The memory chart as boxes and arrows, from the numbers of a launch (python/warpscope/show/page/memory.py). Nothing here touches the document.
import type {Numbers} from './data.ts';
import {bytes, count, percent, plural} from './format.ts';
import {percentOf} from './shape.ts';

/** An arrow. `back`: towards the warps. `requests` and `moved` are null where they are not counted; `moved` is in bytes. */
export interface Flow {
  from: string;
  to: string;
  what: string;
  back: boolean;
  requests: number | null;
  moved: number | null;
}

export interface Link {
  area: string;
  title: string;
  flows: Flow[];
}

/** A memory or cache; `rates`: [of what, looked up, hits]. */
export interface Place {
  area: string;
  name: string;
  also: string;
  rates: [string, number, number][];
  lines: string[];
}

export interface Chart {
  places: Place[];
  links: Link[];
}

const known = (numbers: Numbers, name: string): number | null => numbers[name] ?? null;

/** What is left of a counter without private memory's part; null where that is not known. */
function rest(numbers: Numbers, kind: string, what: string): number | null {
  const all = known(numbers, `${kind}_${what}`);
  return all === null ? null : all - (known(numbers, `private_${kind}_${what}`) ?? 0);
}

function flow(from: string, to: string, what: string, requests: number | null, moved: number | null): Flow {
  return {from, to, what, back: to === 'warps' || from === 'L2' && to === 'L1' || from === 'DRAM', requests, moved};
}

function toL1(numbers: Numbers): Link[] {
  const split = 'private_load_requests' in numbers || 'private_store_requests' in numbers;
  const links = [{area: 'global', title: split ? 'global memory' : 'global and private memory', flows: [
    flow('L1', 'warps', 'loads', rest(numbers, 'load', 'requests'), rest(numbers, 'load', 'bytes')),
    flow('warps', 'L1', 'stores', rest(numbers, 'store', 'requests'), rest(numbers, 'store', 'bytes'))]}];
  if (numbers.atomic_requests) links[0].flows.push(flow('warps', 'L1', 'atomics', numbers.atomic_requests, numbers.atomic_bytes));
  if (split) links.push({area: 'private', title: 'private memory (ncu: local)', flows: [
    flow('L1', 'warps', 'loads', numbers.private_load_requests ?? 0, numbers.private_load_bytes ?? 0),
    flow('warps', 'L1', 'stores', numbers.private_store_requests ?? 0, numbers.private_store_bytes ?? 0)]});
  return links;
}

/** Local or constant memory: only its requests are counted. */
function own(numbers: Numbers, area: string, name: string, title: string): Link {
  const flows = [flow(name, 'warps', 'loads', numbers[`${area}_load_requests`] ?? 0, null)];
  for (const [kind, what] of [['store', 'stores'], ['atomic', 'atomics']]) {
    const requests = numbers[`${area}_${kind}_requests`] ?? 0;
    if (requests || (area === 'shared' && kind === 'store')) flows.push(flow('warps', name, what, requests, null));
  }
  return {area: `${area}-link`, title, flows};
}

function banks(numbers: Numbers, area: string): string[] {
  return ['wavefronts', 'conflicts'].filter((what) => `${area}_${what}` in numbers).map((what) => `${count(numbers[`${area}_${what}`])} ${what}`);
}

function caches(numbers: Numbers, peak: number | null): Place[] {
  const rates = (level: string, kinds: [string, string][]) => kinds
    .map(([key, of]) => [of, numbers[`${level}_${key}looked_up`] ?? 0, numbers[`${level}_${key}hits`] ?? 0] as [string, number, number])
    .filter(([, lookedUp]) => lookedUp > 0);
  const both: [string, string][] = [['load_', 'loads'], ['store_', 'stores']];
  const rate = known(numbers, 'dram_gb_per_s'), timed = 'l2_load_hits' in numbers;
  return [
    {area: 'l1', name: 'L1', also: '', rates: rates('l1', [...both, ['atomic_', 'atomics']]), lines: []},
    {area: 'l2', name: 'L2', also: '', rates: [...rates('shared_l1', [['', 'loads, in the cache before it']]), ...rates('l2', both)],
     lines: !timed ? ['not simulated in fixed order'] : numbers.l2_atomics ? [`atomics: ${plural(numbers.l2_atomics, 'sector')}`] : []},
    ...(timed ? [{area: 'dram', name: 'DRAM', also: '', rates: [], lines: rate === null ? [] :
      [`${rate.toFixed(rate < 10 ? 1 : 0)} GB/s`, ...(peak ? [`${percent(percentOf(rate, peak))} of ${count(peak)} GB/s`] : [])]}] : [])];
}

/** `peak`: the DRAM's bandwidth in GB/s. */
export function memoryChart(numbers: Numbers, peak: number | null): Chart {
  const constants = own(numbers, 'constant', 'constant cache', 'constant memory');
  const hasConstants = constants.flows.some((one) => one.requests), timed = 'l2_load_hits' in numbers;
  const places: Place[] = [{area: 'warps', name: 'Warps', also: '', rates: [], lines:
    'warp_instructions' in numbers ? [plural(numbers.warp_instructions, 'warp instruction')] : []}, ...caches(numbers, peak),
    {area: 'shared', name: 'Local memory', also: 'ncu: shared', rates: [], lines: banks(numbers, 'shared')}];
  const links = [...toL1(numbers), {area: 'l1-l2', title: '', flows: [
    flow('L2', 'L1', 'read', null, known(numbers, 'l2_to_l1_bytes')), flow('L1', 'L2', 'written', null, known(numbers, 'l1_to_l2_bytes'))]},
    ...(timed ? [{area: 'l2-dram', title: '', flows: [flow('DRAM', 'L2', 'read', null, numbers.dram_read_bytes),
                                                      flow('L2', 'DRAM', 'written', null, numbers.dram_write_bytes)]}] : []),
    own(numbers, 'shared', 'local memory', 'local memory')];
  if (hasConstants) {
    places.push({area: 'constant', name: 'Constant cache', also: '', rates: [], lines: banks(numbers, 'constant').slice(0, 1)});
    links.push(constants);
  }
  return {places, links: links.map((one) => ({...one, flows: one.flows.filter((each) => each.requests !== null || each.moved !== null)}))};
}

/** "128 loads, 16 KiB"; "16 KiB read". */
export function flowText(one: Flow): string {
  if (one.requests === null) return `${bytes(one.moved!)} ${one.what}`;
  return `${count(one.requests)} ${one.requests === 1 ? one.what.slice(0, -1) : one.what}${one.moved === null ? '' : `, ${bytes(one.moved)}`}`;
}
