// Other L1 caches: misses by capacity and ways, as a table of colours.
import {useContext} from 'preact/hooks';
import {percent} from '../format.ts';
import {PageState} from '../state.ts';
import {Defined} from '../ui/definition.tsx';
import {Section} from '../ui/section.tsx';

export function Caches() {
  const {page} = useContext(PageState);
  const {caches} = page;
  if (!caches) return null;
  const all = caches.misses.flat().filter((value): value is number => value !== null);
  const least = Math.min(...all), most = Math.max(...all);
  const shade = (value: number) => most > least ? 0.04 + 0.36 * (value - least) / (most - least) : 0.04;
  const said = most - least < 0.05 ? `All miss ${percent(most)} of the loads: neither capacity nor ways decide.`
    : `From ${percent(least)} to ${percent(most)} of the loads' transactions miss.`;
  return <Section id="caches" title="Other L1 caches" lead={<>{said} <Defined of="miss rate">Miss rate</Defined> of loads in LRU caches of this capacity and these ways, with
    lines, sectors and set index of this GPU.</>}>
    <div class="scroll" tabIndex={0} role="group" aria-label="Miss rates by capacity and ways">
      <table class="heatmap"><caption class="hidden">Miss rate of loads by capacity and ways</caption>
        <thead><tr><th scope="col" class="text">Ways</th>{caches.sizes.map((size) => <th scope="col">{size} KiB</th>)}</tr></thead>
        <tbody>{caches.ways.map((ways, row) => <tr><th scope="row" class="text">{ways}</th>
          {caches.misses[row].map((value) => <td style={value === null ? undefined : {background: `rgba(var(--heat), ${shade(value).toFixed(2)})`}}>{percent(value)}</td>)}</tr>)}</tbody>
      </table>
    </div>
    <p class="note">cachesim sweep has more: other policies, lines and sizes, and the smallest cache that comes close to the best.</p>
  </Section>;
}
