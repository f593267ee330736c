// The page: reads its data, and draws the sections that there is data for.
import {render} from 'preact';
import type {ComponentType} from 'preact';
import {useEffect, useMemo, useState} from 'preact/hooks';
import 'uplot/dist/uPlot.min.css';
import './style.css';
import type {Page} from './data.ts';
import {accesses, lines} from './shape.ts';
import {Chosen, PageState, State} from './state.ts';
import {Buffers} from './sections/buffers.tsx';
import {Caches} from './sections/caches.tsx';
import {Classes} from './sections/classes.tsx';
import {Context, Generations, Missing} from './sections/context.tsx';
import {Launches} from './sections/launches.tsx';
import {Overview} from './sections/overview.tsx';
import {Pattern} from './sections/pattern.tsx';
import {Reuse} from './sections/reuse.tsx';
import {Roofline} from './sections/roofline.tsx';
import {Sets} from './sections/sets.tsx';
import {SourceView} from './sections/source.tsx';
import {MachineCodeView} from './sections/machine.tsx';
import {MemoryView} from './sections/memory.tsx';
import {Occupancy, TimedView} from './sections/timed.tsx';
import {Timeline} from './sections/timeline.tsx';
import {WhatIfs} from './sections/whatif.tsx';
import {DefinitionDialog, Definitions, meaningOf} from './ui/definition.tsx';
import {Choice} from './ui/section.tsx';
import {Theme, apply, stored} from './ui/theme.ts';

const SECTIONS: ComponentType[] = [Overview, MemoryView, Launches, SourceView, MachineCodeView, Buffers, Pattern, Classes, Reuse, Caches, Sets, Roofline, Occupancy,
  TimedView, Timeline, Generations, WhatIfs, Context, Missing];

/** Links to the sections that are there. */
function Navigation() {
  const [links, setLinks] = useState<[string, string][]>([]);
  const [current, setCurrent] = useState('');
  useEffect(() => {
    const sections = [...document.querySelectorAll<HTMLElement>('main > section')];
    setLinks(sections.map((section) => [section.id, section.querySelector('h2')!.textContent ?? '']));
    const observer = new IntersectionObserver((entries) => {
      for (const entry of entries) if (entry.isIntersecting) setCurrent(entry.target.id);
    }, {rootMargin: '-10% 0px -80% 0px'});
    sections.forEach((section) => observer.observe(section));
    return () => observer.disconnect();
  }, []);
  return <nav aria-label="Sections"><ul>{links.map(([id, title]) => <li>
    <a href={`#${id}`} aria-current={current === id ? 'true' : undefined}>{title}</a></li>)}</ul></nav>;
}

function App({page}: {page: Page}) {
  const [theme, setTheme] = useState<Theme>(stored());
  const [defined, setDefined] = useState<string | null>(null);
  const [chosen, setChosen] = useState<Chosen | null>(null);
  const all = useMemo(() => accesses(page), [page]);
  const bySource = useMemo(() => lines(all), [all]);
  useEffect(() => apply(theme), [theme]);
  const choose = (line: Chosen | null, show = false) => {
    setChosen(line);
    if (show && line) requestAnimationFrame(() => requestAnimationFrame(() => {
      const row = document.getElementById(`line-${line.source}-${line.line}`);
      row?.scrollIntoView({block: 'center'});
      row?.querySelector('button')?.focus({preventScroll: true});
    }));
  };
  const state: State = {page, accesses: all, lines: bySource, chosen, choose};
  const definitions = useMemo(() => ({find: (name: string) => meaningOf(page.definitions, name), open: setDefined}), [page]);
  return <PageState.Provider value={state}><Definitions.Provider value={definitions}>
    <a class="skip" href="#main">Skip to the content</a>
    <header>
      <div><p class="brand">Warpscope</p><h1>{page.title}</h1><p class="muted">{page.subtitle}</p></div>
      <Choice label="Theme" value={theme} set={setTheme} options={[['system', 'as the system'], ['light', 'light'], ['dark', 'dark']]} />
    </header>
    <div class="columns">
      <Navigation />
      <main id="main" tabIndex={-1}>{SECTIONS.map((Part) => <Part />)}</main>
    </div>
    <footer><p class="muted">Made by {String(page.context.tool)} {String(page.context.version)} ({String(page.context.commit)}){page.context.model_version ? `, model ${page.context.model_version}` : ''}.
      This page holds all its data and fetches nothing. It contains Preact and uPlot, both under the MIT licence.</p></footer>
    <DefinitionDialog name={defined} close={() => setDefined(null)} />
  </Definitions.Provider></PageState.Provider>;
}

const data = document.getElementById('result')!.textContent!;
render(<App page={JSON.parse(data) as Page} />, document.getElementById('page')!);
