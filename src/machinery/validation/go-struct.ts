/**
 * Prints a value as an internal Go struct, as some of upstream's error messages do: with Go's field names and all
 * fields, also zero ones.
 */
import { type Field, type Message, schema, type Type } from '../../api/index.ts';
import { isRecord, stringifyJson } from '../../base/index.ts';
import { Verbatim } from '../errors/index.ts';

const META_PREFIX = 'io.k8s.apimachinery.pkg.apis.meta.';

/** Go writes initialisms in capitals. */
const INITIALISMS: ReadonlyMap<string, string> = new Map(
  Object.entries<string>({
    apiGroup: 'APIGroup',
    apiGroups: 'APIGroups',
    apiVersion: 'APIVersion',
    apiVersions: 'APIVersions',
    awsElasticBlockStore: 'AWSElasticBlockStore',
    bool: 'BoolValue',
    bools: 'BoolValues',
    caBundle: 'CABundle',
    cel: 'CEL',
    cephfs: 'CephFS',
    chapAuthDiscovery: 'DiscoveryCHAPAuth',
    chapAuthSession: 'SessionCHAPAuth',
    cidr: 'CIDR',
    cidrs: 'CIDRs',
    csi: 'CSI',
    diskURI: 'DataDiskURI',
    dnsConfig: 'DNSConfig',
    dnsPolicy: 'DNSPolicy',
    fc: 'FC',
    fsGroup: 'FSGroup',
    fsGroupChangePolicy: 'FSGroupChangePolicy',
    fsType: 'FSType',
    gcePersistentDisk: 'GCEPersistentDisk',
    gmsaCredentialSpec: 'GMSACredentialSpec',
    gmsaCredentialSpecName: 'GMSACredentialSpecName',
    grpc: 'GRPC',
    http: 'HTTP',
    httpGet: 'HTTPGet',
    httpHeaders: 'HTTPHeaders',
    int: 'IntValue',
    ints: 'IntValues',
    ip: 'IP',
    ipBlock: 'IPBlock',
    ips: 'IPs',
    iqn: 'IQN',
    iscsi: 'ISCSI',
    jsonPath: 'JSONPath',
    nfs: 'NFS',
    nonResourceURLs: 'NonResourceURLs',
    os: 'OS',
    pdID: 'PdID',
    pdName: 'PDName',
    rbd: 'RBD',
    seLinuxChangePolicy: 'SELinuxChangePolicy',
    seLinuxOptions: 'SELinuxOptions',
    storageos: 'StorageOS',
    string: 'StringValue',
    strings: 'StringValues',
    tcpSocket: 'TCPSocket',
    tls: 'TLS',
    tty: 'TTY',
    uid: 'UID',
    url: 'URL',
    version: 'VersionValue',
    versions: 'VersionValues',
    wwids: 'WWIDs',
  }),
);
/** Messages whose Go fields have the suffix Value: `StringValue`, `VersionValue`. */
const VALUE_UNIONS = new Set(['DeviceAttribute']);
const PLAIN_ELSEWHERE = new Set(['bool', 'bools', 'int', 'ints', 'string', 'strings', 'version', 'versions']);

export function goStruct(fullName: string, value: unknown): Verbatim {
  return new Verbatim(goJson(structOf(schema.message(fullName), value)));
}

/** The struct as an object, for messages with another format. */
export function goStructObject(fullName: string, value: unknown): Record<string, unknown> {
  const struct = structOf(schema.message(fullName), value);
  return isRecord(struct) ? struct : {};
}

export function goStructs(fullName: string, values: readonly unknown[] | undefined | null): Verbatim {
  const message = schema.message(fullName);
  return new Verbatim(goJson(values ? values.map((value) => structOf(message, value)) : null));
}

/** JSON as Go encodes it, with HTML characters escaped. */
export function goJson(value: unknown): string {
  return stringifyJson(value).replace(
    /[<>&\u2028\u2029]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function structOf(message: Message, value: unknown): unknown {
  if (message.fullName.startsWith(META_PREFIX)) return value ?? null;
  const fields = isRecord(value) ? value : {};
  return Object.fromEntries(
    fieldsOf(message).map((field) => [goName(message, field.name), goField(message, field, fields[field.name])]),
  );
}

/** Fields whose position in the internal struct differs: field → its predecessor. */
const MOVED_AFTER: ReadonlyMap<string, Readonly<Record<string, string>>> = new Map(
  Object.entries<Readonly<Record<string, string>>>({
    PersistentVolumeSource: { quobyte: 'rbd', flexVolume: 'iscsi' },
    Volume: { quobyte: 'rbd' },
  }),
);

function fieldsOf(message: Message): readonly Field[] {
  let { fields } = message;
  for (const [name, after] of Object.entries(MOVED_AFTER.get(message.name) ?? {})) {
    const moved = message.byName.get(name);
    if (moved)
      fields = fields
        .filter((field) => field !== moved)
        .flatMap((field) => (field.name === after ? [field, moved] : [field]));
  }
  return fields;
}

function goName(message: Message, name: string): string {
  const known = INITIALISMS.get(name);
  if (known !== undefined && !(PLAIN_ELSEWHERE.has(name) && !VALUE_UNIONS.has(message.name))) return known;
  return name.charAt(0).toUpperCase() + name.slice(1);
}

/** Fields that are pointers in the API but not in the internal struct. */
const VALUES_INSIDE: ReadonlyMap<string, readonly string[]> = new Map([
  ['RollingUpdateDeployment', ['maxUnavailable', 'maxSurge']],
  ['RollingUpdateDaemonSet', ['maxUnavailable', 'maxSurge']],
]);

function goField(message: Message, field: Field, value: unknown): unknown {
  if (value === undefined || value === null) {
    const isNil = field.pointer && !VALUES_INSIDE.get(message.name)?.includes(field.name);
    return isNil ? null : zeroOf(field.type);
  }
  return goValue(field.type, value);
}

function goValue(type: Type, value: unknown): unknown {
  if (type.kind === 'message') return structOf(type, value);
  if (type.kind === 'list' && Array.isArray(value)) return value.map((element) => goValue(type.element, element));
  if (type.kind === 'map' && isRecord(value)) {
    const keys = Object.keys(value).sort();
    return Object.fromEntries(keys.map((key) => [key, goValue(type.value, value[key])]));
  }
  return value;
}

function zeroOf(type: Type): unknown {
  if (type.kind === 'message') return structOf(type, undefined);
  if (type.kind !== 'scalar') return null;
  switch (type.scalar) {
    case 'bool':
      return false;
    case 'int32':
    case 'int64':
    case 'double':
    case 'IntOrString':
      return 0;
    case 'Quantity':
      return '0';
    case 'Time':
    case 'MicroTime':
    case 'bytes':
    case 'RawExtension':
    case 'JSON':
    case 'FieldsV1':
      return null;
    default:
      return '';
  }
}
