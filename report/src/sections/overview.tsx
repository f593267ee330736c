// What ran, the key rates, and the findings.
import {useContext} from 'preact/hooks';
import type {Finding} from '../data.ts';
import {count, percent, plural, ratio} from '../format.ts';
import {allHits, allLookedUp, every, hitRate, number, over, percentOf} from '../shape.ts';
import {PageState, unitOf} from '../state.ts';
import {Defined} from '../ui/definition.tsx';
import {Section, Tile} from '../ui/section.tsx';

function occupancy(profiler: {ncu?: Record<string, number>} | null): number | null {
  return profiler?.ncu?.['sm__maximum_warps_per_active_cycle_pct'] ?? null;
}

function KeyRates() {
  const {page} = useContext(PageState);
  const {total} = page;
  const load = total.load, local = total.local_memory, cycles = page.timed?.cycles ?? null;
  const theoretical = occupancy(page.profiler);
  return <dl class="tiles">
    {cycles !== null && <Tile name={<Defined of="cycles">cycles</Defined>} value={count(cycles)} note={<span class="grade is-estimated">estimated</span>} />}
    <Tile name={<Defined of="hit rate">L1 hit rate, loads</Defined>} value={percent(hitRate(load))}
          note={`with stores${number(total.atomic, 'requests') ? ' and atomics' : ''}: ${percent(percentOf(allHits(total), allLookedUp(total)))}`} />
    <Tile name={<Defined of="transactions per request">{unitOf(page)}s per request, loads</Defined>}
          value={ratio(over(number(load, 'transactions'), number(load, 'requests')))}
          note={`stores: ${ratio(over(number(total.store, 'transactions'), number(total.store, 'requests')))}`} />
    <Tile name={<Defined of="requests">requests</Defined>} value={count(every(total, 'requests'))}
          note={`${count(every(total, 'transactions'))} transactions`} />
    {local && <Tile name={<Defined of="bank conflict degree">bank conflict degree</Defined>} value={ratio(local.beta)}
                    note={`worst: ${count(local.max_degree)}`} />}
    {theoretical !== null && <Tile name={<Defined of="theoretical occupancy">theoretical occupancy</Defined>} value={percent(theoretical, 0)} />}
  </dl>;
}

function FindingCard({finding, place}: {finding: Finding; place: number}) {
  const {page, choose} = useContext(PageState);
  const source = page.sources.findIndex((one) => one.name === finding.source);
  const where = source >= 0 ? source : 0;
  return <li class="finding">
    <h3><span class="rank" aria-hidden="true">{place}</span>{finding.title}
      {finding.grade && <span class={`grade is-${finding.grade}`}>{finding.grade}</span>}</h3>
    {finding.cause && <p>{finding.cause}</p>}
    <dl class="pairs inline">
      {finding.line ? <div><dt>Line</dt><dd><button type="button" class="link"
        onClick={() => choose({source: where, line: finding.line!}, true)}>{page.sources[where]?.name ?? 'line'}:{finding.line}</button></dd></div> : null}
      {finding.buffer && <div><dt>Buffer</dt><dd><code>{finding.buffer}</code></dd></div>}
      {finding.cost && <div><dt>Cost</dt><dd>{finding.cost}</dd></div>}
      {finding.gain && <div><dt>Gain</dt><dd><strong>{finding.gain}</strong></dd></div>}
      {finding.advice && <div><dt>Try</dt><dd>{finding.advice}</dd></div>}
    </dl>
  </li>;
}

export function Overview() {
  const {page} = useContext(PageState);
  return <Section id="overview" title="Overview" lead={<>
    {plural(page.launches.count, 'launch', 'launches')} simulated on {String(page.context.description ?? page.context.preset ?? 'a cache')}
    {page.timed ? ', in the fixed order and cycle by cycle.' : ', in the fixed order.'}</>}>
    {page.notes.map((note) => <p class="warning" role="note">{note}</p>)}
    {page.bound.length > 0 && <p class="bound"><strong>{page.bound[0]}</strong>{page.bound.length > 1 && <><br /><span class="muted">{page.bound.slice(1).join(' ')}</span></>}</p>}
    {page.clocks?.why && <p class="warning" role="note">Cycles cover {count(page.clocks.timed_launches ?? 0)} of {plural(page.clocks.launches ?? 0, 'launch', 'launches')}: {page.clocks.why}.</p>}
    <KeyRates />
    {page.findings.length > 0 && <><h3 class="sub">Findings</h3>
      <ol class="findings">{page.findings.map((finding, index) => <FindingCard finding={finding} place={index + 1} />)}</ol></>}
  </Section>;
}
