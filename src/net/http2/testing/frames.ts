/** Frames as a client writes them, for tests and loads. */
import * as f from '../frames.ts';
import { settingsPayload } from '../settings.ts';

export const uint32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};

export function frame(type: number, flags: number, stream: number, payload: Uint8Array = Buffer.alloc(0)): Buffer {
  const header = Buffer.alloc(f.FRAME_HEADER_BYTES);
  header.writeUIntBE(payload.length, 0, 3);
  header[3] = type;
  header[4] = flags;
  header.writeUInt32BE(stream, 5);
  return Buffer.concat([header, payload]);
}

export const settings = (...pairs: readonly (readonly [name: number, value: number])[]): Buffer =>
  frame(f.SETTINGS, 0, 0, settingsPayload(pairs));
export const windowUpdate = (stream: number, bytes: number): Buffer => frame(f.WINDOW_UPDATE, 0, stream, uint32(bytes));
export const reset = (stream: number, code: number = f.ERROR.cancel): Buffer =>
  frame(f.RST_STREAM, 0, stream, uint32(code));
export const data = (stream: number, bytes: Uint8Array | string, flags = 0): Buffer =>
  frame(f.DATA, flags, stream, Buffer.from(bytes));
