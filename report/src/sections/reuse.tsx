// Reuse distances: the histogram, and what larger and smaller caches would miss.
import {useContext, useMemo, useState} from 'preact/hooks';
import type {Reuse as Histogram} from '../data.ts';
import {count, percent, short} from '../format.ts';
import {coarse, missCurve, percentOf} from '../shape.ts';
import {PageState} from '../state.ts';
import {Chart, Look, axis} from '../ui/chart.tsx';
import {Choice, Numbers, Section} from '../ui/section.tsx';
import {Defined} from '../ui/definition.tsx';
import {Table} from '../ui/table.tsx';
import uPlot from 'uplot';

const name = (from: number, to: number) => from === to ? short(from) : `${short(from)}–${short(to)}`;

/** The line of the cache's capacity, and its text. */
function mark(plot: uPlot, at: number, text: string, colour: string) {
  const x = Math.round(plot.valToPos(at, 'x', true));
  const {left, top, width, height} = plot.bbox;
  if (x < left || x > left + width) return;
  const {ctx} = plot;
  ctx.save();
  ctx.strokeStyle = ctx.fillStyle = colour;
  ctx.lineWidth = 2 * devicePixelRatio;
  ctx.beginPath();
  ctx.moveTo(x, top);
  ctx.lineTo(x, top + height);
  ctx.stroke();
  ctx.font = `${12 * devicePixelRatio}px system-ui, sans-serif`;
  const right = x > left + width * 0.7;
  ctx.textAlign = right ? 'right' : 'left';
  ctx.fillText(text, x + (right ? -6 : 6) * devicePixelRatio, top + 12 * devicePixelRatio);
  ctx.restore();
}

function histogramOf(reuse: Histogram, total: number) {
  const bins = coarse(reuse);
  const texts = [...bins.map(([from, to]) => name(from, to)), 'first use'];
  const loads = [...bins.map((bin) => bin[2]), reuse.cold[0]].map((value) => (100 * value) / total);
  const stores = [...bins.map((bin) => bin[3]), reuse.cold[1]].map((value) => (100 * value) / total);
  const both = loads.map((value, at) => value + stores[at]);
  const edge = bins.filter(([, to]) => to < reuse.capacity).length - 0.5;
  const build = (look: Look) => ({
    data: [texts.map((_, at) => at), both, loads] as uPlot.AlignedData,
    options: {
      scales: {x: {time: false, range: [-0.6, texts.length - 0.4] as [number, number]}, y: {range: (_: uPlot, _min: number, max: number) => [0, max * 1.15] as [number, number]}},
      cursor: {drag: {x: false, y: false}},
      axes: [axis(look, 'Reuse distance: distinct lines since the last use of the line', {
        splits: () => texts.map((_, at) => at), values: () => texts, rotate: texts.length > 8 ? -40 : 0, size: texts.length > 8 ? 62 : 40, grid: {show: false}}),
        axis(look, '% of the transactions')],
      series: [{}, {fill: look.series('store'), stroke: look.series('store'), width: 0, paths: uPlot.paths.bars!({size: [0.8, 60]}), points: {show: false}},
        {fill: look.series('load'), stroke: look.series('load'), width: 0, paths: uPlot.paths.bars!({size: [0.8, 60]}), points: {show: false}}],
      hooks: {draw: [(plot: uPlot) => mark(plot, edge, `capacity: ${count(reuse.capacity)} lines`, look.series('mark'))]}}});
  return {texts, loads, stores, build};
}

function curveOf(reuse: Histogram, marks: [string, number][]) {
  const points = missCurve(reuse);
  const most = Math.max(points[points.length - 1]?.[0] ?? 1, ...marks.map((one) => one[1]), reuse.capacity) * 1.5;
  const last = points[points.length - 1]?.[1] ?? 0;
  const all = [...points, [most, last]] as [number, number][];
  const build = (look: Look) => ({
    data: [all.map((one) => one[0]), all.map((one) => one[1])] as uPlot.AlignedData,
    options: {
      scales: {x: {time: false, distr: 3 as const, range: [1, most] as [number, number]}, y: {range: [0, 105] as [number, number]}},
      cursor: {drag: {x: false, y: false}},
      axes: [axis(look, 'Lines of a fully associative LRU cache', {grid: {show: false}}), axis(look, 'Misses, % of the transactions')],
      series: [{}, {stroke: look.series('load'), width: 2, paths: uPlot.paths.stepped!({align: 1}), points: {show: false}}],
      hooks: {drawAxes: [(plot: uPlot) => marks.forEach(([, lines]) => mark(plot, lines, '', look.grid))], draw: [(plot: uPlot) => {
        mark(plot, reuse.capacity, `this L1: ${count(reuse.capacity)}`, look.series('mark'));
      }]}}});
  return {all, build};
}

function at(points: [number, number][], lines: number): number | null {
  let value: number | null = null;
  for (const [size, percentage] of points) if (size <= lines) value = percentage;
  return value;
}

export function Reuse() {
  const {page, accesses} = useContext(PageState);
  const withOwn = accesses.flatMap((access) => access.sites.filter((site) => site.reuse).map((site, copy) => ({access, site, copy})));
  const [of, setOf] = useState('total');
  const reuse = withOwn.find((one) => `${one.site.kernel}:${one.site.site}` === of)?.site.reuse ?? page.reuse;
  const lineBytes = Number(page.context.cache.line_bytes);
  const presets = useMemo(() => page.presets.filter((preset) => preset[3] === lineBytes), [page]);
  if (!page.reuse || !reuse) return null;
  const total = reuse.bins.reduce((sum, bin) => sum + bin[2] + bin[3], 0) + reuse.cold[0] + reuse.cold[1];
  const {texts, loads, stores, build} = histogramOf(reuse, total || 1);
  const marks = presets.map((preset) => [preset[0], (preset[2] * 1024) / lineBytes] as [string, number]);
  const curve = curveOf(reuse, marks), points = missCurve(reuse);
  const further = reuse.bins.filter((bin) => bin[0] >= reuse.capacity).reduce((sum, bin) => sum + bin[2] + bin[3], 0);
  const said = `${percent(percentOf(further, total))} of the transactions reuse a line after more lines than the cache holds, ` +
    `${percent(percentOf(reuse.cold[0] + reuse.cold[1], total))} are first uses.`;
  return <Section id="reuse" title="Reuse distances" lead={<><Defined of="reuse distance">How many lines a core touches</Defined> before it comes back to one. {said}</>}>
    <Choice label="Transactions of" value={of} set={setOf} options={[['total', 'all memory instructions'],
      ...withOwn.map((one) => [`${one.site.kernel}:${one.site.site}`,
        `${one.access.kind} ${one.access.names.join(', ')}, line ${one.access.line}${one.access.copies > 1 ? `, copy ${one.copy + 1}` : ''}`] as [string, string])]} />
    <div class="two">
      <Chart label={`Histogram of reuse distances. ${said}`} deps={[of]} build={build} height={300}
             caption={<>Histogram <span class="legend inline"><span class="swatch is-load" aria-hidden="true" />loads <span class="swatch is-store" aria-hidden="true" />stores</span></>} />
      <Chart label="Misses of a fully associative LRU cache over its size" deps={[of]} build={curve.build} height={300}
             caption={<>Misses by size of the cache; grey: the L1s of {marks.length} GPUs</>} />
    </div>
    <Numbers>
      <Table label="Histogram of reuse distances" rows={texts.map((text, index) => ({text, index}))} keyOf={(row) => row.text} first={40} columns={[
        {title: 'Distance', text: true, value: (row) => row.index, show: (row) => row.text},
        {title: 'Loads', value: (row) => loads[row.index], show: (row) => percent(loads[row.index], 2)},
        {title: 'Stores', value: (row) => stores[row.index], show: (row) => percent(stores[row.index], 2)}]} />
      <Table label="Largest L1 of each GPU" rows={presets} keyOf={(row) => row[0]} first={40} sortBy="Lines" ascending columns={[
        {title: 'GPU', text: true, value: (row) => row[0], show: (row) => <span title={row[1]}>{row[0]}</span>},
        {title: 'L1 KiB', value: (row) => row[2]},
        {title: 'Lines', value: (row) => (row[2] * 1024) / lineBytes, show: (row) => count((row[2] * 1024) / lineBytes)},
        {title: 'Misses', value: (row) => at(points, (row[2] * 1024) / lineBytes),
         show: (row) => percent(at(points, (row[2] * 1024) / lineBytes))}]}
        note="The largest L1 that the GPU can have, as one fully associative LRU cache of its own; warps and cores are those of this simulation." />
    </Numbers>
  </Section>;
}
