// A roofline: what the GPU's peaks and bandwidths allow, and where the kernels are.
import {useContext, useState} from 'preact/hooks';
import type {Roofline as Data} from '../data.ts';
import {bytes, percent, short} from '../format.ts';
import {Roof, RoofPoint, roofOf} from '../shape.ts';
import {PageState} from '../state.ts';
import {Chart, Look, axis} from '../ui/chart.tsx';
import {Defined} from '../ui/definition.tsx';
import {Choice, Numbers, Section} from '../ui/section.tsx';
import {Table} from '../ui/table.tsx';
import uPlot from 'uplot';

type Counted = 'flops' | 'fp64' | 'integers' | 'instructions';
const COLOURS: Record<string, string> = {L1: 'load', L2: 'store', DRAM: 'invalidated'};
const SIZES: Record<string, number> = {L1: 8, L2: 4.5, DRAM: 5};  // marks at one place are seen
const SHAPES: Record<string, string> = {L1: '●', L2: '■', DRAM: '▲'};
const TITLES: Record<Counted, string> = {flops: 'floating-point operations', fp64: 'double-precision operations', integers: 'integer operations',
  instructions: 'warp instructions'};

function shape(ctx: CanvasRenderingContext2D, level: string, x: number, y: number, size: number) {
  ctx.beginPath();
  if (level === 'L1') ctx.arc(x, y, size, 0, 2 * Math.PI);
  else if (level === 'L2') ctx.rect(x - size, y - size, 2 * size, 2 * size);
  else { ctx.moveTo(x, y - 1.2 * size); ctx.lineTo(x + 1.2 * size, y + size); ctx.lineTo(x - 1.2 * size, y + size); ctx.closePath(); }
  ctx.fill();
}

function drawRoofs(plot: uPlot, roof: Roof, look: Look) {
  const {ctx, bbox} = plot, dpr = devicePixelRatio;
  const at = (x: number, y: number): [number, number] => [plot.valToPos(x, 'x', true), plot.valToPos(y, 'y', true)];
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  ctx.font = `${12 * dpr}px system-ui, sans-serif`;
  ctx.lineWidth = 2 * dpr;
  for (const {level, bandwidth} of roof.slopes) {
    const ridge = Math.min(roof.x[1], Math.max(roof.x[0], roof.peak / bandwidth));
    ctx.strokeStyle = ctx.fillStyle = look.series(COLOURS[level]);
    ctx.beginPath();
    ctx.moveTo(...at(roof.x[0], roof.x[0] * bandwidth));
    ctx.lineTo(...at(ridge, ridge * bandwidth));
    ctx.stroke();
    const y = Math.max(roof.y[0] * 4, roof.x[0] * bandwidth * 1.6);
    const [left, top] = at(y / bandwidth, y);
    const below = level === 'DRAM';  // the others' names are above their lines
    ctx.textAlign = below ? 'left' : 'right';
    ctx.fillText(level, left + (below ? 8 : -4) * dpr, top + (below ? 10 : -5) * dpr);
  }
  ctx.strokeStyle = ctx.fillStyle = look.text;
  const first = Math.max(roof.x[0], roof.peak / Math.max(...roof.slopes.map((one) => one.bandwidth), roof.peak / roof.x[1]));
  ctx.beginPath();
  ctx.moveTo(...at(first, roof.peak));
  ctx.lineTo(...at(roof.x[1], roof.peak));
  ctx.stroke();
  ctx.textAlign = 'right';
  ctx.fillText('peak', bbox.left + bbox.width - 6 * dpr, at(roof.x[1], roof.peak)[1] - 6 * dpr);
  for (const point of roof.points) {
    ctx.fillStyle = look.series(COLOURS[point.level]);
    shape(ctx, point.level, ...at(point.intensity, point.rate), SIZES[point.level] * dpr);
  }
  ctx.fillStyle = look.text;
  ctx.textAlign = 'left';
  let last = -Infinity;
  for (const point of [...roof.points].filter((one) => one.labelled).sort((a, b) => a.rate - b.rate)) {
    const [x, y] = at(point.intensity, point.rate);
    if (Math.abs(y - last) < 14 * dpr) continue;
    last = y;
    ctx.fillText(point.kernel, Math.min(x + 9 * dpr, bbox.left + bbox.width - 90 * dpr), y + 4 * dpr);
  }
  ctx.restore();
}

const isDecade = (value: number) => Math.abs(Math.log10(value) - Math.round(Math.log10(value))) < 1e-6;

function build(roof: Roof, counted: Counted) {
  const unit = counted === 'instructions' ? 'Warp instructions' : 'Operations';
  const decades = ((_: uPlot, splits: number[]) => splits.map((value) => isDecade(value) ? value : null)) as uPlot.Axis.Filter;
  const lines = (look: Look) => ({filter: decades, grid: {stroke: look.grid, width: 1, filter: decades}, ticks: {stroke: look.grid, width: 1, filter: decades}});
  return (look: Look) => ({data: [roof.x, [null, null]] as unknown as uPlot.AlignedData, options: {
    scales: {x: {time: false, distr: 3 as const, range: roof.x}, y: {distr: 3 as const, range: roof.y}},
    cursor: {show: false},
    axes: [axis(look, `${unit} per byte moved`, lines(look)), axis(look, `${unit} per second`, {size: 64, ...lines(look)})],
    series: [{}, {paths: () => null, points: {show: false}}],
    hooks: {draw: [(plot: uPlot) => drawRoofs(plot, roof, look)]}}});
}

function bounding(data: Data, counted: Counted, point: RoofPoint): string {
  return percent(100 * point.rate / Math.min(data.ceilings[counted]!, point.intensity * data.ceilings[point.level]!));
}

export function Roofline() {
  const {page} = useContext(PageState);
  const data = page.roofline;
  const known = data ? (['flops', 'fp64', 'integers', 'instructions'] as Counted[]).filter((name) => data.ceilings[name] && data.kernels.some((one) => one[name])) : [];
  const [chosen, setChosen] = useState<Counted | null>(null);
  const counted = chosen ?? known[0];
  if (!data || !counted) return null;
  const roof = roofOf(data, counted);
  if (!roof) return null;
  const without = data.kernels.filter((one) => !one[counted]).map((one) => one.kernel);
  return <Section id="roofline" title="Roofline" lead={<>What <Defined of="roofline">peak rate and bandwidths</Defined> allow, and what the kernels reach by the timed engine's
    estimate. A kernel has a mark for each memory: as far below its line as it is from being bound by it.</>}>
    {known.length > 1 && <div class="controls"><Choice label="Counted" value={counted} set={setChosen} options={known.map((name) => [name, TITLES[name]] as [Counted, string])} /></div>}
    <Chart label={`Roofline: ${roof.points.length} marks of kernels below the ceilings of ${roof.slopes.map((one) => one.level).join(', ')} and the peak of ${short(roof.peak)} ${TITLES[counted]} per second`}
           build={build(roof, counted)} deps={[page, counted]} height={380}
           caption={<span class="legend inline">{roof.slopes.map((one) => <><span class={`glyph is-${one.level}`} aria-hidden="true">{SHAPES[one.level]}</span>{one.level} </>)}</span>} />
    {without.length > 0 && <p class="note">Without a mark: {without.join(', ')}. {counted !== 'instructions' ? 'No such operations, or a block whose executions are not known.' : ''}</p>}
    <Numbers>
      <Table label="Marks of the kernels" rows={roof.points} keyOf={(row) => `${row.kernel}:${row.level}`} first={24} columns={[
        {title: 'Kernel', text: true, value: (row) => row.kernel}, {title: 'Memory', text: true, value: (row) => row.level},
        {title: 'Bytes moved', value: (row) => row.bytes, show: (row) => bytes(row.bytes)},
        {title: 'Per byte', value: (row) => row.intensity, show: (row) => short(row.intensity)},
        {title: 'Per second', value: (row) => row.rate, show: (row) => short(row.rate)},
        {title: 'Of what is possible there', value: (row) => row.rate / row.intensity, show: (row) => bounding(data, counted, row)}]} />
      <Table label="Ceilings" rows={Object.entries(data.ceilings)} keyOf={(row) => row[0]} columns={[
        {title: 'Ceiling', text: true, value: (row) => row[0]},
        {title: 'Value', value: (row) => row[1] ?? null, show: (row) => `${short(row[1]!)}${row[0] in COLOURS ? 'B/s' : '/s'}`},
        {title: 'From', text: true, value: (row) => data.assumed.includes(row[0]) ? 'assumed by the timed engine' : 'of the GPU’s description'}]} />
    </Numbers>
  </Section>;
}
