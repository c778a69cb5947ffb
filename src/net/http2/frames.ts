/** The frames of HTTP/2 (RFC 9113) by their numbers. */
export const FRAME_HEADER_BYTES = 9;
export const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'latin1');

export const DATA = 0;
export const HEADERS = 1;
export const PRIORITY = 2;
export const RST_STREAM = 3;
export const SETTINGS = 4;
export const PUSH_PROMISE = 5;
export const PING = 6;
export const GOAWAY = 7;
export const WINDOW_UPDATE = 8;
export const CONTINUATION = 9;

export const ACK = 0x1;
export const END_STREAM = 0x1;
export const END_HEADERS = 0x4;
export const PADDED = 0x8;
export const WITH_PRIORITY = 0x20;

export const SETTING = {
  headerTableSize: 1,
  enablePush: 2,
  maxConcurrentStreams: 3,
  initialWindowSize: 4,
  maxFrameSize: 5,
  maxHeaderListSize: 6,
} as const;

export const ERROR = {
  none: 0,
  protocol: 1,
  internal: 2,
  flowControl: 3,
  streamClosed: 5,
  frameSize: 6,
  refusedStream: 7,
  cancel: 8,
  compression: 9,
  enhanceYourCalm: 11,
} as const;

/** The protocol's values before any SETTINGS, and its limits. */
export const INITIAL_WINDOW = 65_535;
export const MAX_WINDOW = 2 ** 31 - 1;
export const MIN_MAX_FRAME_BYTES = 16_384;
export const MAX_MAX_FRAME_BYTES = 2 ** 24 - 1;
export const DEFAULT_TABLE_BYTES = 4096;

/** A violation of the protocol that ends the connection with GOAWAY. */
export class ConnectionError extends Error {
  constructor(
    readonly code: number,
    message: string,
  ) {
    super(message);
  }
}
