/** Frames of settings: what a peer's changes for us, and how ours are written. */
import { ConnectionError, ERROR, LARGEST_MAX_FRAME, LARGEST_WINDOW, SETTING, SMALLEST_MAX_FRAME } from './frames.ts';

const SETTING_BYTES = 6;

export interface PeerSettings {
  /** The smallest that was named: what an entry lost its place to does not come back. */
  readonly tableBytes?: number;
  readonly windowBytes?: number;
}

/** What is named several times is looked at each time and counts once. */
export function readSettings(payload: Buffer): PeerSettings {
  if (payload.length % SETTING_BYTES !== 0) throw new ConnectionError(ERROR.frameSize, 'half a setting');
  const settings: { tableBytes?: number; windowBytes?: number } = {};
  for (let at = 0; at < payload.length; at += SETTING_BYTES) {
    const value = payload.readUInt32BE(at + 2);
    switch (payload.readUInt16BE(at)) {
      case SETTING.headerTableSize:
        settings.tableBytes = Math.min(settings.tableBytes ?? value, value);
        break;
      case SETTING.enablePush:
        if (value > 1) throw new ConnectionError(ERROR.protocol, 'neither on nor off');
        break;
      case SETTING.initialWindowSize:
        if (value > LARGEST_WINDOW) throw new ConnectionError(ERROR.flowControl, 'a window is too large');
        settings.windowBytes = value;
        break;
      case SETTING.maxFrameSize:
        if (value < SMALLEST_MAX_FRAME || value > LARGEST_MAX_FRAME)
          throw new ConnectionError(ERROR.protocol, 'no size of a frame');
        break;
      default:
    }
  }
  return settings;
}

export function settingsPayload(settings: readonly (readonly [name: number, value: number])[]): Buffer {
  const payload = Buffer.alloc(SETTING_BYTES * settings.length);
  for (const [i, [name, value]] of settings.entries())
    payload.writeUInt32BE(value, payload.writeUInt16BE(name, SETTING_BYTES * i));
  return payload;
}
