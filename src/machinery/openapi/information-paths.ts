import { groupName, groupTag, versionName, versionTag } from './operation-names.ts';
import { rootOf, type Operation, type PathItem } from './operations.ts';
import { VERSION_INFO } from './special-definitions.ts';

/** The paths of discovery and of the server's version. */
const META = 'io.k8s.apimachinery.pkg.apis.meta.v1.';

interface Read {
  readonly path: string;
  readonly operationId: string;
  readonly description: string;
  readonly tag: string;
  readonly definition: string;
}

function read({ path, definition, ...rest }: Read): PathItem {
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

export const corePath: PathItem = read({
  path: '/api/',
  operationId: 'getCoreAPIVersions',
  description: 'get available API versions',
  tag: 'core',
  definition: `${META}APIVersions`,
});

export const groupsPath: PathItem = read({
  path: '/apis/',
  operationId: 'getAPIVersions',
  description: 'get available API versions',
  tag: 'apis',
  definition: `${META}APIGroupList`,
});

const versionOperation = read({
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

export const groupPath = (group: string): PathItem =>
  read({
    path: `/apis/${group}/`,
    operationId: `get${groupName(group)}APIGroup`,
    description: 'get information of a group',
    tag: groupTag(group),
    definition: `${META}APIGroup`,
  });

export const groupVersionPath = (gv: { group: string; version: string }): PathItem =>
  read({
    path: `${rootOf(gv)}/`,
    operationId: `get${versionName(gv)}APIResources`,
    description: 'get available resources',
    tag: versionTag(gv),
    definition: `${META}APIResourceList`,
  });
