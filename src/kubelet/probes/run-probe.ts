/** Executes one probe of a container: exec, httpGet, tcpSocket or grpc. */
import type { Container, Pod, Probe } from '../../api/generated/core-v1.ts';
import { CriError, type ContainerRuntime } from '../../cri/index.ts';
import { grpcStatus, type GrpcStatusName } from '../../grpc/index.ts';
import { DeadlineExceeded, withDeadline, type Clock } from '../../kernel/index.ts';
import { expand } from '../environment/expand.ts';
import { rpcErrorText } from '../runtime/rpc-error.ts';
import { DialError, type Dial } from './dial.ts';
import { checkHealth } from './grpc-health.ts';
import { actionHeaders, actionUrl, httpGet } from './http-get.ts';
import { resolvePort } from './resolve-port.ts';

interface ProbeOutcome {
  /** A warning is a success that is reported. */
  readonly result: 'success' | 'warning' | 'failure';
  readonly output: string;
}

interface ProbeTarget {
  readonly pod: Pod;
  readonly container: Container;
  readonly containerId: string;
  readonly podIp: string;
}

export interface ProbeDependencies {
  readonly runtime: ContainerRuntime;
  readonly dial: Dial;
  readonly clock: Clock;
}

const USER_AGENT = 'kube-probe/1.36';
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const MAX_REDIRECTS = 10;
const MAX_OUTPUT = 10 * 1024;

/** Throws when the probe could not be executed, so that its result is unknown. */
export async function runProbe(
  probe: Probe,
  target: ProbeTarget,
  deps: ProbeDependencies,
  signal: AbortSignal,
): Promise<ProbeOutcome> {
  const timeoutMs = Math.max(1, probe.timeoutSeconds ?? 1) * 1000;
  if (probe.exec !== undefined) return execProbe(probe.exec.command ?? [], target, deps, timeoutMs / 1000, signal);
  // Not a mere deadline: a probe is often answered long before it, and asked again, and again.
  return withDeadline({ clock: deps.clock, parent: signal, ms: timeoutMs }, async (deadline) => {
    if (probe.httpGet !== undefined) return httpProbe(probe, target, deps, deadline);
    if (probe.tcpSocket !== undefined) {
      const port = resolvePort(probe.tcpSocket.port, target.container);
      return tcpProbe(probe.tcpSocket.host || target.podIp, port, deps, deadline);
    }
    if (probe.grpc !== undefined)
      return grpcProbe(probe.grpc.port, probe.grpc.service ?? '', target, deps, deadline, timeoutMs);
    throw new Error(`missing probe handler for ${target.pod.metadata.name}:${target.container.name}`);
  });
}

async function execProbe(
  command: readonly string[],
  { container, containerId }: ProbeTarget,
  { runtime }: ProbeDependencies,
  timeout: number,
  signal: AbortSignal,
): Promise<ProbeOutcome> {
  const env = new Map((container.env ?? []).map(({ name, value }) => [name, value ?? '']));
  try {
    const {
      exitCode = 0,
      stdout = new Uint8Array(),
      stderr = new Uint8Array(),
    } = await runtime.runtime.execSync(
      { containerId, cmd: command.map((word) => expand(word, (name) => env.get(name))), timeout },
      { signal },
    );
    const output = Buffer.concat([stdout, stderr]).subarray(0, MAX_OUTPUT).toString();
    return { result: exitCode === 0 ? 'success' : 'failure', output };
  } catch (error) {
    if ((error as CriError).code === 'DEADLINE_EXCEEDED')
      return {
        result: 'failure',
        output: `command timed out: ${command.map((word) => JSON.stringify(word)).join(' ')} timed out after ${timeout}s`,
      };
    throw error;
  }
}

async function httpProbe(
  probe: Probe,
  { container, podIp }: ProbeTarget,
  { dial }: ProbeDependencies,
  signal: AbortSignal,
): Promise<ProbeOutcome> {
  const action = probe.httpGet ?? { port: 80 };
  let url = actionUrl(action, podIp, resolvePort(action.port, container));
  const headers = actionHeaders(action, USER_AGENT);
  for (let redirects = 0; ; redirects++) {
    let answer: Awaited<ReturnType<typeof httpGet>>;
    try {
      answer = await httpGet({ url, headers, dial, signal });
    } catch (error) {
      return { result: 'failure', output: `Get ${JSON.stringify(url.href)}: ${requestProblem(error, signal)}` };
    }
    const { status, location } = answer;
    if (REDIRECTS.has(status) && location !== undefined) {
      if (!URL.canParse(location, url.href))
        return {
          result: 'failure',
          output: `Get ${JSON.stringify(url.href)}: failed to parse Location header ${JSON.stringify(location)}`,
        };
      const next = new URL(location, url);
      if (next.hostname === url.hostname) {
        if (redirects >= MAX_REDIRECTS)
          return {
            result: 'failure',
            output: `Get ${JSON.stringify(next.href)}: stopped after ${MAX_REDIRECTS} redirects`,
          };
        url = next;
        continue;
      }
    }
    if (status >= 300 && status < 400)
      return { result: 'warning', output: `Probe terminated redirects, Response body: ${answer.body}` };
    if (status >= 200 && status < 300) return { result: 'success', output: answer.body };
    return { result: 'failure', output: `HTTP probe failed with statuscode: ${status}` };
  }
}

function requestProblem(error: unknown, signal: AbortSignal): string {
  if (signal.aborted && !(error instanceof DialError))
    return 'context deadline exceeded (Client.Timeout exceeded while awaiting headers)';
  if (error instanceof DialError && error.cause instanceof DeadlineExceeded)
    return 'dial tcp: i/o timeout (Client.Timeout exceeded while awaiting headers)'.replace(
      'dial tcp',
      error.message.split(': i/o')[0] ?? 'dial tcp',
    );
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'ECONNRESET') return message === 'socket hang up' ? 'EOF' : 'read: connection reset by peer';
  return message;
}

async function tcpProbe(
  host: string,
  port: number,
  { dial }: ProbeDependencies,
  signal: AbortSignal,
): Promise<ProbeOutcome> {
  try {
    (await dial(host, port, signal)).destroy();
    return { result: 'success', output: '' };
  } catch (error) {
    return { result: 'failure', output: (error as Error).message };
  }
}

async function grpcProbe(
  port: number,
  service: string,
  { podIp }: ProbeTarget,
  { dial }: ProbeDependencies,
  signal: AbortSignal,
  timeoutMs: number,
): Promise<ProbeOutcome> {
  const address = `${podIp.includes(':') ? `[${podIp}]` : podIp}:${port}`;
  try {
    const socket = await dial(podIp, port, signal);
    const { code, message, state } = await checkHealth(socket, address, service, signal);
    if (code === 12)
      return {
        result: 'failure',
        output: `error: this server does not implement the grpc health protocol (grpc.health.v1.Health): ${message}`,
      };
    if (code !== 0)
      return {
        result: 'failure',
        output: `error: health rpc probe failed: ${rpcErrorText(new CriError((grpcStatus[code] ?? 'UNKNOWN') as GrpcStatusName, message))}`,
      };
    return state === 'SERVING'
      ? { result: 'success', output: `service healthy` }
      : { result: 'failure', output: `service unhealthy (responded with ${JSON.stringify(state)})` };
  } catch (error) {
    if (error instanceof DialError)
      return {
        result: 'failure',
        output: `timeout: failed to connect service ${JSON.stringify(address)} within ${timeoutMs / 1000}s: context deadline exceeded`,
      };
    if (signal.aborted)
      return { result: 'failure', output: `timeout: health rpc did not complete within ${timeoutMs / 1000}s` };
    return { result: 'failure', output: `error: health rpc probe failed: ${(error as Error).message}` };
  }
}
