/** Attach: connects a client to the stdio of a container, through conmon's attach socket. */
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { errorMessage } from '../../base/index.ts';
import type { AttachRequest } from '../../cri/index.ts';
import { resizeTerminal } from '../containers/conmon-control.ts';
import { findRunningContainer } from '../containers/container-status.ts';
import type { RuntimeParts } from '../runtime-parts.ts';
import { connectToConmon, MAX_MESSAGE_BYTES, STDERR_PIPE, STDOUT_PIPE } from './conmon-socket.ts';
import type { RemoteCommand } from './remote-command.ts';

export async function attachSession(parts: RuntimeParts, request: AttachRequest, remote: RemoteCommand): Promise<void> {
  try {
    await attach(parts, request, remote);
  } catch (error) {
    await remote.finish({ type: 'failure', message: `error attaching to container: ${errorMessage(error)}` });
    return;
  }
  await remote.finish({ type: 'success' });
}

/** Runs until the container exits, the client disconnects, or its stdin ends and that of the container stays open. */
async function attach(parts: RuntimeParts, { containerId }: AttachRequest, remote: RemoteCommand): Promise<void> {
  const { id, config } = findRunningContainer(parts, containerId);
  const { socket, takeRest } = connectToConmon(parts.paths.container(id).attach);
  const show = (message: Buffer): void => {
    const target = message[0] === STDOUT_PIPE ? remote.stdout : message[0] === STDERR_PIPE ? remote.stderr : undefined;
    if (target && !target.destroyed && !target.write(Buffer.from(message.subarray(1)))) {
      socket.pause();
      target.once('drain', () => socket.resume());
    }
  };
  const ended = new Promise<void>((resolve) =>
    socket.once('close', () => {
      takeRest().forEach(show);
      resolve();
    }),
  );
  socket.on('error', () => {});
  socket.on('data', show);
  // conmon ends its side when the container has exited.
  socket.once('end', () => socket.destroy());
  remote.disconnected.addEventListener('abort', () => socket.destroy(), { once: true });
  if (remote.disconnected.aborted) socket.destroy();
  if (config.tty) remote.onResize((size) => resizeTerminal(parts, id, size));
  // When our side ends, conmon closes the container's stdin if the container has stdinOnce. Otherwise the container will not
  // notice, and a client that has nothing more to say detaches.
  const detaches = config.tty === true || config.stdinOnce !== true;
  const input =
    remote.stdin && config.stdin
      ? pipeline(remote.stdin, new MessageSplitter(), socket).then(
          () => (detaches ? void socket.destroy() : undefined),
          () => {},
        )
      : remote.stdin?.resume();
  await ended;
  await input;
}

/** Splits stdin into messages of conmon's maximum size. */
class MessageSplitter extends Transform {
  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    for (let start = 0; start < chunk.length; start += MAX_MESSAGE_BYTES)
      this.push(chunk.subarray(start, start + MAX_MESSAGE_BYTES));
    done();
  }
}
