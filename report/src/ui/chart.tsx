// uPlot in a figure: it follows the theme and the width, and zooms with the mouse, with buttons and with keys.
import {useEffect, useRef, useState} from 'preact/hooks';
import type {ComponentChildren} from 'preact';
import uPlot from 'uplot';
import {short} from '../format.ts';
import {colour, watch} from './theme.ts';

export interface Look {
  text: string;
  muted: string;
  grid: string;
  series: (name: string) => string;
}

export interface Built {
  options: Omit<uPlot.Options, 'width' | 'height'>;
  data: uPlot.AlignedData;
}

interface Props {
  label: string;                       // what the picture shows, for those who do not see it
  caption?: ComponentChildren;
  build: (look: Look) => Built;
  height?: number;
  deps: unknown[];
  zoomable?: boolean;                  // needs an x scale without a range of its own: uPlot would always take that
  id?: string;
}

function lookOf(): Look {
  return {text: colour('text'), muted: colour('muted'), grid: colour('line'), series: (name) => colour(name)};
}

export function axis(look: Look, label: string, more: Partial<uPlot.Axis> = {}): uPlot.Axis {
  const font = '12px system-ui, sans-serif';
  return {stroke: look.muted, font, labelFont: font, label, labelSize: 22, grid: {stroke: look.grid, width: 1},
          ticks: {stroke: look.grid, width: 1}, values: (_, splits) => splits.map((value) => value === null ? '' : short(value)), ...more};
}

/** A chart's whole x range, and zooming in it. */
class Zoom {
  private readonly least: number;
  private readonly most: number;

  constructor(private readonly plot: uPlot) {
    this.least = plot.scales.x.min ?? 0;
    this.most = plot.scales.x.max ?? 1;
  }

  by(factor: number): void {
    const {min, max} = this.plot.scales.x;
    const middle = (min! + max!) / 2, half = ((max! - min!) / 2) * factor;
    this.set(middle - half, middle + half);
  }

  move(share: number): void {
    const {min, max} = this.plot.scales.x;
    const step = Math.max(this.least - min!, Math.min(this.most - max!, (max! - min!) * share));
    this.set(min! + step, max! + step);
  }

  reset(): void {
    this.plot.setScale('x', {min: this.least, max: this.most});
  }

  private set(min: number, max: number): void {
    const least = (this.most - this.least) / 1e5;
    if (max - min >= least) this.plot.setScale('x', {min: Math.max(min, this.least), max: Math.min(max, this.most)});
  }
}

export function Chart({label, caption, build, height = 280, deps, zoomable = false, id}: Props) {
  const place = useRef<HTMLDivElement>(null);
  const zoom = useRef<Zoom | null>(null);
  const [range, setRange] = useState('');
  useEffect(() => {
    const box = place.current!;
    let plot: uPlot | null = null;
    const draw = () => {
      plot?.destroy();
      const {options, data} = build(lookOf());
      const said = (chart: uPlot) => {
        const {min, max} = chart.scales.x;
        if (zoomable && typeof min === 'number' && typeof max === 'number') setRange(`${short(Math.max(0, min))} to ${short(max)}`);
      };
      const ready = (chart: uPlot) => {  // not before: scales have no range yet
        zoom.current = new Zoom(chart);
        said(chart);
      };
      plot = new uPlot({legend: {show: false}, ...options, width: Math.max(box.clientWidth, 280), height,
                        hooks: {...options.hooks, setScale: [...(options.hooks?.setScale ?? []), said], ready: [ready]}} as uPlot.Options, data, box);
      for (const canvas of box.querySelectorAll('canvas')) canvas.setAttribute('aria-hidden', 'true');
    };
    draw();
    let width = box.clientWidth;
    const observer = new ResizeObserver(() => {
      if (Math.abs(box.clientWidth - width) < 2) return;
      width = box.clientWidth;
      plot?.setSize({width: Math.max(width, 280), height});
    });
    observer.observe(box);
    const unwatch = watch(draw);
    return () => { observer.disconnect(); unwatch(); plot?.destroy(); };
  }, deps);
  const keys = (event: KeyboardEvent) => {
    const actions: Record<string, () => void> = {
      '+': () => zoom.current?.by(0.5), '=': () => zoom.current?.by(0.5), '-': () => zoom.current?.by(2),
      ArrowLeft: () => zoom.current?.move(-0.25), ArrowRight: () => zoom.current?.move(0.25), '0': () => zoom.current?.reset()};
    const action = actions[event.key];
    if (!zoomable || !action || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    action();
  };
  return <figure class="chart" id={id}>
    {caption && <figcaption>{caption}</figcaption>}
    <div class="plot" ref={place} role="img" aria-label={label} tabIndex={zoomable ? 0 : undefined} onKeyDown={keys} />
    {zoomable && <div class="zoom" role="group" aria-label="Zoom">
      <button type="button" onClick={() => zoom.current?.by(0.5)}>Zoom in</button>
      <button type="button" onClick={() => zoom.current?.by(2)}>Zoom out</button>
      <button type="button" onClick={() => zoom.current?.move(-0.25)} aria-label="Move left">←</button>
      <button type="button" onClick={() => zoom.current?.move(0.25)} aria-label="Move right">→</button>
      <button type="button" onClick={() => zoom.current?.reset()}>Whole range</button>
      <span class="muted" role="status">{range}</span>
      <span class="muted keys">Drag over the chart to zoom; or its keys + − ← → 0</span>
    </div>}
  </figure>;
}
