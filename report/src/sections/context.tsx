// Generations side by side, the spread, and everything that the numbers rest on.
import {useContext} from 'preact/hooks';
import type {Generation} from '../data.ts';
import {bytes, count, percent, ratio} from '../format.ts';
import {hitRate, number, over} from '../shape.ts';
import {PageState} from '../state.ts';
import {MeaningText, RATES, meaningOf} from '../ui/definition.tsx';
import {Section} from '../ui/section.tsx';
import {Table} from '../ui/table.tsx';

export function Generations() {
  const {generations} = useContext(PageState).page;
  if (!generations.length) return null;
  return <Section id="generations" title="Generations side by side" lead={`The same launches on ${count(generations.length)} GPUs, in the fixed order${generations.some((row) => row.cycles) ? "; cycles and time are the timed engine's estimates" : ""}.`}>
    <Table label="Generations" rows={generations} keyOf={(row) => row.preset} first={20} columns={[
      {title: 'GPU', text: true, value: (row) => row.preset},
      {title: 'Generation', text: true, value: (row) => row.generation},
      ...(generations.some((row) => row.cycles) ? [
        {title: 'Cycles', definition: 'cycles', value: (row: Generation) => row.cycles ?? null, show: (row: Generation) => count(row.cycles)},
        {title: 'µs', value: (row: Generation) => row.microseconds ?? null, show: (row: Generation) => ratio(row.microseconds)}] : []),
      {title: 'Hit rate', definition: 'hit rate', value: (row) => hitRate(row.load), show: (row) => percent(hitRate(row.load))},
      {title: 'L1 KiB', definition: 'size of the L1', value: (row) => row.l1_kib},
      {title: 'Load transactions', definition: 'transactions', value: (row) => number(row.load, 'transactions'), show: (row) => count(number(row.load, 'transactions'))},
      {title: 'per request', definition: 'transactions per request', value: (row) => over(number(row.load, 'transactions'), number(row.load, 'requests')),
       show: (row) => ratio(over(number(row.load, 'transactions'), number(row.load, 'requests')))},
      {title: 'Moved', definition: 'bytes', value: (row) => number(row.load, 'bytes'), show: (row) => bytes(number(row.load, 'bytes'))},
      {title: 'Stores per request', definition: 'transactions per request', value: (row) => over(number(row.store, 'transactions'), number(row.store, 'requests')),
       show: (row) => ratio(over(number(row.store, 'transactions'), number(row.store, 'requests')))},
      {title: 'Conflict degree', definition: 'bank conflict degree', value: (row) => row.local_memory?.beta ?? null, show: (row) => ratio(row.local_memory?.beta)}]}
      note="Transactions are lines before Maxwell, sectors after: compare bytes moved." />
  </Section>;
}

function say(value: unknown): string {
  if (value === null || value === undefined || value === '') return '–';
  if (typeof value !== 'object') return String(value);
  return Object.entries(value as Record<string, unknown>).map(([key, one]) => `${key.replace(/_/g, ' ')} ${say(one)}`).join(', ');
}

export function Context() {
  const {page} = useContext(PageState);
  const rows = Object.entries(page.context).filter(([, value]) => value !== null && value !== undefined);
  const profiler = Object.entries(page.profiler ?? {}).flatMap(([tool, values]) => Object.entries(values ?? {}).map(([name, value]) => ({tool, name, value})));
  return <Section id="context" title="Context and assumptions" lead="What the numbers rest on.">
    <dl class="pairs">{rows.map(([key, value]) => <><dt>{key.replace(/_/g, ' ')}</dt><dd>{say(value)}</dd></>)}</dl>
    {page.spread && <details><summary>Spread over repetitions</summary><Table label="Spread" rows={Object.entries(page.spread)} keyOf={(row) => row[0]} first={40} columns={[
      {title: 'Rate', text: true, value: (row) => row[0]}, {title: 'Lowest', value: (row) => row[1].min, show: (row) => ratio(row[1].min)},
      {title: 'Median', value: (row) => row[1].median, show: (row) => ratio(row[1].median)}, {title: 'Highest', value: (row) => row[1].max, show: (row) => ratio(row[1].max)}]} /></details>}
    {page.timed && page.timed.assumed.length > 0 && <details><summary>Assumed by the timed engine</summary><Table label="Assumptions" rows={page.timed.assumed} keyOf={(row) => row.key} first={40} columns={[
      {title: 'Value', text: true, value: (row) => row.key}, {title: 'is', value: (row) => say(row.value)}, {title: 'because', text: true, value: (row) => row.reason}]} /></details>}
    {page.preset.length > 0 && <details><summary>The GPU, with the source of every value</summary><Table label="Values of the GPU" rows={page.preset} keyOf={(row) => row[0]} first={200} columns={[
      {title: 'Key', text: true, value: (row) => row[0]}, {title: 'Value', text: true, value: (row) => say(row[1])},
      {title: 'Source', text: true, value: (row) => row[2]}, {title: 'Note', text: true, value: (row) => row[3]}]} /></details>}
    {profiler.length > 0 && <details><summary>Under the names of profilers</summary><Table label="Counters under profilers' names" rows={profiler} keyOf={(row) => row.tool + row.name} first={60} columns={[
      {title: 'Counter', text: true, value: (row) => row.name, show: (row) => <code>{row.name}</code>}, {title: 'Profiler', text: true, value: (row) => row.tool},
      {title: 'Value', value: (row) => row.value, show: (row) => Number.isInteger(row.value) ? count(row.value) : ratio(row.value)}]} /></details>}
    <details id="definitions"><summary>What every number means</summary>
      {[...Object.keys(RATES), ...Object.keys(page.definitions)].map((name) => <div class="meaning"><h3><code>{name}</code></h3><MeaningText meaning={meaningOf(page.definitions, name)!} /></div>)}
    </details>
  </Section>;
}

/** What a reader may miss, and how to get it. */
export function Missing() {
  const {page} = useContext(PageState);
  const missing: [boolean, string, string][] = [
    [!page.findings.length, 'Findings', 'made by warpscope, where it has any'],
    [!page.machine_code.length, 'Machine code', 'with --machine-code FILE: a cubin or a program of nvcc; a .cu where nvcc is installed'],
    [!page.samples.length, 'Access pattern and drawings of requests', 'need the capture: warpscope CAPTURE, without --no-plots'],
    [!page.timed, 'Cycles, stall reasons, occupancy over time, roofline, warps of one core', 'need the timed engine: warpscope CAPTURE --clock both'],
    [!page.reuse, 'Reuse distances', 'need cachesim --reuse-histogram'],
    [!page.total.classes, 'Miss classes', 'of the fixed order only, without --no-classes'],
    [!page.caches, 'Other L1 caches', 'cachesim sweep CAPTURE; in the page for captures of at most 400,000 transactions'],
    [!page.generations.length, 'Generations side by side', 'warpscope CAPTURE --gpu h100,a100,rtx4090'],
    [!page.what_ifs.length, 'What-ifs', 'warpscope what-if CAPTURE CHANGE adds them, where CAPTURE is the one next to this page'],
  ];
  const shown = missing.filter(([is]) => is);
  if (!shown.length) return null;
  return <Section id="missing" title="Not in this page">
    <dl class="pairs">{shown.map(([, what, how]) => <><dt>{what}</dt><dd>{how}</dd></>)}</dl>
  </Section>;
}
