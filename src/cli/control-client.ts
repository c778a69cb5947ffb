/** Calls a running cluster over its control socket. */
import http from 'node:http';
import path from 'node:path';
import { Readable } from 'node:stream';
import { CommandError } from './command.ts';
import { findCluster, type ProcessFile } from './process-file.ts';

export interface RunningCluster {
  readonly directory: string;
  readonly process: ProcessFile;
  call<T>(method: string, path: string, body?: object): Promise<T>;
  /** A body that is a stream is sent as it is; others as JSON. */
  stream(method: string, path: string, body?: object | Readable): Promise<http.IncomingMessage>;
}

/** The cluster in the directory; an error that says what to do when there is none. */
export function runningCluster({
  values,
  given,
}: {
  values: { 'data-dir': string };
  given: ReadonlySet<string>;
}): RunningCluster {
  const found = findCluster(path.resolve(values['data-dir']), given.has('data-dir'));
  const { socket } = found.process;
  return {
    ...found,
    async call<T>(method: string, target: string, body?: object): Promise<T> {
      const response = await request({ socket, method, target, ...(body ? { body } : {}) });
      const text = await readAll(response);
      const value = JSON.parse(text) as T & { error?: string };
      if (response.statusCode !== 200) throw new CommandError(value.error ?? text);
      return value;
    },
    async stream(method, target, body) {
      const response = await request({ socket, method, target, ...(body ? { body } : {}) });
      if (response.statusCode !== 200)
        throw new CommandError((JSON.parse(await readAll(response)) as { error: string }).error);
      return response;
    },
  };
}

function request({
  socket,
  method,
  target,
  body,
}: {
  socket: string;
  method: string;
  target: string;
  body?: object | Readable;
}): Promise<http.IncomingMessage> {
  return new Promise((resolve, reject) => {
    const outgoing = http.request({ socketPath: socket, method, path: target }, resolve);
    outgoing.once('error', (error) =>
      reject(
        new CommandError(
          `the cluster does not answer on ${socket} (${error.message}); if it hangs, stop it with "k8ts down"`,
          { cause: error },
        ),
      ),
    );
    if (body instanceof Readable) body.once('error', (error) => outgoing.destroy(error)).pipe(outgoing);
    else outgoing.end(body ? JSON.stringify(body) : undefined);
  });
}

async function readAll(response: http.IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of response) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString();
}
