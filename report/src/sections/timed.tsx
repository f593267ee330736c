// What the timed engine says: cycles, what keeps the schedulers, how busy the parts are, warps over time.
import {useContext, useState} from 'preact/hooks';
import {count, percent, plural, ratio} from '../format.ts';
import {number, over, percentOf} from '../shape.ts';
import type {Page, Stalls as StallRow} from '../data.ts';
import {PageState} from '../state.ts';
import {Chart, Look, axis} from '../ui/chart.tsx';
import {Defined} from '../ui/definition.tsx';
import {Choice, Legend, Numbers, Section, StackedBar, Tile} from '../ui/section.tsx';
import {Table} from '../ui/table.tsx';
import uPlot from 'uplot';

const preset = (page: Page, key: string): number | null => {
  const value = page.preset.find((one) => one[0] === key)?.[1];
  return typeof value === 'number' ? value : null;
};

interface Share {
  part: string;
  percent: number | null;
  how: string;
}

export function busyShares(page: Page): Share[] {
  const timed = page.timed!, total = timed.total, cores = page.context.cores;
  const schedulers = Object.values(total.scheduler_cycles).reduce((sum, value) => sum + value, 0);
  const units = Number(timed.config.l1_units) || 1;
  const bandwidth = preset(page, 'dram_bandwidth_gb_per_s');
  const l2 = ['l2_load_hits', 'l2_load_hits_pending'].reduce((sum, name) => sum + (total.memory[name] ?? 0), 0);
  return [
    {part: 'issue slots', percent: percentOf(number(total.scheduler_cycles, 'issued'), schedulers), how: 'issued / all cycles of the schedulers'},
    {part: 'L1', percent: percentOf(total.l1_cycles, total.cycles * cores * units), how: 'l1_cycles / (cycles × cores × L1s of a core)'},
    {part: 'DRAM', percent: bandwidth && total.memory.dram_gb_per_s !== null ? percentOf(total.memory.dram_gb_per_s ?? 0, bandwidth) : null,
     how: `GB/s / ${bandwidth ?? '?'} GB/s of the GPU`},
    {part: 'loads that hit the L2', percent: percentOf(l2, l2 + (total.memory.l2_load_misses ?? 0)), how: '(hits + pending hits) / loaded sectors'}];
}

export function TimedView() {
  const {page} = useContext(PageState);
  const timed = page.timed;
  if (!timed) return null;
  const {total} = timed;
  const reasons = Object.entries(total.scheduler_cycles), whole = reasons.reduce((sum, [, value]) => sum + value, 0);
  const parts = reasons.map(([name, value]) => ({name, percent: percentOf(value, whole) ?? 0, text: percent(percentOf(value, whole))}));
  return <Section id="timed" title="Cycle by cycle" lead={<>The timed engine's <strong>estimate</strong>: {page.machine_code.some((code) => code.counters.length > 0) ? 'of the GPU\'s own instructions, in their order.' : 'the compiler\'s order of instructions is not known.'}
    {' '}Scheduler {String(timed.config.warp_scheduler)}; {plural(timed.assumed.length, 'value')} of the GPU assumed, listed under context.</>}>
    <dl class="tiles">
      <Tile name={<Defined of="cycles">cycles</Defined>} value={count(total.cycles)} />
      <Tile name={<Defined of="warp_instructions">warp instructions</Defined>} value={count(total.warp_instructions)} note={`${ratio(total.warp_instructions_per_cycle)} per cycle`} />
      <Tile name={<Defined of="warp cycles per issued instruction">warp cycles per issued instruction</Defined>} value={ratio(over(total.resident_warp_cycles, total.warp_instructions), 1)} />
      <Tile name={<Defined of="load latency">load latency</Defined>} value={ratio(total.load_latency_cycles_mean, 0)} note="cycles, mean" />
      <Tile name={<Defined of="DRAM bandwidth">DRAM</Defined>} value={total.memory.dram_gb_per_s === null ? '–' : ratio(total.memory.dram_gb_per_s, 0)} note="GB/s" />
    </dl>
    <h3 class="sub">What the schedulers' cycles went to <DefinedInline of="stall reasons" /></h3>
    <StackedBar label="Scheduler cycles" parts={parts} />
    <Legend parts={parts.filter((part) => part.percent >= 0.05).map((part) => ({name: part.name, text: part.text}))} />
    {timed.stalls.length > 0 && <Stalls stalls={timed.stalls} />}
    <h3 class="sub">How busy the parts are</h3>
    <Table label="Busy shares" rows={busyShares(page)} keyOf={(row) => row.part} columns={[
      {title: 'Part', text: true, value: (row) => row.part},
      {title: 'Share', value: (row) => row.percent, show: (row) => percent(row.percent), bar: (row) => (row.percent ?? 0) / 100},
      {title: 'How', text: true, value: (row) => row.how}]} />
    <Cores />
  </Section>;
}

function Stalls({stalls}: {stalls: StallRow[]}) {
  const names = [...new Set(stalls.flatMap((one) => Object.keys(one.reasons)))], ofWarps = stalls.some((one) => one.of === 'warps');
  const shares = (one: StallRow) => {
    const whole = Object.values(one.reasons).reduce((sum, value) => sum + value, 0);
    return names.filter((name) => one.reasons[name]).map((name) => ({name, percent: percentOf(one.reasons[name], whole) ?? 0, text: percent(percentOf(one.reasons[name], whole))}));
  };
  return <><h3 class="sub">{ofWarps ? 'What warps wait for, by launch' : 'What the schedulers with warps waited for, by launch'} <DefinedInline of={ofWarps ? 'warp stalls' : 'stall reasons'} /></h3>
    <Legend parts={names.map((name) => ({name}))} />
    <Table label="Stalls by launch" rows={stalls} keyOf={(row) => row.name} first={12} columns={[
      {title: 'Launch', text: true, value: (row) => row.name, show: (row) => row.count > 1 ? `${row.name} (×${count(row.count)})` : row.name},
      {title: 'Cycles', definition: 'cycles', value: (row) => row.cycles, show: (row) => count(row.cycles)},
      {title: 'Warp cycles per issued instruction', definition: 'warp cycles per issued instruction', value: (row) => row.per_issued, show: (row) => ratio(row.per_issued, 1)},
      {title: 'Most', text: true, value: (row) => most(shares(row))},
      {title: 'Shares', text: true, value: (row) => most(shares(row)), show: (row) => <StackedBar label={`Stalls of launch ${row.name}`} parts={shares(row)} />}]} />
    <Numbers><Table label="Stalls by launch and reason" rows={stalls.flatMap((one) => Object.entries(one.reasons).map(([reason, cycles]) => ({launch: one.name, of: one.of, reason, cycles})))}
      keyOf={(row) => row.launch + row.reason} first={30} columns={[{title: 'Launch', text: true, value: (row) => row.launch}, {title: 'Reason', text: true, value: (row) => row.reason},
        {title: 'Cycles', value: (row) => row.cycles, show: (row) => count(row.cycles)}, {title: 'of', text: true, value: (row) => row.of}]} /></Numbers></>;
}

/** The largest reason but issuing: what to do something about. */
function most(shares: {name: string; percent: number; text: string}[]): string {
  const waits = shares.filter((one) => one.name !== 'selected' && one.name !== 'issued').sort((a, b) => b.percent - a.percent);
  return waits.length ? `${waits[0].name} ${waits[0].text}` : '–';
}

function DefinedInline({of}: {of: string}) {
  return <Defined of={of}>{''}</Defined>;
}

function Cores() {
  const {cores} = useContext(PageState).page.timed!;
  if (cores.length < 2) return null;
  const most = Math.max(...cores.map((core) => core[2])), mean = cores.reduce((sum, core) => sum + core[2], 0) / cores.length;
  const build = (look: Look) => ({data: [cores.map((core) => core[0]), cores.map((core) => core[2])] as uPlot.AlignedData, options: {
    scales: {x: {time: false, range: [-0.6, cores[cores.length - 1][0] + 0.6] as [number, number]}, y: {range: [0, most * 1.08] as [number, number]}},
    cursor: {drag: {x: false, y: false}},
    axes: [axis(look, 'Core', {incrs: [1, 2, 5, 10, 20, 50, 100], grid: {show: false}}), axis(look, 'Cycles with a warp', {size: 64})],
    series: [{}, {fill: look.series('load'), stroke: look.series('load'), width: 0, paths: uPlot.paths.bars!({size: [0.8, 40]}), points: {show: false}}]}});
  const said = `Work of the cores: the busiest has ${ratio(over(most, mean))} times the mean's cycles`;
  return <><h3 class="sub">Cores</h3>
    <Chart label={said} caption={`${said}.`} build={build} deps={[cores]} height={200} />
    <Numbers><Table label="Cores" rows={cores} keyOf={(row) => `${row[0]}`} columns={[{title: 'Core', value: (row) => row[0]},
      {title: 'Cycles', value: (row) => row[1], show: (row) => count(row[1])},
      {title: 'with a warp', definition: 'active_cycles', value: (row) => row[2], show: (row) => count(row[2])},
      {title: 'Warp instructions', definition: 'warp_instructions', value: (row) => row[3], show: (row) => count(row[3])}]} /></Numbers></>;
}

export function Occupancy() {
  const {page} = useContext(PageState);
  const [chosen, setChosen] = useState('0');
  const theoretical = page.profiler?.ncu?.['sm__maximum_warps_per_active_cycle_pct'] ?? null;
  const limit = preset(page, 'max_warps_per_core'), timed = page.timed?.total;
  const launch = page.timed?.launches[Number(chosen)];
  if (theoretical === null && !timed && !page.residency.length) return null;
  const achieved = timed && over(timed.resident_warp_cycles, timed.active_cycles);
  return <Section id="occupancy" title="Occupancy" lead="Warps that a core holds, of those that it could hold.">
    <dl class="tiles">
      {theoretical !== null && <Tile name={<Defined of="theoretical occupancy">theoretical</Defined>} value={percent(theoretical, 0)}
        note={limit ? `${ratio((theoretical * limit) / 100, 0)} of ${limit} warps` : undefined} />}
      {achieved !== undefined && achieved !== null && <Tile name={<Defined of="achieved occupancy">achieved, estimated</Defined>} value={limit ? percent((100 * achieved) / limit, 0) : '–'} note={`${ratio(achieved, 1)} warps, mean`} />}
    </dl>
    {page.residency.length > 0 && <Residency />}
    {launch ? <OccupancyChart launch={launch} limit={limit} /> : <p class="muted">Occupancy over time needs the timed engine: cachesim timed.</p>}
    {(page.timed?.launches.length ?? 0) > 1 && <Choice label="Launch" value={chosen} set={setChosen}
      options={page.timed!.launches.map((one, index) => [`${index}`, `${one.launch}: ${one.kernel}, ${count(one.cycles)} cycles`] as [string, string])} />}
  </Section>;
}

function Residency() {
  const {page} = useContext(PageState);
  const rows = page.residency.map(([launch, groups, limit]) => {
    const one = page.launches.rows.find((row) => row.first === launch);
    const items = one?.local?.reduce((all, size) => all * size, 1);
    return {launch, groups, limit, kernel: one?.kernel ?? '', warps: items ? groups * Math.ceil(items / page.context.warp_size) : null};
  });
  return <Table label="What limits the work-groups of a core" rows={rows} keyOf={(row) => `${row.launch}`} first={6} columns={[
    {title: 'Launch', text: true, value: (row) => row.launch, show: (row) => `${row.launch} ${row.kernel}`},
    {title: 'Work-groups of a core', value: (row) => row.groups},
    {title: 'Warps of a core', value: (row) => row.warps},
    {title: 'Limited by', text: true, value: (row) => row.limit}]} />;
}

function OccupancyChart({launch, limit}: {launch: {launch: number; cycles: number; occupancy: [number, number, number][]}; limit: number | null}) {
  const series = launch.occupancy;
  const most = Math.max(limit ?? 0, ...series.map((one) => one[2]));
  const build = (look: Look) => ({data: [[...series.map((one) => one[0]), launch.cycles], [...series.map((one) => one[2]), series[series.length - 1][2]]] as uPlot.AlignedData, options: {
    scales: {x: {time: false}, y: {range: [0, most * 1.05] as [number, number]}},
    cursor: {drag: {x: true, y: false}},
    axes: [axis(look, 'Cycle of the launch'), axis(look, 'Resident warps per core')],
    series: [{}, {stroke: look.series('load'), fill: look.series('area'), width: 2, paths: uPlot.paths.stepped!({align: 1}), points: {show: false}}]}});
  return <><Chart label={`Resident warps per core over the ${count(launch.cycles)} cycles of launch ${launch.launch}`} build={build} deps={[launch]} height={220} zoomable />
    <Numbers><Table label="Resident warps over time" rows={series} keyOf={(row) => `${row[0]}`} columns={[
      {title: 'From cycle', value: (row) => row[0], show: (row) => count(row[0])}, {title: 'to', value: (row) => row[1], show: (row) => count(row[1])},
      {title: 'Warps per core', value: (row) => row[2], show: (row) => ratio(row[2])}]} /></Numbers></>;
}
