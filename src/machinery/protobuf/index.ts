/**
 * Objects as protobuf (`application/vnd.kubernetes.protobuf`), byte for byte what upstream's generated code writes.
 * `encode-message.ts` and `decode-message.ts` compile each message of the schema once; `envelope.ts` is the wrapper with the
 * kind of the object, `watch-frames.ts` the stream of watch events.
 */
export { decodeProtobufBody } from './decode-body.ts';
export { decodeMessage } from './decode-message.ts';
export { encodeProtobufList, protobufListFrame, protobufListItem } from './encode-list.ts';
export { encodeMessage } from './encode-message.ts';
export {
  decodeProtobuf,
  decodeProtobufObject,
  encodeProtobuf,
  isProtobuf,
  messageOfKind,
  type TypeMeta,
  wrapProtobuf,
} from './envelope.ts';
export { encodeWatchFrame, WatchFrameParser } from './watch-frames.ts';
export { BackwardWriter } from './writer.ts';
