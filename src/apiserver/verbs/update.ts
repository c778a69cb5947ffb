/** PUT: replaces an object. */
import { cloneJson } from '../../base/index.ts';
import { badRequest } from '../../machinery/errors/index.ts';
import type { KubeObject } from '../../machinery/index.ts';
import { writeOptions, type WriteOptions } from '../request/options.ts';
import type { Result } from '../request/request.ts';
import type { Entry } from '../storage/entry.ts';
import { objectKey } from '../storage/keys.ts';
import { checkNamespace, createObject } from './create.ts';
import { decodeBody } from './decode-body.ts';
import { managerOf, trackUpdate } from './managed-fields.ts';
import { noteStoredSize } from './read-body.ts';
import type { Scope } from './scope.ts';
import { keyOfDryRun, otherUid, updateObject } from './update-object.ts';

export async function update(scope: Scope): Promise<Result> {
  noteStoredSize(scope);
  const options = writeOptions('UpdateOptions', scope.request.query);
  const body = await decodeBody(scope, { fieldValidation: options.fieldValidation });
  checkNamespace(scope, body);
  checkName(scope, body);
  const manager = managerOf(scope, options);
  const { entry, created } = await updateObject(scope, {
    options,
    compute: (live) => trackUpdate(scope, live, copyToWrite(scope, body), manager, body),
    ...(scope.served.strategy.allowCreateOnUpdate && scope.subresource === ''
      ? { create: () => createInstead(scope, body, options) }
      : {}),
  });
  return { type: 'entry', status: created ? 201 : 200, entry };
}

/** A PUT that creates the object. It ignores the body's resourceVersion, but not its uid. */
function createInstead(scope: Scope, body: KubeObject, options: WriteOptions): Promise<Entry> {
  const { served, place } = scope;
  const { uid } = body.metadata;
  if (uid) {
    const key = objectKey(served.stored.prefix, place.namespace, place.name);
    throw otherUid(scope, options.dryRun ? keyOfDryRun(key) : key, uid, '');
  }
  return createObject(scope, cloneJson(body), { ...options, kind: 'CreateOptions' }, body);
}

/** A copy for one attempt. A write to /status needs copies of the metadata and the status only. */
const copyToWrite = ({ subresource }: Scope, body: KubeObject): KubeObject =>
  subresource === 'status'
    ? {
        ...body,
        metadata: cloneJson(body.metadata),
        ...(body['status'] === undefined ? {} : { status: cloneJson(body['status']) }),
      }
    : cloneJson(body);

function checkName(scope: Scope, object: KubeObject): void {
  const given = object.metadata.name ?? '';
  if (given === '')
    throw badRequest(
      `the name of the object (${scope.place.name} based on URL) was undeterminable: name must be provided`,
    );
  if (given !== scope.place.name) {
    throw badRequest(`the name of the object (${given}) does not match the name on the URL (${scope.place.name})`);
  }
}
