// Where accesses go over time: a bounded sample, coloured, with the chosen source line marked.
import {useContext, useMemo, useState} from 'preact/hooks';
import type {Buffer, Points, Sample} from '../data.ts';
import {unpack} from '../data.ts';
import {bytes, count, plural} from '../format.ts';
import {PageState} from '../state.ts';
import {Chart, Look, axis} from '../ui/chart.tsx';
import {Choice, Numbers, Section} from '../ui/section.tsx';
import {Table} from '../ui/table.tsx';
import uPlot from 'uplot';

type Colouring = 'item' | 'buffer' | 'kind';

interface Unpacked {
  order: Uint32Array;
  word: Uint32Array;
  item: Uint32Array;
  site: Uint16Array;
}

function unpacked(points: Points): Unpacked {
  return {order: unpack(points.order, 4) as Uint32Array, word: unpack(points.word, 4) as Uint32Array,
          item: unpack(points.item, 4) as Uint32Array, site: unpack(points.site, 2) as Uint16Array};
}

const RAMP = 9;  // colours --ramp-0 … of the style sheet
const SERIES = ['load', 'mark', 'store', 'invalidated', 'cold', 'conflict'];

interface Band {
  buffer: Buffer;
  from: number;
  to: number;
}

function bandsOf(buffers: Buffer[], sample: Sample, words: Uint32Array): Band[] {
  const last = words.reduce((most, word) => Math.max(most, word), 0);
  return buffers.filter((buffer) => buffer.address && buffer.space !== 'local')
    .map((buffer) => ({buffer, from: (buffer.address - sample.lowest) / 4, to: (buffer.address + buffer.size - sample.lowest) / 4}))
    .filter((band) => band.to > 0 && band.from <= last).sort((a, b) => a.from - b.from);
}

function colours(points: Unpacked, by: Colouring, bands: Band[], stores: Set<number>, look: Look): string[] {
  const most = points.item.reduce((all, item) => Math.max(all, item), 1);
  const ramp = Array.from({length: RAMP}, (_, step) => look.series(`ramp-${step}`));
  const series = SERIES.map((name) => look.series(name));
  const [load, store] = [look.series('load'), look.series('store')];
  return Array.from(points.word, (word, at) => {
    if (by === 'kind') return stores.has(points.site[at]) ? store : load;
    if (by === 'buffer') return series[Math.max(0, bands.findIndex((band) => word >= band.from && word < band.to)) % series.length];
    return ramp[Math.floor((points.item[at] / (most + 1)) * RAMP)];
  });
}

function drawPoints(plot: uPlot, points: Unpacked, paint: string[], marked: Set<number> | null, markColour: string) {
  const {ctx, bbox} = plot;
  const {min, max} = plot.scales.x;
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  let inside = 0;
  for (const at of points.order) if (at >= min! && at <= max!) ++inside;
  const size = Math.max(1.5, Math.min(7, Math.sqrt((bbox.width * bbox.height) / Math.max(inside, 1)) / 8)) * Math.min(devicePixelRatio, 2);
  for (const pass of marked ? [false, true] : [true]) {
    ctx.globalAlpha = pass ? 1 : 0.12;
    for (let at = 0; at < points.order.length; ++at) {
      if (points.order[at] < min! || points.order[at] > max! || (marked && marked.has(points.site[at]) !== pass)) continue;
      ctx.fillStyle = marked && pass ? markColour : paint[at];
      ctx.fillRect(plot.valToPos(points.order[at], 'x', true) - size / 2, plot.valToPos(points.word[at], 'y', true) - size / 2, size, size);
    }
  }
  ctx.restore();
}

function drawBands(plot: uPlot, bands: Band[], look: Look) {
  const {ctx, bbox} = plot;
  ctx.save();
  ctx.font = `${12 * devicePixelRatio}px system-ui, sans-serif`;
  ctx.textAlign = 'left';
  ctx.textBaseline = 'middle';
  let last = Infinity;
  for (const band of [...bands].reverse()) {
    const edge = plot.valToPos(band.to, 'y', true);
    if (edge > bbox.top && edge < bbox.top + bbox.height) {
      ctx.strokeStyle = look.muted;
      ctx.setLineDash([4, 3]);
      ctx.beginPath();
      ctx.moveTo(bbox.left, edge);
      ctx.lineTo(bbox.left + bbox.width, edge);
      ctx.stroke();
    }
    const from = Math.max(bbox.top, edge), to = Math.min(bbox.top + bbox.height, plot.valToPos(band.from, 'y', true));
    const middle = (from + to) / 2;
    if (to <= from || Math.abs(middle - last) < 13 * devicePixelRatio) continue;
    last = middle;
    ctx.fillStyle = look.text;
    ctx.fillText(band.buffer.name, bbox.left + bbox.width + 6 * devicePixelRatio, middle);
  }
  ctx.restore();
}

export function Pattern() {
  const {page, accesses, chosen} = useContext(PageState);
  const [number, setNumber] = useState('0');
  const [part, setPart] = useState<'spread' | 'beginning'>('spread');
  const [by, setBy] = useState<Colouring>('item');
  const sample = page.samples[Number(number)];
  const points = useMemo(() => sample && unpacked(part === 'beginning' && sample.beginning ? sample.beginning : sample.spread), [sample, part]);
  if (!sample || !points || !points.order.length) return null;
  const bands = bandsOf(page.buffers, sample, points.word);
  const mine = accesses.filter((access) => access.kernel === sample.kernel);
  const stores = new Set(mine.filter((access) => access.kind !== 'load').flatMap((access) => access.sites.map((site) => site.site)));
  const at = chosen && new Set(mine.filter((access) => access.source === chosen.source && access.line === chosen.line).flatMap((access) => access.sites.map((site) => site.site)));
  const marked = at && points.site.some((site) => at.has(site)) ? at : null;
  const top = points.word.reduce((most, word) => Math.max(most, word), 1);
  const build = (look: Look) => {
    const paint = colours(points, by, bands, stores, look);
    return {data: [points.order, points.word] as unknown as uPlot.AlignedData, options: {
      padding: [8, 78, 0, 0] as uPlot.Padding,
      scales: {x: {time: false}, y: {range: [-top * 0.01, top * 1.02] as [number, number]}},
      cursor: {drag: {x: true, y: false}, points: {show: false}},
      axes: [axis(look, 'Order of the accesses'), axis(look, 'Words of 4 bytes above the lowest address', {size: 64})],
      series: [{}, {paths: () => null, points: {show: false}}],
      hooks: {draw: [(plot: uPlot) => { drawPoints(plot, points, paint, marked, look.series('mark')); drawBands(plot, bands, look); }]}}};
  };
  const what = part === 'beginning' && sample.beginning ? `the first ${count(points.order.length)} accesses`
    : sample.every > 1 ? `one request in ${count(sample.every)} of ${sample.note}` : sample.note;
  return <Section id="pattern" title="Access pattern" lead={`Launch ${sample.launch} of ${sample.kernel}: addresses in the order of the warps; ${what}.`}>
    <div class="controls">
      {page.samples.length > 1 && <Choice label="Kernel" value={number} set={setNumber} options={page.samples.map((one, index) => [`${index}`, one.kernel] as [string, string])} />}
      {sample.beginning && <Choice label="Show" value={part} set={setPart} options={[['spread', 'all that was sampled'], ['beginning', 'the beginning without gaps']]} />}
      <Choice label="Colour" value={by} set={setBy} options={[['item', 'work-item'], ['buffer', 'buffer'], ['kind', 'load or store']]} />
      {chosen && <span class="muted" role="status">{marked ? `Marked: line ${chosen.line}` : `Line ${chosen.line} is not in this sample`}</span>}
    </div>
    <Chart id="pattern-chart" label={`Addresses of ${plural(points.order.length, 'access', 'accesses')} over their order, ${what}`} build={build} height={420} zoomable
           deps={[sample, part, by, marked ? `${chosen!.source}:${chosen!.line}` : '']}
           caption={by === 'item' ? <span class="ramp"><span>first work-item</span><span class="scale" aria-hidden="true" /><span>last</span></span>
             : by === 'kind' ? <span class="legend inline"><span class="swatch is-load" aria-hidden="true" />loads <span class="swatch is-store" aria-hidden="true" />stores and atomics</span>
               : <span class="muted">A colour for each buffer, named at the right edge</span>} />
    <Numbers><Table label="Buffers in the sample" rows={bands.map((band) => ({band, used: points.word.reduce((all, word) => all + Number(word >= band.from && word < band.to), 0)}))}
      keyOf={(row) => `${row.band.buffer.buffer}`} columns={[
        {title: 'Buffer', text: true, value: (row) => row.band.buffer.name},
        {title: 'Accesses in the sample', value: (row) => row.used, show: (row) => count(row.used)},
        {title: 'First word', value: (row) => row.band.from, show: (row) => count(Math.max(0, row.band.from))},
        {title: 'Size', value: (row) => row.band.buffer.size, show: (row) => bytes(row.band.buffer.size)}]} /></Numbers>
  </Section>;
}
