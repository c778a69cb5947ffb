/** exec in a simulated pod: its behaviour answers, over WebSocket's channels, or it is refused with the reason. */
import type http from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer, type WebSocket } from 'ws';
import type { ExecResult, PodScript } from './behaviour.ts';
import type { SimulatedNode } from './simulated-nodes.ts';

export interface Upgrade {
  readonly request: http.IncomingMessage;
  readonly socket: Duplex;
  readonly head: Buffer;
}

/** The first byte of each message says which stream it belongs to. */
const CHANNEL = { stdout: 1, stderr: 2, error: 3 } as const;
const PROTOCOLS = ['v5.channel.k8s.io', 'v4.channel.k8s.io'];

const sockets = new WebSocketServer({ noServer: true, handleProtocols: (offered) => PROTOCOLS.find((protocol) => offered.has(protocol)) ?? false });

export function serveExec(node: SimulatedNode, { request, socket, head }: Upgrade): void {
  const url = new URL(request.url ?? '/', 'http://kubelet');
  const [, verb = '', namespace = '', name = '', container = ''] = url.pathname.split('/');
  const pod = node.pods.get(`${namespace}/${name}`);
  if (pod === undefined) return refuse(socket, 404, `pod "${name}" does not exist`);
  const { exec } = pod.script;
  if (verb !== 'exec' || exec === undefined) return refuse(socket, 501, `${verb} is not simulated for pod ${namespace}/${name}: give its behaviour an exec function`);
  if (request.headers.upgrade?.toLowerCase() !== 'websocket') return refuse(socket, 501, 'simulated nodes speak exec over WebSocket only');
  const command = url.searchParams.getAll('command');
  sockets.handleUpgrade(request, socket as import('node:net').Socket, head, (connection) => void answer(connection, exec, command, container));
}

async function answer(connection: WebSocket, exec: NonNullable<PodScript['exec']>, command: readonly string[], container: string): Promise<void> {
  const send = (channel: number, text: string): void => connection.send(Buffer.concat([Buffer.from([channel]), Buffer.from(text)]));
  try {
    const given = await exec(command, container);
    const result: ExecResult = typeof given === 'string' ? { stdout: given } : given;
    if (result.stdout) send(CHANNEL.stdout, result.stdout);
    if (result.stderr) send(CHANNEL.stderr, result.stderr);
    send(CHANNEL.error, JSON.stringify(exitStatus(result.exitCode ?? 0)));
  } catch (error) {
    send(CHANNEL.error, JSON.stringify({ metadata: {}, status: 'Failure', reason: 'InternalError', message: error instanceof Error ? error.message : String(error) }));
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

function refuse(socket: Duplex, status: number, reason: string): void {
  socket.end(`HTTP/1.1 ${status} ${status === 404 ? 'Not Found' : 'Not Implemented'}\r\ncontent-type: text/plain\r\ncontent-length: ${Buffer.byteLength(reason)}\r\nconnection: close\r\n\r\n${reason}`);
}
