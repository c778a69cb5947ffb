/** SETTINGS frames: the effect of the peer's settings, and how ours are written. */
import { ConnectionError, ERROR, MAX_MAX_FRAME_BYTES, MAX_WINDOW, SETTING, MIN_MAX_FRAME_BYTES } from './frames.ts';

const SETTING_BYTES = 6;

export interface PeerSettings {
  /** The smallest size that the frame names: entries that it evicts do not come back. */
  readonly tableBytes?: number;
  readonly windowBytes?: number;
  readonly maxConcurrentStreams?: number;
}

/** Each occurrence of a setting is checked; the last window counts. */
export function readSettings(payload: Buffer): PeerSettings {
  if (payload.length % SETTING_BYTES !== 0) throw new ConnectionError(ERROR.frameSize, 'wrong size of SETTINGS');
  const settings: { -readonly [K in keyof PeerSettings]: PeerSettings[K] } = {};
  for (let at = 0; at < payload.length; at += SETTING_BYTES) {
    const value = payload.readUInt32BE(at + 2);
    switch (payload.readUInt16BE(at)) {
      case SETTING.headerTableSize:
        settings.tableBytes = Math.min(settings.tableBytes ?? value, value);
        break;
      case SETTING.maxConcurrentStreams:
        settings.maxConcurrentStreams = value;
        break;
      case SETTING.enablePush:
        if (value > 1) throw new ConnectionError(ERROR.protocol, 'ENABLE_PUSH is neither 0 nor 1');
        break;
      case SETTING.initialWindowSize:
        if (value > MAX_WINDOW) throw new ConnectionError(ERROR.flowControl, 'INITIAL_WINDOW_SIZE is too large');
        settings.windowBytes = value;
        break;
      case SETTING.maxFrameSize:
        if (value < MIN_MAX_FRAME_BYTES || value > MAX_MAX_FRAME_BYTES)
          throw new ConnectionError(ERROR.protocol, 'MAX_FRAME_SIZE is out of range');
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
