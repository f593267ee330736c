// The beginning of a launch on one core: what every warp does in every cycle.
import {useContext, useMemo, useRef} from 'preact/hooks';
import type {Timeline as Data} from '../data.ts';
import {count, percent, plural} from '../format.ts';
import {WarpRow, percentOf, warpRows} from '../shape.ts';
import {PageState} from '../state.ts';
import {Chart, Look, axis} from '../ui/chart.tsx';
import {Defined} from '../ui/definition.tsx';
import {Legend, Numbers, Section} from '../ui/section.tsx';
import {Table} from '../ui/table.tsx';
import uPlot from 'uplot';

// The names and colours of the schedulers' stall reasons, which are what these states lead to.
const STATES: Record<string, {name: string; colour: string; text: string}> = {
  ready: {name: 'unit_busy', colour: 'stall-2', text: 'ready: for its turn or for a unit'},
  pause: {name: 'dependency', colour: 'stall-3', text: 'waits for a short instruction'},
  memory: {name: 'memory', colour: 'stall-4', text: 'waits for data of a load'},
  barrier: {name: 'barrier', colour: 'stall-5', text: 'waits at a barrier'}};
const LOOK_UPS = 3;  // rows below the warps

function draw(plot: uPlot, data: Data, rows: WarpRow[], look: Look) {
  const {ctx, bbox} = plot, {min, max} = plot.scales.x;
  const x = (cycle: number) => plot.valToPos(cycle, 'x', true);
  const height = Math.abs(plot.valToPos(1, 'y', true) - plot.valToPos(0, 'y', true));
  const top = (row: number) => plot.valToPos(row, 'y', true) - height / 2;
  const row = new Map(rows.map((one, at) => [one.warp, at]));
  const bar = (from: number, to: number, at: number, inset: number) =>
    ctx.fillRect(x(from), top(at) + inset * height, Math.max(x(to) - x(from), devicePixelRatio * 0.75), height * (1 - 2 * inset));
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  const paint = data.states.map((name) => look.series(STATES[name]?.colour ?? 'hit'));
  for (const [warp, , from, to, state] of data.stretches) {
    if (to < min! || from > max!) continue;
    ctx.fillStyle = paint[state];
    bar(from, to, row.get(warp)!, 0.2);
  }
  for (const [at, warp, memory] of data.issues) {
    if (at < min! || at > max!) continue;
    ctx.fillStyle = memory ? look.series('mark') : look.series('good');
    bar(at, at + 1, row.get(warp)!, 0.06);
  }
  const most = Math.max(1, ...data.look_ups.map(([, hits, others]) => hits + others));
  for (const [at, hits, others] of data.look_ups) {
    if (at < min! || at > max!) continue;
    const full = LOOK_UPS * height * 0.9 / most, foot = top(-LOOK_UPS) + height, wide = Math.max(x(at + 1) - x(at), devicePixelRatio);
    ctx.fillStyle = look.series('hit');
    ctx.fillRect(x(at), foot - hits * full, wide, hits * full);
    ctx.fillStyle = look.series('mark');
    ctx.fillRect(x(at), foot - (hits + others) * full, wide, others * full);
  }
  ctx.restore();
}

/** What is under the pointer, in words. */
function under(data: Data, rows: WarpRow[], cycle: number, at: number): string {
  if (at < 0) {
    const found = data.look_ups.find(([when]) => when === cycle);
    return found ? `Cycle ${count(cycle)}: ${plural(found[1], 'hit')}, ${found[2]} that are not` : `Cycle ${count(cycle)}: no look-up`;
  }
  const warp = rows[at]?.warp;
  if (warp === undefined) return '';
  const stretch = data.stretches.find(([of, , from, to]) => of === warp && from <= cycle && cycle < to);
  const issue = data.issues.find(([when, of]) => of === warp && when === cycle);
  const what = issue ? `issues ${issue[2] ? 'a memory instruction' : 'an instruction'}` : stretch ? STATES[data.states[stretch[4]]].text : 'is not there';
  return `Cycle ${count(cycle)}, warp ${warp}${stretch ? ` of work-group ${stretch[1]}` : ''}: ${what}`;
}

export function Timeline() {
  const {page} = useContext(PageState);
  const data = page.timeline;
  const said = useRef<HTMLParagraphElement>(null);
  const rows = useMemo(() => data ? warpRows(data) : [], [data]);
  if (!data || !rows.length) return null;
  const kernel = page.timed?.launches.find((one) => one.launch === data.launch)?.kernel ?? page.launches.rows.find((one) => one.first === data.launch)?.kernel;
  const build = (look: Look) => ({data: [[0, data.cycles], [null, null]] as unknown as uPlot.AlignedData, options: {
    scales: {x: {time: false}, y: {range: [-LOOK_UPS - 0.6, rows.length - 0.4] as [number, number]}},
    cursor: {drag: {x: true, y: false}, points: {show: false}},
    axes: [axis(look, 'Cycle of the launch'), axis(look, 'Warp', {
      grid: {show: false}, incrs: [1, 2, 4, 8, 16], values: (_: uPlot, splits: number[]) => splits.map((at) => rows[at] && Number.isInteger(at) ? `${rows[at].warp}` : '')})],
    series: [{}, {paths: () => null, points: {show: false}}],
    hooks: {draw: [(plot: uPlot) => draw(plot, data, rows, look)],
            setCursor: [(plot: uPlot) => {
              const {left, top} = plot.cursor;
              if (said.current && left !== undefined && top !== undefined && left >= 0)
                said.current.textContent = under(data, rows, Math.floor(plot.posToVal(left, 'x')), Math.round(plot.posToVal(top, 'y')));
            }]}}});
  const whole = rows.reduce((all, row) => all + row.present, 0);
  const shares = data.states.map((state, at) => ({name: STATES[state].name, said: STATES[state].text,
    text: <>{percent(percentOf(rows.reduce((all, row) => all + row.states[at], 0), whole))}</>}));
  return <Section id="timeline" title="Warps of one core" lead={<>The first {count(data.cycles)} cycles of launch {data.launch}{kernel ? ` of ${kernel}` : ''} on core {data.core}:
    {' '}<Defined of="warp states">what each warp does</Defined>, by the timed engine. Zoom in to see single cycles.</>}>
    <ul class="legend"><li><span class="swatch is-issued" aria-hidden="true" />issues an instruction</li><li><span class="swatch is-miss" aria-hidden="true" />issues a memory instruction</li></ul>
    <Legend parts={shares} />
    <Chart id="timeline-chart" label={`States of ${plural(rows.length, 'warp')} over ${count(data.cycles)} cycles, and the look-ups of the L1`} build={build} deps={[data]} zoomable
           height={Math.min(640, Math.max(190, 130 + 14 * rows.length))} caption={<span class="legend inline">below the warps, look-ups of the L1: <span class="swatch is-hit" aria-hidden="true" />hits <span class="swatch is-miss" aria-hidden="true" />misses, pending hits and bypasses</span>} />
    <p class="muted pointed" ref={said} aria-hidden="true">Point at a place to see what it is.</p>
    <Numbers><Table label="Cycles of the warps" rows={rows} keyOf={(row) => `${row.warp}`} columns={[
      {title: 'Warp', value: (row) => row.warp}, {title: 'Work-groups', text: true, value: (row) => row.groups.join(', ')},
      {title: 'Instructions', value: (row) => row.issued, show: (row) => count(row.issued)},
      {title: 'of memory', value: (row) => row.memory, show: (row) => count(row.memory)},
      ...data.states.map((state, at) => ({title: state, value: (row: WarpRow) => row.states[at], show: (row: WarpRow) => count(row.states[at])}))]} /></Numbers>
  </Section>;
}
