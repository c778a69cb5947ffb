/** The parts of the OpenAPI documents that describe a custom resource. Made once and kept while it is served. */
import { type Steps } from '../../base/index.ts';
import { builtinDefinitionsV3, pathsV2, pathsV3 } from './builtin-part.ts';
import {
  CUSTOM_REFERENCES,
  customDefinitions,
  customOpenApiResource,
  type CustomResourceApi,
} from './custom-resource.ts';
import { deleteOptionsOfCustomResources } from './definitions.ts';
import { groupPath, groupVersionPath } from './discovery-paths.ts';
import { member, partOf, type Part } from './part.ts';
import { resourcePaths } from './resource-paths.ts';
import { HEAVY } from './step-weights.ts';

const known = { v2: new WeakMap<CustomResourceApi, Part>(), v3: new WeakMap<CustomResourceApi, Part>() };

export function* customPart(api: CustomResourceApi, style: 'v2' | 'v3'): Steps<Part> {
  let part = known[style].get(api);
  if (!part) {
    part = yield* style === 'v2' ? partV2(api) : partV3(api);
    known[style].set(api, part);
  }
  return part;
}

/** A custom resource refers only to definitions of built-in kinds, which the document has already. */
function* partV2(api: CustomResourceApi): Steps<Part> {
  const items = [
    groupPath(api.resource.group),
    groupVersionPath(api.resource),
    ...resourcePaths(customOpenApiResource(api)),
  ];
  const { paths, parameters } = yield* pathsV2(items);
  const definitions = yield* customDefinitions(api, 'v2');
  yield HEAVY;
  return partOf({ paths, parameters, definitions });
}

function* partV3(api: CustomResourceApi): Steps<Part> {
  const { paths, refs } = yield* pathsV3(resourcePaths(customOpenApiResource(api)));
  const own = yield* customDefinitions(api, 'v3');
  yield HEAVY;
  const [name, deleteOptions] = deleteOptionsOfCustomResources();
  const shared = builtinDefinitionsV3([...refs, ...CUSTOM_REFERENCES]).map((one) =>
    one.name === name ? member(name, JSON.stringify(deleteOptions)) : one,
  );
  return partOf({ paths, parameters: {}, definitions: [...shared, ...own] });
}
