/** The control plane as boxes, with the rates of requests and their latencies on the wires between them. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { METRICS_PATH, readMetrics, ratesBetween, type Client, type Metrics, type Rates } from '../api/metrics.ts';
import type { ApiObject, ObjectList } from '../api/objects.ts';
import { api, ApiError, apiText, messageOf } from '../api/request.ts';
import { age, visible } from '../format.ts';
import type { Health } from '../health.ts';
import { Notice, shapeOf } from '../parts/basics.tsx';
import { usePolled } from '../parts/use-polled.ts';
import { objectLink } from '../router.ts';
import { T } from '../texts.ts';

const POLL_MS = 5000;

interface Lease extends ApiObject {
  readonly spec?: {
    readonly holderIdentity?: string;
    readonly renewTime?: string;
    readonly leaseDurationSeconds?: number;
  };
}

interface PlaneState {
  readonly ready: boolean;
  readonly failing: readonly string[];
  readonly leases: readonly Lease[];
  readonly rates?: Rates | undefined;
  readonly problem?: string | undefined;
}

export function ControlPlane({ nodes }: { nodes: number }) {
  const [version, setVersion] = useState('');
  const before = useRef<Metrics>(undefined);
  const { value: state } = usePolled<PlaneState>(
    async (signal) => {
      const [checks, metrics, leases] = await Promise.all([readiness(signal), sample(signal), readLeases(signal)]);
      if (typeof metrics === 'string') return { ...checks, leases, problem: metrics };
      const last = before.current;
      before.current = metrics;
      return { ...checks, leases, rates: last && ratesBetween(last, metrics) };
    },
    // Rates need two samples; the second need not wait as long.
    { everyMs: POLL_MS, secondMs: POLL_MS / 5, on: [] },
  );
  useEffect(() => {
    api<{ gitVersion?: string }>('/version').then(
      ({ gitVersion = '' }) => setVersion(gitVersion),
      () => undefined,
    );
  }, []);
  return (
    <section class="card" aria-label={T.cluster.controlPlane}>
      <h2>{T.cluster.controlPlane}</h2>
      {state?.failing.map((check) => (
        <Notice key={check} kind="error">
          {visible(check)}
        </Notice>
      ))}
      <Plane state={state} version={version} nodes={nodes} />
      {state?.problem && <p class="dim">{state.problem}</p>}
    </section>
  );
}

const MAX_HOLDER = 24;
const shortened = (holder = ''): string =>
  visible(holder.length > MAX_HOLDER ? `${holder.slice(0, MAX_HOLDER)}…` : holder);

const BOX = { width: 216, height: 58 };
const PLACES = {
  clients: { x: 110, y: 125 },
  api: { x: 450, y: 125 },
  etcd: { x: 790, y: 125 },
  controllers: { x: 300, y: 33 },
  scheduler: { x: 600, y: 33 },
  kubelets: { x: 300, y: 217 },
  others: { x: 600, y: 217 },
} as const;
type Part = keyof typeof PLACES;

function Plane({ state, version, nodes }: { state: PlaneState | undefined; version: string; nodes: number }) {
  const rates = state?.rates;
  const wire = (client: Client): string => {
    const found = rates?.clients[client];
    if (!found) return '';
    const latency = found.latencyMs === undefined ? '' : ` · ${found.latencyMs.toFixed(1)} ms`;
    return `${found.rate.toFixed(1)}/s${latency}`;
  };
  /** Without a lease nobody tells whether it runs, so it has no mark. */
  const leader = (name: string): { line: string; health?: Health; href?: string } => {
    const lease = state?.leases.find(({ metadata }) => metadata.name === name);
    if (!lease) return { line: state ? T.cluster.noLease : '' };
    const { renewTime, leaseDurationSeconds = 15 } = lease.spec ?? {};
    const late = !!renewTime && Date.now() - Date.parse(renewTime) > leaseDurationSeconds * 4000;
    const line = T.cluster.leader(shortened(lease.spec?.holderIdentity), age(renewTime, Date.now()));
    return { line, health: late ? 'bad' : 'ok', href: objectLink('leases.coordination.k8s.io', lease.metadata) };
  };
  const health: Health = state === undefined ? 'wait' : state.ready ? 'ok' : 'bad';
  const etcd = rates?.store;
  const ofStore = etcd?.latencyMs === undefined ? '' : ` · ${etcd.latencyMs.toFixed(1)} ms`;
  return (
    <div class="plane">
      <svg viewBox="0 0 900 252" role="group" aria-label={T.cluster.controlPlane}>
        <Wire of="clients" text={wire('clients')} rate={rates?.clients.clients.rate} />
        <Wire of="controllers" text={wire('controllers')} rate={rates?.clients.controllers.rate} />
        <Wire of="scheduler" text={wire('scheduler')} rate={rates?.clients.scheduler.rate} />
        <Wire of="kubelets" text={wire('kubelets')} rate={rates?.clients.kubelets.rate} />
        <Wire of="others" text={wire('others')} rate={rates?.clients.others.rate} />
        <Wire of="etcd" text={etcd ? `${etcd.rate.toFixed(1)}/s${ofStore}` : ''} rate={etcd?.rate} />
        <Box part="clients" title={T.cluster.parts.clients} line={T.cluster.parts.clientsHint} />
        <Box
          part="api"
          title="kube-apiserver"
          health={health}
          line={
            rates
              ? T.cluster.served(rates.rate.toFixed(1), rates.latencyMs?.toFixed(1))
              : visible(version) || T.state.loading
          }
        />
        <Box part="etcd" title="etcd" health={health} line={T.cluster.parts.store} />
        <Box part="controllers" title="kube-controller-manager" {...leader('kube-controller-manager')} />
        <Box part="scheduler" title="kube-scheduler" {...leader('kube-scheduler')} />
        <Box part="kubelets" title={T.cluster.parts.kubelets} line={T.cluster.parts.nodes(nodes)} />
        <Box part="others" title={T.cluster.parts.others} line={T.cluster.parts.othersHint} />
      </svg>
    </div>
  );
}

function Wire({ of, text, rate = 0 }: { of: Exclude<Part, 'api'>; text: string; rate?: number | undefined }) {
  const [from, to] = [PLACES[of], PLACES.api];
  // Boxes are drawn over the ends. Labels stand where the wire is free.
  const part = of === 'clients' || of === 'etcd' ? 0.5 : 0.52;
  const [x, y] = [from.x + (to.x - from.x) * part, from.y + (to.y - from.y) * part];
  return (
    <g class="plane-wire">
      <line x1={from.x} y1={from.y} x2={to.x} y2={to.y} stroke-width={1.5 + Math.min(5, Math.log2(1 + rate))} />
      {text !== '' && (
        <text x={x} y={of === 'clients' || of === 'etcd' ? y - 8 : y + 4} text-anchor="middle">
          {text}
        </text>
      )}
    </g>
  );
}

interface BoxProps {
  readonly part: Part;
  readonly title: string;
  readonly line: string;
  readonly health?: Health;
  readonly href?: string;
}

function Box({ part, title, line, health, href }: BoxProps) {
  const { x, y } = PLACES[part];
  const left = x - BOX.width / 2;
  const content = (
    <>
      <rect x={left} y={y - BOX.height / 2} width={BOX.width} height={BOX.height} rx="9" />
      {health && (
        <g class={`pod ${health}`} transform={`translate(${left + 12} ${y - 15})`}>
          <title>{T.health[health]}</title>
          <path d={shapeOf(health)} />
        </g>
      )}
      <text class="title" x={left + (health ? 30 : 14)} y={y - 4}>
        {title}
      </text>
      <text class="line" x={left + 14} y={y + 16}>
        {line}
      </text>
    </>
  );
  return href ? (
    <a href={href} class="plane-box" aria-label={`${title}: ${line}`}>
      {content}
    </a>
  ) : (
    <g class="plane-box">{content}</g>
  );
}

async function readiness(signal: AbortSignal): Promise<{ ready: boolean; failing: readonly string[] }> {
  try {
    await apiText('/readyz?verbose', { signal });
    return { ready: true, failing: [] };
  } catch (error) {
    if (error instanceof ApiError && error.code === 403) return { ready: true, failing: [] };
    return { ready: false, failing: failingChecks(messageOf(error)) };
  }
}

const failingChecks = (text: string): string[] =>
  text
    .split('\n')
    .filter((line) => line.startsWith('[-]'))
    .map((line) => line.slice(3, 80));

async function readLeases(signal: AbortSignal): Promise<readonly Lease[]> {
  const list = await api<ObjectList<Lease>>('/apis/coordination.k8s.io/v1/namespaces/kube-system/leases', {
    signal,
  }).catch(() => ({ items: [] }));
  return list.items;
}

/** A text says why there is none. */
async function sample(signal: AbortSignal): Promise<Metrics | string> {
  try {
    return readMetrics(await apiText(METRICS_PATH, { signal }));
  } catch (error) {
    return error instanceof ApiError && error.code === 403 ? T.cluster.noMetrics : messageOf(error);
  }
}
