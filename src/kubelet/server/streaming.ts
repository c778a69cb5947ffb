/** exec, attach and port-forward: gets a streaming URL from the runtime and proxies the client's connection to it. */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Pod } from '../../api/generated/core-v1.ts';
import { allContainers } from '../../component-helpers/index.ts';
import type { ContainerRuntime } from '../../cri/index.ts';
import { connectIn } from '../../net/netns/index.ts';
import { uidOf } from '../pod/pod-identity.ts';
import type { PodManager } from '../pod/pod-manager.ts';
import { findPod } from './container-log-route.ts';
import { HttpError } from './http-error.ts';

interface StreamDependencies {
  readonly manager: PodManager;
  readonly runtime: ContainerRuntime;
}

const isSet = (query: URLSearchParams, name: string): boolean => ['1', 'true'].includes(query.get(name) ?? '');

/** The streaming URL of the runtime for a request. */
export async function streamingUrl(
  { manager, runtime }: StreamDependencies,
  { path, query }: { readonly path: string; readonly query: URLSearchParams },
): Promise<string> {
  const [, kind = '', namespace = '', podName = '', ...rest] = path.split('/');
  const pod = findPod(manager, namespace, podName);
  if (kind === 'portForward') {
    const podSandboxId = manager.worker(uidOf(pod))?.observed.sandboxes.find(({ ready }) => ready)?.id;
    if (podSandboxId === undefined)
      throw new HttpError(404, `failed to find sandbox for pod ${JSON.stringify(podName)}`);
    const port = [...query.getAll('port'), ...query.getAll('ports')].flatMap((text) => text.split(',')).map(Number);
    return (await runtime.runtime.portForward({ podSandboxId, port })).url ?? '';
  }
  const containerName = rest.at(-1) ?? '';
  const containerId = runningContainer(manager, pod, containerName);
  const [tty, stdin, stdout, stderr] = [
    isSet(query, 'tty'),
    isSet(query, 'input') || isSet(query, 'stdin'),
    isSet(query, 'output') || isSet(query, 'stdout'),
    isSet(query, 'error') || isSet(query, 'stderr'),
  ];
  if (!stdin && !stdout && !stderr) throw new HttpError(400, 'you must specify at least 1 of stdin, stdout, stderr');
  if (kind === 'exec')
    return (
      (
        await runtime.runtime.exec({
          containerId,
          cmd: query.getAll('command'),
          tty,
          stdin,
          stdout,
          stderr: tty ? false : stderr,
        })
      ).url ?? ''
    );
  const spec = allContainers(pod.spec).find(({ name }) => name === containerName);
  return (
    (
      await runtime.runtime.attach({
        containerId,
        tty: spec?.tty === true,
        stdin,
        stdout,
        stderr: spec?.tty === true ? false : stderr,
      })
    ).url ?? ''
  );
}

export function runningContainer(manager: PodManager, pod: Pod, containerName: string): string {
  const found = manager
    .worker(uidOf(pod))
    ?.observed.containers.find(({ name, state }) => name === containerName && state === 'running');
  if (found === undefined) throw new HttpError(404, `container not found (${JSON.stringify(containerName)})`);
  return found.id;
}

/** Sends the upgrade request to the runtime and joins both connections; the runtime answers it. */
export function proxyStream(
  request: IncomingMessage,
  client: Duplex,
  head: Buffer,
  target: { readonly url: string; readonly netns: string | undefined },
): Promise<void> {
  const url = new URL(target.url);
  const runtime = connectIn({
    netns: target.netns,
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: Number(url.port),
  });
  return new Promise((resolve) => {
    const end = (): void => {
      runtime.destroy();
      client.destroy();
      resolve();
    };
    runtime.once('connect', () => {
      const headers: string[] = [];
      for (let i = 0; i < request.rawHeaders.length; i += 2) {
        const name = request.rawHeaders[i] ?? '';
        if (!['host', 'authorization'].includes(name.toLowerCase()))
          headers.push(`${name}: ${request.rawHeaders[i + 1]}`);
      }
      runtime.write(
        `${request.method} ${url.pathname}${url.search} HTTP/1.1\r\nHost: ${url.host}\r\n${headers.join('\r\n')}\r\n\r\n`,
      );
      if (head.length > 0) runtime.write(head);
      client.pipe(runtime);
      runtime.pipe(client);
    });
    for (const side of [client, runtime]) {
      side.once('error', end);
      side.once('close', end);
    }
  });
}
