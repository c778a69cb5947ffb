/** What a pod or a node uses, as the metrics API measures it, since the page was opened. */
import { useEffect, useRef } from 'preact/hooks';
import type { ApiObject } from '../api/objects.ts';
import { api } from '../api/request.ts';
import { findType, pathOf, type ResourceType } from '../api/resources.ts';
import { quantityOf } from '../format.ts';
import { Card } from '../parts/basics.tsx';
import type { LinePlot, PlotData } from '../parts/line-plot.ts';
import { usePolled } from '../parts/use-polled.ts';
import { T } from '../texts.ts';
import { theme } from '../theme.ts';
import type { TabProps } from './tab-props.ts';

interface Usage {
  readonly cpu?: string;
  readonly memory?: string;
}

interface Measured {
  readonly timestamp?: string;
  readonly usage?: Usage;
  readonly containers?: readonly { readonly usage?: Usage }[];
}

interface Sample {
  readonly at: number;
  readonly cores: number;
  readonly mebibytes: number;
}

const POLL_MS = 5000;
const MAX_SAMPLES = 720;
const MIN_SECONDS = 120;
const MEASURED: ReadonlySet<string> = new Set(['pods', 'nodes']);

export function UsageCard({ type, object }: TabProps) {
  const measured = MEASURED.has(type.key) ? findType(`${type.key}.metrics.k8s.io`) : undefined;
  if (!MEASURED.has(type.key)) return null;
  return (
    <Card title={T.object.usage}>
      {measured ? <Usages measured={measured} object={object} /> : <p class="dim">{T.object.noMetrics}</p>}
    </Card>
  );
}

function Usages({ measured, object }: { measured: ResourceType; object: ApiObject }) {
  const { value: samples = [], error } = usePolled<readonly Sample[]>(
    async (signal, last = []) => {
      const sample = sampleOf(await api<Measured>(pathOf(measured, object.metadata), { signal }));
      return last.at(-1)?.at === sample.at ? last : [...last, sample].slice(-MAX_SAMPLES);
    },
    { everyMs: POLL_MS, on: [measured.key, object.metadata.uid] },
  );
  return (
    <>
      {samples.length === 0 && <p class="dim">{error === undefined ? T.object.usageWaiting : T.object.noUsage}</p>}
      {samples.length > 0 && (
        <div class="plots">
          <Plot title={T.object.cpu} samples={samples} of={({ cores }) => cores} colour="--accent" digits={3} />
          <Plot title={T.object.memory} samples={samples} of={({ mebibytes }) => mebibytes} colour="--ok" digits={1} />
        </div>
      )}
    </>
  );
}

function sampleOf({ timestamp, usage, containers = [] }: Measured): Sample {
  const all = usage ? [usage] : containers.map((container) => container.usage ?? {});
  const sum = (read: (each: Usage) => number): number => all.reduce((total, each) => total + read(each), 0);
  return {
    at: Date.parse(timestamp ?? '') / 1000 || Date.now() / 1000,
    cores: sum(({ cpu = '0' }) => quantityOf(cpu)),
    mebibytes: sum(({ memory = '0' }) => quantityOf(memory)) / 1024 ** 2,
  };
}

interface PlotProps {
  readonly title: string;
  readonly samples: readonly Sample[];
  readonly of: (sample: Sample) => number;
  readonly colour: string;
  readonly digits: number;
}

function Plot({ title, samples, of, colour, digits }: PlotProps) {
  const parent = useRef<HTMLDivElement>(null);
  const plot = useRef<LinePlot>(undefined);
  const data = (): PlotData => {
    const [times, values] = [samples.map(({ at }) => at), samples.map(of)];
    const last = times.at(-1) ?? 0;
    // A line needs some width from its first point on.
    return last - (times[0] ?? 0) < MIN_SECONDS
      ? [
          [last - MIN_SECONDS, ...times],
          [null, ...values],
        ]
      : [times, values];
  };
  useEffect(() => {
    let ended = false;
    void import('../parts/line-plot.ts').then(({ createLinePlot }) => {
      if (!ended) plot.current = createLinePlot(parent.current!, { colour, data: data() });
      return undefined;
    });
    return () => {
      ended = true;
      plot.current?.destroy();
    };
  }, [theme.value]);
  useEffect(() => plot.current?.setData(data()), [samples]);
  const latest = samples.at(-1);
  return (
    <div class="plot">
      <h3>
        {title} <strong>{latest ? of(latest).toFixed(digits) : ''}</strong>
      </h3>
      <div ref={parent} />
    </div>
  );
}
