/**
 * Objects in upstream's protobuf form (`application/vnd.kubernetes.protobuf`), byte for byte what its generated code
 * writes. `encode-message.ts` and `decode-message.ts` compile each message of the schema once; `envelope.ts` is the
 * wrapper that says what kind the bytes are, `watch-frames.ts` the stream of watch events.
 */
export { encodeMessage } from './encode-message.ts';
export { decodeMessage } from './decode-message.ts';
export { encodeProtobufList, protobufListFrame, protobufListItem } from './encode-list.ts';
export {
  decodeProtobuf,
  decodeProtobufObject,
  encodeProtobuf,
  isProtobuf,
  messageOfKind,
  wrapProtobuf,
  type Envelope,
  type TypeMeta,
} from './envelope.ts';
export { decodeWatchEvent, encodeWatchFrame, WatchFrameParser, type WatchFrame } from './watch-frames.ts';
export { BackwardWriter } from './writer.ts';
