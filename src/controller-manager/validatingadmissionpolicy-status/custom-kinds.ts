/** The schemas of custom resources that a policy is about, from discovery and OpenAPI, which every user may read. */
import type { ValidatingAdmissionPolicy } from '../../api/generated/admissionregistration-v1.ts';
import type { APIResourceList } from '../../api/generated/meta-v1.ts';
import { schema, type GroupVersionKind } from '../../api/index.ts';
import { checkedResources } from '../../cel/admission/index.ts';
import { isNotFound } from '../../client/index.ts';
import type { Schema } from '../../machinery/validation/index.ts';
import type { ControllerContext } from '../controller.ts';

interface CustomKind extends GroupVersionKind {
  readonly schema: Schema;
}

interface Document {
  readonly components?: {
    readonly schemas?: Readonly<
      Record<string, Schema & { readonly 'x-kubernetes-group-version-kind'?: readonly GroupVersionKind[] }>
    >;
  };
}

type Reader = Pick<ControllerContext, 'client' | 'signal'>;

/** By `group/version/plural`; without those that are not served. */
export async function customKinds(
  context: Reader,
  policy: ValidatingAdmissionPolicy,
): Promise<ReadonlyMap<string, CustomKind>> {
  const found = new Map<string, CustomKind>();
  for (const { group, version, plural } of checkedResources(policy)) {
    if (group === '' || schema.resource(group, version, plural)) continue;
    const kind = await customKind(context, group, version, plural);
    if (kind) found.set(`${group}/${version}/${plural}`, kind);
  }
  return found;
}

async function customKind(
  context: Reader,
  group: string,
  version: string,
  plural: string,
): Promise<CustomKind | undefined> {
  const path = `apis/${encodeURIComponent(group)}/${encodeURIComponent(version)}`;
  const list = await read<APIResourceList>(context, `/${path}`);
  const kind = list?.resources?.find(({ name }) => name === plural)?.kind;
  if (kind === undefined) return undefined;
  const document = await read<Document>(context, `/openapi/v3/${path}`);
  const own = Object.values(document?.components?.schemas ?? {}).find((candidate) =>
    candidate['x-kubernetes-group-version-kind']?.some(
      (gvk) => gvk.group === group && gvk.version === version && gvk.kind === kind,
    ),
  );
  return own && { group, version, kind, schema: own };
}

/** Undefined for what is not served, or no longer. */
async function read<T>({ client, signal }: Reader, path: string): Promise<T | undefined> {
  try {
    return (await client.request({ method: 'GET', path, signal })).body as T;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
