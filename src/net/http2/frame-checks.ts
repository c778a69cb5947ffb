/** Checks of a single frame. A failed one is a connection error (RFC 9113, 5.4.1). */
import { ConnectionError, ERROR, MAX_WINDOW, PADDED, WITH_PRIORITY } from './frames.ts';

export const PRIORITY_BYTES = 5;

export function checkLength(payload: Buffer, bytes: number): void {
  if (payload.length !== bytes) throw new ConnectionError(ERROR.frameSize, 'wrong frame size');
}

export function checkOnStream(stream: number): void {
  if (stream === 0) throw new ConnectionError(ERROR.protocol, 'the frame needs a stream');
}

export function checkOnConnection(stream: number): void {
  if (stream !== 0) throw new ConnectionError(ERROR.protocol, 'the frame belongs to the connection, not to a stream');
}

export function grownWindow(window: number, more: number): number {
  if (window + more > MAX_WINDOW) throw new ConnectionError(ERROR.flowControl, 'the flow-control window is too large');
  return window + more;
}

export function withoutPadding(flags: number, payload: Buffer): Buffer {
  if (!(flags & PADDED)) return payload;
  const padding = payload[0];
  if (padding === undefined || padding >= payload.length)
    throw new ConnectionError(ERROR.protocol, 'the padding is longer than the frame');
  return payload.subarray(1, payload.length - padding);
}

/** A stream that depends on itself is a stream error (RFC 7540, 5.3.1). */
export const dependsOnItself = (stream: number, priority: Buffer): boolean =>
  (priority.readUInt32BE() & MAX_WINDOW) === stream;

/** The header block of a HEADERS frame. */
export function withoutPriority(flags: number, payload: Buffer): Buffer {
  if (!(flags & WITH_PRIORITY)) return payload;
  if (payload.length < PRIORITY_BYTES) throw new ConnectionError(ERROR.frameSize, 'the priority is missing');
  return payload.subarray(PRIORITY_BYTES);
}
