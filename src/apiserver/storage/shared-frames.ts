/**
 * Wire forms of watch events: encoded for the first watcher of an event and shared by the others. Pays for the bench row
 * `1,000 watchers: events delivered`.
 */
import type { CacheEvent } from './resource-cache.ts';

/** `form` names the media type and the version. */
export type FrameOf = (event: CacheEvent, form: string, encode: () => Buffer) => Buffer;

export const sharedFrame: FrameOf = (event, form, encode) => {
  let frame = event.frame(form);
  if (!frame) event.keepFrame(form, (frame = encode()));
  return frame;
};

/** Every watcher gets a frame of its own. */
export const ownFrame: FrameOf = (_event, _form, encode) => encode();
