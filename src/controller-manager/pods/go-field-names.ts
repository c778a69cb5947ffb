/** The names of Go's struct fields for the fields of a pod template. */
import type { Field, Message } from '../../api/index.ts';

/** Words that Go writes in capitals at the beginning of a name. */
const INITIALISMS = new Set(
  'api aws csi dns fc fs gce gmsa grpc http ip iqn iscsi nfs os pd rbd se ssl tcp tty uid'.split(' '),
);

/** Where the Go name is not the JSON name. */
const NAMES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    metadata: 'ObjectMeta',
    cephfs: 'CephFS',
    storageos: 'StorageOS',
    'ISCSIVolumeSource.chapAuthDiscovery': 'DiscoveryCHAPAuth',
    'ISCSIVolumeSource.chapAuthSession': 'SessionCHAPAuth',
    'GlusterfsVolumeSource.endpoints': 'EndpointsName',
    'RBDVolumeSource.monitors': 'CephMonitors',
    'RBDVolumeSource.image': 'RBDImage',
    'RBDVolumeSource.pool': 'RBDPool',
    'RBDVolumeSource.user': 'RadosUser',
    'FCVolumeSource.wwids': 'WWIDs',
    'AzureDiskVolumeSource.diskURI': 'DataDiskURI',
    'PodSpec.serviceAccount': 'DeprecatedServiceAccount',
  }),
);

/** An embedded struct has the name of its type. */
export function goFieldName(message: Message, { name, type, inline }: Field): string {
  if (inline && type.kind === 'message') return type.name;
  return NAMES.get(`${message.name}.${name}`) ?? NAMES.get(name) ?? capitalized(name);
}

function capitalized(name: string): string {
  const word = /^[a-z]+/.exec(name)?.[0] ?? '';
  const first = INITIALISMS.has(word) ? word.toUpperCase() : word.charAt(0).toUpperCase() + word.slice(1);
  return first + name.slice(word.length);
}
