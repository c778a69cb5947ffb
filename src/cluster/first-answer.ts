/** Tries a Service from a node until it answers, and records when: the end of what applying it has caused. */
import type { Service } from '../api/generated/core-v1.ts';
import type { Client } from '../client/index.ts';
import type { Context } from '../kernel/index.ts';
import { connectIn } from '../net/netns/index.ts';
import type { Fabric } from './fabric/index.ts';

interface FirstAnswerOptions {
  readonly client: Client;
  readonly fabric: Pick<Fabric, 'nodes'>;
  readonly namespace: string;
  readonly name: string;
  readonly timeoutMs: number;
  /** The span that it is part of. */
  readonly parent: number;
}

interface FirstAnswer {
  /** The first line of the response, or of what the server said. */
  readonly line: string;
  readonly node: string;
}

const TRY_MS = 1000;
const PAUSE_MS = 20;
const MAX_LINE = 200;

/** Through the rules of kube-proxy on the first node, with an HTTP request: any answer counts. */
export async function firstAnswer(ctx: Context, options: FirstAnswerOptions): Promise<FirstAnswer> {
  const { clock, tracer } = ctx;
  const { namespace, name } = options;
  const [node] = options.fabric.nodes.values();
  if (!node) throw new Error('no node of this cluster runs containers, so that no Service answers');
  const span = tracer.start('request service', {
    parent: options.parent,
    attributes: { 'k8s.key': `${namespace}/${name}`, 'k8s.node.name': node.name },
  });
  const limit = clock.monotonic() + options.timeoutMs;
  for (let tries = 1; ; tries++) {
    const address = addressOf(await serviceOf(options));
    const line = address && (await ask(ctx, { netns: node.netnsPath, ...address }));
    span.attributes['k8s.tries'] = tries;
    if (line) {
      Object.assign(span.attributes, { 'server.address': address.host, 'server.port': address.port });
      tracer.end(span);
      return { line, node: node.name };
    }
    if (clock.monotonic() >= limit) {
      const problem = `service ${namespace}/${name} has not answered within ${options.timeoutMs / 1000} s`;
      tracer.end(span, problem);
      throw new Error(problem);
    }
    await clock.sleep(PAUSE_MS, ctx.signal);
  }
}

async function serviceOf({ client, namespace, name }: FirstAnswerOptions): Promise<Service | undefined> {
  const { items } = await client.resource('v1/services').list({ namespace, fieldSelector: `metadata.name=${name}` });
  return items[0];
}

function addressOf(service: Service | undefined): { host: string; port: number } | undefined {
  const { clusterIP, ports = [] } = service?.spec ?? {};
  const port = ports.find(({ protocol = 'TCP' }) => protocol === 'TCP')?.port;
  return clusterIP && clusterIP !== 'None' && port !== undefined ? { host: clusterIP, port } : undefined;
}

/** The first line that comes back; undefined when nothing does. */
function ask(
  { clock, signal }: Context,
  { netns, host, port }: { netns: string; host: string; port: number },
): Promise<string | undefined> {
  const socket = connectIn({ netns, host, port, signal: clock.deadline(TRY_MS, signal) });
  return new Promise((resolve) => {
    socket.once('connect', () => socket.write(`GET / HTTP/1.0\r\nHost: ${host}\r\n\r\n`));
    socket.once('data', (bytes: Buffer) => {
      resolve(bytes.toString('latin1').split('\r\n')[0]!.slice(0, MAX_LINE));
      socket.destroy();
    });
    socket.once('error', () => resolve(undefined));
    socket.once('close', () => resolve(undefined));
  });
}
