// What goes between warps, caches and memories, as boxes and arrows: Nsight Compute's memory chart.
import {useContext, useState} from 'preact/hooks';
import {bytes, count, percent} from '../format.ts';
import {Chart, Flow, Link, Place, flowText, memoryChart} from '../memory.ts';
import {percentOf} from '../shape.ts';
import {PageState} from '../state.ts';
import {Defined} from '../ui/definition.tsx';
import {Choice, Numbers, Section} from '../ui/section.tsx';
import {Table} from '../ui/table.tsx';

const THIN = 1.5, THICK = 9;  // pixels of an arrow's shaft

function Arrow({of, most}: {of: Flow; most: number}) {
  const size = of.moved ?? of.requests ?? 0;
  const share = of.moved === null ? 0 : most ? Math.sqrt(of.moved / most) : 0;
  return <p class={`flow ${of.back ? 'back' : 'out'} ${size ? '' : 'none'}`} style={{'--shaft': `${(THIN + (THICK - THIN) * share).toFixed(1)}px`}}>
    <span><span class="hidden">{of.from} to {of.to}: </span>{flowText(of)}</span></p>;
}

function Between({link, most}: {link: Link; most: number}) {
  return <div class={`link at-${link.area}`}>
    {link.title && <p class="muted">{link.title}</p>}
    {link.flows.map((one) => <Arrow of={one} most={most} />)}
  </div>;
}

function Box({place}: {place: Place}) {
  return <div class={`node at-${place.area}`}>
    <p><strong>{place.name}</strong>{place.also && <span class="muted"> ({place.also})</span>}</p>
    {place.rates.map(([what, lookedUp, hits]) => <p>{what}: <strong>{percent(percentOf(hits, lookedUp))}</strong> hit</p>)}
    {place.lines.map((line) => <p>{line}</p>)}
  </div>;
}

interface Row {
  part: string;
  requests: number | null;
  moved: number | null;
  lookedUp: number | null;
  hits: number | null;
}

function rows({places, links}: Chart): Row[] {
  const flows = links.flatMap((link) => link.flows.map((one) => ({
    part: `${one.from} to ${one.to}: ${one.what}${link.title ? `, ${link.title}` : ''}`, requests: one.requests, moved: one.moved, lookedUp: null, hits: null})));
  const rates = places.flatMap((place) => place.rates.map(([what, lookedUp, hits]) => ({part: `${place.name}: ${what}`, requests: null, moved: null, lookedUp, hits})));
  return [...flows, ...rates];
}

export function MemoryView() {
  const {page} = useContext(PageState);
  const [chosen, setChosen] = useState('0');
  const shown = page.memory[Number(chosen)] ?? page.memory[0];
  if (!shown) return null;
  const peak = page.preset.find(([key]) => key === 'dram_bandwidth_gb_per_s')?.[1];
  const chart = memoryChart(shown.numbers, typeof peak === 'number' ? peak : null);
  const most = Math.max(...chart.links.flatMap((link) => link.flows.map((one) => one.moved ?? 0)));
  // A box comes after the arrows that lead to it: the order in which the chart is read out, and drawn from top to bottom in a narrow window.
  const ordered = ['warps', 'global', 'private', 'l1', 'l1-l2', 'l2', 'l2-dram', 'dram', 'shared-link', 'shared', 'constant-link', 'constant'];
  return <Section id="memory" title="Memory chart" lead={<>What the warps ask of each memory, and what goes between the memories. <Defined of="memory chart">{''}</Defined>
    {' '}{shown.timed ? <>Requests and bytes of the warps are exact, hit rates and the rest the timed engine's <strong>estimate</strong>.</> : 'In fixed order, which ends with the L1.'}</>}>
    {page.memory.length > 1 && <div class="controls"><Choice label="Launch" value={chosen} set={setChosen}
      options={page.memory.map((one, index) => [`${index}`, one.name] as [string, string])} /></div>}
    <div class="memory"><div class="memory-chart" role="group" aria-label={`Memory chart: ${shown.name}`}>
      {ordered.map((area) => {
        const place = chart.places.find((one) => one.area === area), link = chart.links.find((one) => one.area === area);
        return place ? <Box place={place} /> : link ? <Between link={link} most={most} /> : null;
      })}
    </div></div>
    <Numbers><Table label="Numbers of the memory chart" rows={rows(chart)} keyOf={(row) => row.part} first={40} columns={[
      {title: 'Part', text: true, value: (row) => row.part},
      {title: 'Requests', definition: 'requests', value: (row) => row.requests, show: (row) => count(row.requests)},
      {title: 'Bytes', value: (row) => row.moved, show: (row) => row.moved === null ? '–' : <span title={bytes(row.moved)}>{count(row.moved)}</span>},
      {title: 'Looked up', value: (row) => row.lookedUp, show: (row) => count(row.lookedUp)},
      {title: 'Hits', definition: 'hits', value: (row) => row.hits, show: (row) => count(row.hits)},
      {title: 'Hit rate', value: (row) => row.lookedUp === null ? null : percentOf(row.hits!, row.lookedUp), show: (row) => row.lookedUp === null ? '–' : percent(percentOf(row.hits!, row.lookedUp))}]} /></Numbers>
  </Section>;
}
