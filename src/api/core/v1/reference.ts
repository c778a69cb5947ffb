/** How objects refer to other objects. */
import { field, message, object, type MessageDeclarations } from '../../declare.ts';

export const messages = {
  LocalObjectReference: message('', {
    name: field(1, 'string', ''),
  }, { atomic: true }),
  ObjectReference: message('', {
    kind: field(1, 'string', ''),
    namespace: field(2, 'string', ''),
    name: field(3, 'string', ''),
    uid: field(4, 'string', ''),
    apiVersion: field(5, 'string', ''),
    resourceVersion: field(6, 'string', ''),
    fieldPath: field(7, 'string', ''),
  }, { atomic: true }),
  Preconditions: message('', {
    uid: field(1, '*string', ''),
  }),
  PreferAvoidPodsEntry: message('', {
    podSignature: field(1, 'PodSignature', '', { keep: true }),
    evictionTime: field(2, 'Time', ''),
    reason: field(3, 'string', ''),
    message: field(4, 'string', ''),
  }),
  RangeAllocation: object('', {
    metadata: field(1, 'meta.ObjectMeta', ''),
    range: field(2, 'string', '', { keep: true }),
    data: field(3, 'bytes', '', { keep: true }),
  }),
  SerializedReference: object('', {
    reference: field(1, 'ObjectReference', ''),
  }),
  TypedLocalObjectReference: message('', {
    apiGroup: field(1, '*string', '', { keep: true }),
    kind: field(2, 'string', '', { required: true, keep: true }),
    name: field(3, 'string', '', { required: true, keep: true }),
  }, { atomic: true }),
  VolumeStatus: message('', {
    image: field(1, '*ImageVolumeStatus', '', { gate: 'ImageVolumeWithDigest' }),
  }),
} satisfies MessageDeclarations;
