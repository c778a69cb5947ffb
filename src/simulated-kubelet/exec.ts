/**
 * exec, attach and port-forward to simulated pods. The pod's script answers exec over the WebSocket channel protocol.
 * attach and port-forward are refused, because no process runs and nothing listens.
 */
import type http from 'node:http';
import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import { errorMessage } from '../base/index.ts';
import { splitTarget } from '../net/http/index.ts';
import { acceptWebSocket } from '../net/websocket/index.ts';
import type { ExecResult, PodScript } from './pod-script.ts';
import type { SimulatedNode } from './simulated-node.ts';

interface Upgrade {
  readonly request: http.IncomingMessage;
  readonly socket: Duplex;
  readonly head: Buffer;
}

/** The first byte of each message says which stream it belongs to. */
const CHANNEL = { stdout: 1, stderr: 2, error: 3 } as const;
const PROTOCOLS = ['v5.channel.k8s.io', 'v4.channel.k8s.io'];

const NOT_SIMULATED: ReadonlyMap<string, string> = new Map([
  ['attach', 'no process runs that one could attach to'],
  ['portForward', 'nothing listens on any port'],
]);

export async function serveExec(node: SimulatedNode, { request, socket, head }: Upgrade): Promise<void> {
  const { path, query } = splitTarget(request.url ?? '/');
  const [, verb = '', namespace = '', name = '', container = ''] = path.split('/');
  const pod = node.pods.get(`${namespace}/${name}`);
  if (pod === undefined) return refuse(socket, 404, `pod "${name}" does not exist`);
  const { exec } = pod.script;
  const refusal = NOT_SIMULATED.get(verb);
  if (refusal !== undefined)
    return refuse(socket, 501, `${refusal} in pod ${namespace}/${name}: its node is simulated`);
  if (exec === undefined)
    return refuse(
      socket,
      501,
      `exec is not simulated for pod ${namespace}/${name}: give its behaviour an exec function`,
    );
  if (request.headers.upgrade?.toLowerCase() !== 'websocket')
    return refuse(socket, 501, 'simulated nodes speak exec over WebSocket only');
  const offered = (request.headers['sec-websocket-protocol'] ?? '').split(',').map((text) => text.trim());
  const connection = await acceptWebSocket(
    { request, socket, head },
    PROTOCOLS.find((protocol) => offered.includes(protocol)),
  );
  await answer(connection, exec, query.getAll('command'), container);
}

async function answer(
  connection: WebSocket,
  exec: NonNullable<PodScript['exec']>,
  command: readonly string[],
  container: string,
): Promise<void> {
  const send = (channel: number, text: string): void => {
    if (connection.readyState === connection.OPEN)
      connection.send(Buffer.concat([Buffer.from([channel]), Buffer.from(text)]));
  };
  try {
    const given = await exec(command, container);
    const result: ExecResult = typeof given === 'string' ? { stdout: given } : given;
    if (result.stdout) send(CHANNEL.stdout, result.stdout);
    if (result.stderr) send(CHANNEL.stderr, result.stderr);
    send(CHANNEL.error, JSON.stringify(exitStatus(result.exitCode ?? 0)));
  } catch (error) {
    send(
      CHANNEL.error,
      JSON.stringify({
        metadata: {},
        status: 'Failure',
        reason: 'InternalError',
        message: errorMessage(error),
      }),
    );
  }
  connection.close(1000);
}

function exitStatus(exitCode: number): object {
  if (exitCode === 0) return { metadata: {}, status: 'Success' };
  return {
    metadata: {},
    status: 'Failure',
    reason: 'NonZeroExitCode',
    message: `command terminated with non-zero exit code: exit status ${exitCode}`,
    details: { causes: [{ reason: 'ExitCode', message: String(exitCode) }] },
  };
}

/** Answers with a Status, because kubectl shows the message of a Status only. */
function refuse(socket: Duplex, code: 404 | 501, message: string): void {
  const reason = code === 404 ? 'NotFound' : 'NotImplemented';
  const body = JSON.stringify({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message,
    reason,
    code,
  });
  socket.end(
    `HTTP/1.1 ${code} ${code === 404 ? 'Not Found' : 'Not Implemented'}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  );
}
