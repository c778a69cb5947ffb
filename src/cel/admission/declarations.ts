/** The types of the variables that every admission expression has: `request` and `namespaceObject`. */
import { BOOL, type CelType, DYN, INT, listOf, mapOf, type ObjectType, STRING, TIMESTAMP } from '../index.ts';

const objectType = (name: string, fields: Readonly<Record<string, CelType>>): ObjectType => ({
  kind: 'object',
  name,
  fields: new Map(Object.entries(fields).map(([field, type]) => [field, { name: field, type }])),
});

const KIND = objectType('kubernetes.GroupVersionKind', { group: STRING, version: STRING, kind: STRING });
const RESOURCE = objectType('kubernetes.GroupVersionResource', { group: STRING, version: STRING, resource: STRING });
const USER = objectType('kubernetes.UserInfo', {
  username: STRING,
  uid: STRING,
  groups: listOf(STRING),
  extra: mapOf(STRING, listOf(STRING)),
});

export const REQUEST = objectType('kubernetes.AdmissionRequest', {
  kind: KIND,
  resource: RESOURCE,
  subResource: STRING,
  requestKind: KIND,
  requestResource: RESOURCE,
  requestSubResource: STRING,
  name: STRING,
  namespace: STRING,
  operation: STRING,
  userInfo: USER,
  dryRun: BOOL,
  options: DYN,
});

const NAMESPACE_CONDITION = objectType('kubernetes.NamespaceCondition', {
  status: STRING,
  type: STRING,
  lastTransitionTime: TIMESTAMP,
  message: STRING,
  reason: STRING,
});

export const NAMESPACE = objectType('kubernetes.Namespace', {
  metadata: objectType('kubernetes.NamespaceMetadata', {
    name: STRING,
    generateName: STRING,
    namespace: STRING,
    labels: mapOf(STRING, STRING),
    annotations: mapOf(STRING, STRING),
    UID: STRING,
    creationTimestamp: TIMESTAMP,
    deletionGracePeriodSeconds: INT,
    deletionTimestamp: TIMESTAMP,
    generation: INT,
    resourceVersion: STRING,
    finalizers: listOf(STRING),
  }),
  spec: objectType('kubernetes.NamespaceSpec', { finalizers: listOf(STRING) }),
  status: objectType('kubernetes.NamespaceStatus', { conditions: listOf(NAMESPACE_CONDITION), phase: STRING }),
});

export const VARIABLES_TYPE = 'kubernetes.variables';

export const variablesType = (types: ReadonlyMap<string, CelType>): ObjectType =>
  objectType(VARIABLES_TYPE, Object.fromEntries(types));
