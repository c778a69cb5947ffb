/** One line over time, by uPlot. Loaded with the first plot. */
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';

const HEIGHT = 110;

/** Seconds, and what was measured then. */
export type PlotData = [times: number[], values: (number | null)[]];

export interface LinePlot {
  setData(data: PlotData): void;
  destroy(): void;
}

const clockTime = (seconds: number): string => new Date(seconds * 1000).toLocaleTimeString('en-GB');

export function createLinePlot(parent: HTMLElement, { colour, data }: { colour: string; data: PlotData }): LinePlot {
  const style = getComputedStyle(parent);
  const resolved = (name: string): string => {
    // A canvas knows no light-dark(): the colour is taken from an element that has it.
    parent.style.color = `var(${name})`;
    const found = style.color;
    parent.style.color = '';
    return found;
  };
  const axis = { stroke: resolved('--dim'), grid: { stroke: resolved('--line'), width: 1 }, ticks: { show: false } };
  const plot = new uPlot(
    {
      width: parent.clientWidth,
      height: HEIGHT,
      legend: { show: false },
      cursor: { y: false, drag: { setScale: false } },
      scales: { y: { range: (_plot, _min, max) => [0, max > 0 ? max * 1.2 : 1] } },
      series: [{}, { stroke: resolved(colour), width: 2, points: { show: true, size: 4 } }],
      axes: [
        { ...axis, size: 24, font: '11px system-ui', space: 70, values: (_plot, times) => times.map(clockTime) },
        { ...axis, size: 48, font: '11px system-ui' },
      ],
    },
    data,
    parent,
  );
  const observer = new ResizeObserver(() => plot.setSize({ width: parent.clientWidth, height: HEIGHT }));
  observer.observe(parent);
  return {
    setData: (next) => plot.setData(next),
    destroy() {
      observer.disconnect();
      plot.destroy();
    },
  };
}
