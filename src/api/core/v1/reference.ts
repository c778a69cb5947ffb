/** How objects refer to other objects. */
import { field, message, object, type MessageDeclarations } from '../../declare.ts';

export const messages = {
  LocalObjectReference: message(
    'An object of the same namespace, by name.',
    {
      name: field(1, 'string', 'Name of the object.', { statesDefault: true }),
    },
    { atomic: true },
  ),
  ObjectReference: message(
    'Points to an object, or to a part of it.',
    {
      kind: field(1, 'string', 'Kind of the object.'),
      namespace: field(2, 'string', 'Namespace of the object.'),
      name: field(3, 'string', 'Name of the object.'),
      uid: field(4, 'string', 'UID of the object.'),
      apiVersion: field(5, 'string', 'API version of the object.'),
      resourceVersion: field(6, 'string', 'The resource version that is meant, if any.'),
      fieldPath: field(7, 'string', 'A part of the object, such as spec.containers{name}.'),
    },
    { atomic: true },
  ),
  Preconditions: message('What must hold for an operation to go ahead.', {
    uid: field(1, '*string', 'The UID that the object must have.'),
  }),
  PreferAvoidPodsEntry: message('Pods that a node would rather not run.', {
    podSignature: field(1, 'PodSignature', 'Which Pods are meant.', { keep: true }),
    evictionTime: field(2, 'Time', 'When the entry was added.'),
    reason: field(3, 'string', 'Short reason for the entry.'),
    message: field(4, 'string', 'The reason, for people to read.'),
  }),
  RangeAllocation: object('The allocated part of a number range, as a bitmap.', {
    metadata: field(1, 'meta.ObjectMeta', "Standard object's metadata: name, labels, annotations."),
    range: field(2, 'string', 'The range, such as a CIDR or first-last.', { keep: true }),
    data: field(3, 'bytes', 'One bit for each allocated number.', { keep: true }),
  }),
  SerializedReference: object('A reference to an object, as an object of its own.', {
    reference: field(1, 'ObjectReference', 'The object that is meant.'),
  }),
  TypedLocalObjectReference: message(
    'An object of the same namespace, by kind and name.',
    {
      apiGroup: field(1, '*string', 'API group of the object; unset for the core group.', { keep: true }),
      kind: field(2, 'string', 'Kind of the object.', { required: true, keep: true }),
      name: field(3, 'string', 'Name of the object.', { required: true, keep: true }),
    },
    { atomic: true },
  ),
  VolumeStatus: message('State of a mounted volume.', {
    image: field(1, '*ImageVolumeStatus', 'State of an image volume.', { gate: 'ImageVolumeWithDigest' }),
  }),
} satisfies MessageDeclarations;
