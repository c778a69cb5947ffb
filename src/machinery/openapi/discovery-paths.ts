/** OpenAPI paths of discovery and of the server version. */
import { groupName, groupTag, versionName, versionTag } from './operation-names.ts';
import { rootOf, type Operation, type PathItem } from './operations.ts';
import { VERSION_INFO } from './special-definitions.ts';

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1.';

interface GetOperation {
  readonly path: string;
  readonly operationId: string;
  readonly description: string;
  readonly tag: string;
  /** Absent for text. */
  readonly definition?: string;
}

function getOperation({ path, definition, ...rest }: GetOperation): PathItem {
  const operation: Operation = {
    ...rest,
    method: 'get',
    parameters: [],
    responses: { 200: definition },
    produces: 'objects',
    custom: false,
  };
  return { path, parameters: [], operations: [operation] };
}

export const corePath: PathItem = getOperation({
  path: '/api/',
  operationId: 'getCoreAPIVersions',
  description: 'get available API versions',
  tag: 'core',
  definition: `${META}APIVersions`,
});

export const groupsPath: PathItem = getOperation({
  path: '/apis/',
  operationId: 'getAPIVersions',
  description: 'get available API versions',
  tag: 'apis',
  definition: `${META}APIGroupList`,
});

const versionOperation = getOperation({
  path: '/version/',
  operationId: 'getCodeVersion',
  description: 'get the version information for this server',
  tag: 'version',
  definition: VERSION_INFO,
});

export const versionPath: PathItem = {
  ...versionOperation,
  operations: versionOperation.operations.map((operation) => ({ ...operation, produces: 'anything' })),
};

const openId = (operation: GetOperation, produces: Operation['produces']): PathItem => {
  const item = getOperation(operation);
  return { ...item, operations: item.operations.map((one) => ({ ...one, produces })) };
};

export const openIdConfigurationPath: PathItem = openId(
  {
    path: '/.well-known/openid-configuration/',
    operationId: 'getServiceAccountIssuerOpenIDConfiguration',
    description: 'get the OpenID configuration of the issuer of service account tokens',
    tag: 'WellKnown',
  },
  'anything',
);

export const keySetPath: PathItem = openId(
  {
    path: '/openid/v1/jwks/',
    operationId: 'getServiceAccountIssuerOpenIDKeyset',
    description: 'get the public keys that verify service account tokens',
    tag: 'openid',
  },
  'key set',
);

export const groupPath = (group: string): PathItem =>
  getOperation({
    path: `/apis/${group}/`,
    operationId: `get${groupName(group)}APIGroup`,
    description: 'get information of a group',
    tag: groupTag(group),
    definition: `${META}APIGroup`,
  });

export const groupVersionPath = (gv: { group: string; version: string }): PathItem =>
  getOperation({
    path: `${rootOf(gv)}/`,
    operationId: `get${versionName(gv)}APIResources`,
    description: 'get available resources',
    tag: versionTag(gv),
    definition: `${META}APIResourceList`,
  });
