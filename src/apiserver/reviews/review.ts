/** The create handler of reviews: decodes, admits and validates the review, and returns it with its status. */
import { invalid } from '../../machinery/errors/index.ts';
import type { KubeObject } from '../../machinery/index.ts';
import { validateCreate } from '../../machinery/validation/index.ts';
import { attributesOf } from '../admission/attributes.ts';
import { optionsObject, writeOptions } from '../request/options.ts';
import { checkNamespace } from '../verbs/create.ts';
import { decodeBody } from '../verbs/decode-body.ts';
import { managerOf, trackCreate } from '../verbs/managed-fields.ts';
import type { Verb } from '../verbs/scope.ts';
import type { Scope } from '../verbs/scope.ts';
import { validateInThread } from '../verbs/validate-in-thread.ts';

export function review(respond: (scope: Scope, object: KubeObject) => Promise<object> | object): Verb {
  return async (scope) => {
    const options = writeOptions('CreateOptions', scope.request.query);
    const object = await decodeBody(scope, { fieldValidation: options.fieldValidation });
    checkNamespace(scope, object);
    const tracking = trackCreate(scope, object, managerOf(scope, options));
    if (tracking) await tracking;
    const attributes = attributesOf(scope, {
      operation: 'CREATE',
      object,
      name: object.metadata.name ?? '',
      options: optionsObject(options),
      dryRun: options.dryRun,
    });
    await scope.backend.admission.admit(attributes);
    const inThread = scope.isLarge ? await validateInThread(scope, object, { kind: invalidKind(scope) }) : undefined;
    const errors = inThread ? [] : validateCreate(scope.served, object, scope.backend.validation);
    if (errors.length > 0) throw invalid(invalidKind(scope), object.metadata.name ?? '', errors);
    await scope.backend.admission.validate(attributes);
    return { type: 'object', status: 201, object: (await respond(scope, object)) as KubeObject };
  };
}

/** Upstream has no kind in the errors of access reviews. */
const invalidKind = ({ served }: Scope): { group: string; kind: string } => ({
  group: served.group,
  kind: served.group === 'authorization.k8s.io' ? '' : served.kind,
});
