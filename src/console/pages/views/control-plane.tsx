/** The control plane as boxes: the API server's checks and rates, and who leads. */
import { useEffect, useState } from 'preact/hooks';
import type { ApiObject, ObjectList } from '../api/objects.ts';
import { api, ApiError, apiText, messageOf } from '../api/request.ts';
import { age, visible } from '../format.ts';
import type { Health } from '../health.ts';
import { HealthMark } from '../parts/basics.tsx';
import { objectLink } from '../router.ts';
import { T } from '../texts.ts';

const POLL_MS = 5000;

interface Sample {
  readonly at: number;
  readonly requests: number;
  readonly seconds: number;
  readonly timed: number;
  readonly store: number;
}

interface ApiServerState {
  readonly ready: boolean;
  readonly failing: readonly string[];
  readonly rate?: number;
  readonly latencyMs?: number | undefined;
  readonly storeRate?: number;
  readonly problem?: string;
}

interface Lease extends ApiObject {
  readonly spec?: {
    readonly holderIdentity?: string;
    readonly renewTime?: string;
    readonly leaseDurationSeconds?: number;
  };
}

const LEADERS = ['kube-scheduler', 'kube-controller-manager', 'cloud-controller-manager'];

export function ControlPlane() {
  const [server, setServer] = useState<ApiServerState>();
  const [leases, setLeases] = useState<readonly Lease[]>([]);
  const [version, setVersion] = useState('');
  useEffect(() => {
    const ended = new AbortController();
    let last: Sample | undefined;
    const poll = async (): Promise<void> => {
      if (document.hidden) return;
      const [checks, sample, list] = await Promise.all([
        readiness(ended.signal),
        readSample(ended.signal),
        readLeases(ended.signal),
      ]);
      if (ended.signal.aborted) return;
      setServer({ ...checks, ...ratesOf(last, sample) });
      if (typeof sample !== 'string') last = sample;
      setLeases(list);
    };
    const quietly = (): void => void poll().catch(() => undefined);
    quietly();
    api<{ gitVersion?: string }>('/version').then(
      ({ gitVersion = '' }) => setVersion(gitVersion),
      () => undefined,
    );
    const timer = setInterval(quietly, POLL_MS);
    return () => {
      clearInterval(timer);
      ended.abort();
    };
  }, []);
  return (
    <section class="card" aria-label={T.cluster.controlPlane}>
      <h2>{T.cluster.controlPlane}</h2>
      <div class="plane">
        <Box
          title="kube-apiserver"
          health={server === undefined ? 'wait' : server.ready ? 'ok' : 'bad'}
          lines={[
            visible(version),
            ...(server?.rate === undefined ? [] : [`${server.rate.toFixed(1)} ${T.cluster.requests}`]),
            ...(server?.latencyMs === undefined ? [] : [`${server.latencyMs.toFixed(1)} ms ${T.cluster.latency}`]),
            ...(server?.failing ?? []).map((check) => `✗ ${visible(check)}`),
            ...(server?.problem ? [server.problem] : []),
          ]}
        />
        {server?.storeRate !== undefined && (
          <Box
            title="etcd"
            health={server.ready ? 'ok' : 'wait'}
            lines={[`${server.storeRate.toFixed(1)} ${T.cluster.writes}`]}
          />
        )}
        {LEADERS.map((name) => {
          const lease = leases.find(({ metadata }) => metadata.name === name);
          if (lease === undefined && name === 'cloud-controller-manager') return null;
          const late = lease?.spec?.renewTime && Date.now() - Date.parse(lease.spec.renewTime) > 60_000;
          return (
            <Box
              key={name}
              title={name}
              health={lease === undefined ? 'done' : late ? 'bad' : 'ok'}
              lines={
                lease === undefined
                  ? [T.cluster.noLease]
                  : [
                      `${T.cluster.holder}: ${visible(lease.spec?.holderIdentity, 40)}`,
                      `renewed ${age(lease.spec?.renewTime)} ago`,
                    ]
              }
              {...(lease ? { href: objectLink('leases.coordination.k8s.io', lease.metadata) } : {})}
            />
          );
        })}
      </div>
    </section>
  );
}

function Box({
  title,
  health,
  lines,
  href,
}: {
  title: string;
  health: Health;
  lines: readonly string[];
  href?: string;
}) {
  return (
    <div class="box">
      <h3>
        <HealthMark health={health} /> {href ? <a href={href}>{title}</a> : title}
      </h3>
      {lines.map((line) => (
        <p key={line}>{line}</p>
      ))}
    </div>
  );
}

async function readiness(signal: AbortSignal): Promise<{ ready: boolean; failing: readonly string[] }> {
  try {
    const text = await apiText('/readyz?verbose', { signal });
    return { ready: true, failing: failingChecks(text) };
  } catch (error) {
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
async function readSample(signal: AbortSignal): Promise<Sample | string> {
  try {
    const text = await apiText('/metrics', { signal });
    const sums = { requests: 0, seconds: 0, timed: 0, store: 0 };
    for (const line of text.split('\n')) {
      const value = (): number => Number(line.slice(line.lastIndexOf(' ') + 1)) || 0;
      if (line.startsWith('apiserver_request_total')) sums.requests += value();
      // Watches last as long as their clients want.
      else if (/verb="(?:WATCH|CONNECT)"/.test(line)) continue;
      else if (line.startsWith('apiserver_request_duration_seconds_sum')) sums.seconds += value();
      else if (line.startsWith('apiserver_request_duration_seconds_count')) sums.timed += value();
      else if (/^etcd_requests?_(?:total|duration_seconds_count)/.test(line)) sums.store += value();
    }
    return { at: performance.now(), ...sums };
  } catch (error) {
    return error instanceof ApiError && error.code === 403 ? T.cluster.noMetrics : messageOf(error);
  }
}

function ratesOf(last: Sample | undefined, sample: Sample | string): Partial<ApiServerState> {
  if (typeof sample === 'string') return { problem: sample };
  if (last === undefined) return {};
  const seconds = (sample.at - last.at) / 1000;
  const timed = sample.timed - last.timed;
  return {
    rate: Math.max(0, sample.requests - last.requests) / seconds,
    ...(timed > 0 ? { latencyMs: ((sample.seconds - last.seconds) / timed) * 1000 } : {}),
    ...(sample.store > 0 ? { storeRate: Math.max(0, sample.store - last.store) / seconds } : {}),
  };
}
