import type { IncomingMessage } from 'node:http';
import { isRecord } from '../../base/index.ts';

/** undefined when the body is not an object in JSON, or too large. */
export async function readJsonBody(
  request: IncomingMessage,
  maxBytes: number,
): Promise<Record<string, unknown> | undefined> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of request) {
    size += (piece as Buffer).length;
    if (size > maxBytes) return undefined;
    pieces.push(piece as Buffer);
  }
  try {
    const body: unknown = JSON.parse(Buffer.concat(pieces).toString());
    return isRecord(body) ? body : undefined;
  } catch {
    return undefined;
  }
}
