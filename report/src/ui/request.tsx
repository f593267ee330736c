// A typical request: its lanes, and the sectors or the banks that they touch.
import type {Request} from '../data.ts';
import {plural} from '../format.ts';
import {Drawing, drawing} from '../shape.ts';

const WIDTH = 416, LANES = 30;  // of the picture; y of the lanes' lower edge

function Lanes({lanes, of}: {lanes: number; of: number}) {
  const cell = WIDTH / of;
  return <g class="lanes">{Array.from({length: of}, (_, lane) => <g>
    <rect x={lane * cell + 0.5} y={LANES - 15} width={cell - 1} height={15} rx={2} class={lane < lanes ? 'on' : 'off'} />
    {(of <= 32 || lane % 4 === 0) && <text x={(lane + 0.5) * cell} y={LANES - 5}>{lane}</text>}</g>)}</g>;
}

function Links({from, to, of, bottom}: {from: number[]; to: number[]; of: number; bottom: number}) {
  const cell = WIDTH / of;
  return <g class="links">{from.map((lane, at) => <line x1={(lane + 0.5) * cell} y1={LANES} x2={to[at]} y2={bottom} />)}</g>;
}

function Sectors({shape, warp, perLine}: {shape: Drawing; warp: number; perLine: number}) {
  const lines = [...new Set(shape.sectors.map((sector) => Math.floor(sector / perLine)))];
  const gap = lines.length > 24 ? 2 : 6, width = Math.min(64, (WIDTH - gap * (lines.length - 1)) / lines.length);
  const cell = width / perLine, top = 84;
  const start = (WIDTH - lines.length * width - gap * (lines.length - 1)) / 2;
  const x = (sector: number) => start + lines.indexOf(Math.floor(sector / perLine)) * (width + gap) + (sector % perLine + 0.5) * cell;
  const touched = new Set(shape.sectors);
  const links = shape.lanes.flatMap((lane) => lane.cells.map((sector) => [lane.lane, x(sector)]));
  return <>
    <Links from={links.map((one) => one[0])} to={links.map((one) => one[1])} of={warp} bottom={top} />
    <g class="cells">{lines.flatMap((line) => Array.from({length: perLine}, (_, part) => {
      const sector = line * perLine + part;
      return <rect x={x(sector) - cell / 2 + 0.5} y={top} width={Math.max(cell - 1, 1)} height={20} class={touched.has(sector) ? 'on' : 'off'} />;
    }))}</g>
  </>;
}

function Banks({shape, warp}: {shape: Drawing; warp: number}) {
  const cell = WIDTH / 32, top = 84, height = shape.degree > 8 ? 8 : 14;
  const rows = new Map<number, number>();  // word: its place in its bank
  const used = new Array<number>(32).fill(0);
  for (const word of shape.sectors) rows.set(word, used[word % 32]++);
  const links = shape.lanes.flatMap((lane) => lane.cells.map((word) => [lane.lane, (word % 32 + 0.5) * cell]));
  return <>
    <Links from={links.map((one) => one[0])} to={links.map((one) => one[1])} of={warp} bottom={top} />
    <g class="cells">
      {used.map((words, bank) => words === 0 && <rect x={bank * cell + 1} y={top} width={cell - 2} height={height - 1} class="off" />)}
      {shape.sectors.map((word) => <rect x={(word % 32) * cell + 1} y={top + rows.get(word)! * height} width={cell - 2} height={height - 1} class="on" />)}
      {used.map((_, bank) => <text x={(bank + 0.5) * cell} y={top + Math.max(shape.degree, 1) * height + 12}>{bank}</text>)}
    </g>
  </>;
}

export function RequestPicture({request, width, sectorBytes, lineBytes, warp}:
    {request: Request; width: number; sectorBytes: number; lineBytes: number; warp: number}) {
  const shape = drawing(request, width, sectorBytes, lineBytes);
  const local = request.space === 'local';
  const unit = sectorBytes < lineBytes ? 'sector' : 'line';
  const said = local
    ? `${plural(shape.lanes.length, 'lane')}, ${plural(shape.sectors.length, 'word')} of 4 bytes; at most ${plural(shape.degree, 'word')} in one bank`
    : `${plural(shape.lanes.length, shape.lanes.length < warp ? 'active lane' : 'lane')} touch ${plural(shape.sectors.length, unit)}${unit === 'sector' ? ` in ${plural(shape.lines, 'line')}` : ''}`;
  const height = local ? 112 + Math.max(shape.degree, 1) * (shape.degree > 8 ? 8 : 14) : 122;
  const lanes = Math.max(warp, shape.lanes.length);
  return <figure class="request">
    <figcaption>Typical request: {said}. <span class="muted">The one of median cost among {request.of}
      {local ? ', first warp of the launch' : ''}.</span></figcaption>
    <svg viewBox={`0 0 ${WIDTH} ${height}`} role="img" aria-label={`Drawing of a typical request: ${said}`}>
      <text x={0} y={10} class="name">lanes</text>
      <Lanes lanes={shape.lanes.length} of={lanes} />
      {local ? <Banks shape={shape} warp={lanes} /> : <Sectors shape={shape} warp={lanes} perLine={Math.max(1, lineBytes / sectorBytes)} />}
      <text x={0} y={height - 4} class="name">{local ? 'banks of local memory' : unit === 'sector' ? `lines of ${lineBytes} bytes, sectors of ${sectorBytes}` : `lines of ${lineBytes} bytes`}</text>
    </svg>
  </figure>;
}
