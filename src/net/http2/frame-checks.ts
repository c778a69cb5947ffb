/** What is wrong with a frame by its own look, which ends the connection. */
import { ConnectionError, ERROR, LARGEST_WINDOW, PADDED, WITH_PRIORITY } from './frames.ts';

export const PRIORITY_BYTES = 5;

export function checkLength(payload: Buffer, bytes: number): void {
  if (payload.length !== bytes) throw new ConnectionError(ERROR.frameSize, 'a frame has not its size');
}

export function ofStream(stream: number): void {
  if (stream === 0) throw new ConnectionError(ERROR.protocol, 'a frame is of no stream');
}

export function ofConnection(stream: number): void {
  if (stream !== 0) throw new ConnectionError(ERROR.protocol, 'a frame is of a stream');
}

export function enlarged(window: number, more: number): number {
  if (window + more > LARGEST_WINDOW) throw new ConnectionError(ERROR.flowControl, 'a window is too large');
  return window + more;
}

export function withoutPadding(flags: number, payload: Buffer): Buffer {
  if (!(flags & PADDED)) return payload;
  const padding = payload[0];
  if (padding === undefined || padding >= payload.length)
    throw new ConnectionError(ERROR.protocol, 'more padding than frame');
  return payload.subarray(1, payload.length - padding);
}

/** Whether a priority makes its stream depend on itself, which is an error of the stream (RFC 7540, 5.3.1). */
export const dependsOnItself = (stream: number, priority: Buffer): boolean =>
  (priority.readUInt32BE() & LARGEST_WINDOW) === stream;

/** Of a frame of headers. */
export function withoutPriority(flags: number, payload: Buffer): Buffer {
  if (!(flags & WITH_PRIORITY)) return payload;
  if (payload.length < PRIORITY_BYTES) throw new ConnectionError(ERROR.frameSize, 'a priority is missing');
  return payload.subarray(PRIORITY_BYTES);
}
