/** The authorizer library: checks what the requesting user may do, in admission policies and match conditions. */
import { method, type Library } from '../function-table.ts';
import { BOOL, STRING, opaque } from '../types.ts';
import { CelError, LibraryValue, type Value } from '../values.ts';

export const AUTHORIZER = opaque('kubernetes.authorization.Authorizer');
const PATH_CHECK = opaque('kubernetes.authorization.PathCheck');
const GROUP_CHECK = opaque('kubernetes.authorization.GroupCheck');
export const RESOURCE_CHECK = opaque('kubernetes.authorization.ResourceCheck');
const DECISION = opaque('kubernetes.authorization.Decision');

export interface AuthorizationAttributes {
  readonly verb: string;
  readonly path?: string;
  readonly group?: string;
  readonly resource?: string;
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly fieldSelector?: string;
  readonly labelSelector?: string;
  /** Checked instead of the requesting user. */
  readonly serviceAccount?: { readonly namespace: string; readonly name: string };
}

export interface AuthorizationDecision {
  readonly allowed: boolean;
  readonly reason: string;
  readonly error?: string;
}

export type Authorize = (attributes: AuthorizationAttributes) => AuthorizationDecision;

/** A check under construction, such as `authorizer.group('').resource('pods')`. */
export class AuthorizerValue extends LibraryValue {
  constructor(
    readonly typeName: string,
    readonly authorize: Authorize,
    readonly attributes: Omit<AuthorizationAttributes, 'verb'> = {},
  ) {
    super();
  }

  with(typeName: string, more: Omit<AuthorizationAttributes, 'verb'>): AuthorizerValue {
    return new AuthorizerValue(typeName, this.authorize, { ...this.attributes, ...more });
  }

  override equals(other: Value): boolean {
    return other === this;
  }
}

class DecisionValue extends LibraryValue {
  readonly typeName = DECISION.name;

  constructor(readonly decision: AuthorizationDecision) {
    super();
  }

  override equals(other: Value): boolean {
    return other === this;
  }
}

const notEmpty = (text: string, what: string): string => {
  if (text === '') throw new CelError(`${what} must not be empty`);
  return text;
};

const check = (value: AuthorizerValue, verb: string): Value =>
  new DecisionValue(value.authorize({ ...value.attributes, verb }));
const LABEL = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;

function serviceAccount(value: AuthorizerValue, namespace: string, name: string): Value {
  if (!/^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/.test(name)) throw new CelError('Invalid service account name');
  if (!LABEL.test(namespace)) throw new CelError('Invalid service account namespace');
  return value.with(AUTHORIZER.name, { serviceAccount: { namespace, name } });
}

const attributeMethod = (
  name: 'subresource' | 'namespace' | 'name' | 'fieldSelector' | 'labelSelector',
  id: string,
) => [
  method(id, [RESOURCE_CHECK, STRING], RESOURCE_CHECK, (value: AuthorizerValue, text: string) =>
    value.with(RESOURCE_CHECK.name, { [name]: text }),
  ),
];

export const authorizerLibrary: Library = {
  types: Object.fromEntries(
    [AUTHORIZER, PATH_CHECK, GROUP_CHECK, RESOURCE_CHECK, DECISION].map((type) => [type.name, type]),
  ),
  functions: {
    path: [
      method('authorizer_path', [AUTHORIZER, STRING], PATH_CHECK, (value: AuthorizerValue, path: string) =>
        value.with(PATH_CHECK.name, { path: notEmpty(path, 'path') }),
      ),
    ],
    group: [
      method('authorizer_group', [AUTHORIZER, STRING], GROUP_CHECK, (value: AuthorizerValue, group: string) =>
        value.with(GROUP_CHECK.name, { group }),
      ),
    ],
    serviceAccount: [method('authorizer_serviceaccount', [AUTHORIZER, STRING, STRING], AUTHORIZER, serviceAccount)],
    resource: [
      method('groupcheck_resource', [GROUP_CHECK, STRING], RESOURCE_CHECK, (value: AuthorizerValue, resource: string) =>
        value.with(RESOURCE_CHECK.name, { resource: notEmpty(resource, 'resource') }),
      ),
    ],
    subresource: attributeMethod('subresource', 'resourcecheck_subresource'),
    namespace: attributeMethod('namespace', 'resourcecheck_namespace'),
    name: attributeMethod('name', 'resourcecheck_name'),
    fieldSelector: attributeMethod('fieldSelector', 'authorizer_fieldselector'),
    labelSelector: attributeMethod('labelSelector', 'authorizer_labelselector'),
    check: [
      method('pathcheck_check', [PATH_CHECK, STRING], DECISION, check),
      method('resourcecheck_check', [RESOURCE_CHECK, STRING], DECISION, check),
    ],
    allowed: [method('decision_allowed', [DECISION], BOOL, ({ decision }: DecisionValue) => decision.allowed)],
    reason: [method('decision_reason', [DECISION], STRING, ({ decision }: DecisionValue) => decision.reason)],
    errored: [
      method('decision_errored', [DECISION], BOOL, ({ decision }: DecisionValue) => decision.error !== undefined),
    ],
    error: [method('decision_error', [DECISION], STRING, ({ decision }: DecisionValue) => decision.error ?? '')],
  },
};
