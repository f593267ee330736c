// A part of the page with a heading, a table behind a chart, and other small things that all sections share.
import type {ComponentChildren} from 'preact';

export function Section({id, title, lead, children}: {id: string; title: string; lead?: ComponentChildren; children: ComponentChildren}) {
  return <section id={id} aria-labelledby={`${id}-title`}>
    <h2 id={`${id}-title`}>{title}</h2>
    {lead && <p class="lead">{lead}</p>}
    {children}
  </section>;
}

/** The numbers of a chart as a table, closed until asked for. */
export function Numbers({children}: {children: ComponentChildren}) {
  return <details class="numbers"><summary>The numbers as a table</summary>{children}</details>;
}

export function Choice<Value extends string>({label, value, options, set}:
    {label: string; value: Value; options: [Value, string][]; set: (value: Value) => void}) {
  return <label class="choice"><span>{label}</span>
    <select value={value} onChange={(event) => set(event.currentTarget.value as Value)}>
      {options.map(([key, text]) => <option value={key}>{text}</option>)}
    </select></label>;
}

/** One bar of parts with their legend; the parts' names and numbers are text next to it, colour alone says nothing. */
export function StackedBar({label, parts}: {label: string; parts: {name: string; said?: string; percent: number; text: string}[]}) {
  return <div class="stacked">
    <div class="track" role="img" aria-label={`${label}: ${parts.map((part) => `${part.said ?? part.name} ${part.text}`).join(', ')}`}>
      {parts.map((part) => <span class={`part is-${part.name.replace(/[^a-z]+/g, '-')}`} style={{width: `${part.percent}%`}}
                                title={`${part.said ?? part.name}: ${part.text}`} />)}
    </div>
  </div>;
}

/** `said`: what is written in place of the name, which gives the colour. */
export function Legend({parts}: {parts: {name: string; said?: string; text?: ComponentChildren}[]}) {
  return <ul class="legend">{parts.map((part) => <li>
    <span class={`swatch is-${part.name.replace(/[^a-z]+/g, '-')}`} aria-hidden="true" />{part.said ?? part.name.replace(/_/g, ' ')}
    {part.text !== undefined && <span class="muted"> {part.text}</span>}
  </li>)}</ul>;
}

export function Tile({name, value, note}: {name: ComponentChildren; value: string; note?: ComponentChildren}) {
  return <div class="tile"><dt>{name}</dt><dd><span class="value">{value}</span>{note && <span class="muted">{note}</span>}</dd></div>;
}
