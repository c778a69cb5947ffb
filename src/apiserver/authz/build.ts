/** Builds the chain of authorizers from the configuration. */
import type { Context, FollowedFiles } from '../../kernel/index.ts';
import { withGatedRules } from '../bootstrap/gated-roles.ts';
import { nodeRoles } from '../bootstrap/node-roles.ts';
import type { Registry } from '../registry/registry.ts';
import type { Authorizer } from './authorizer.ts';
import { localApiAuthorizer, type OpenToEveryone } from './local-apis.ts';
import { NodeAuthorizer } from './node/node-authorizer.ts';
import { NodeGraph } from './node/node-graph.ts';
import { RbacAuthorizer } from './rbac.ts';
import { alwaysAllow, alwaysDeny, mastersAuthorizer, UnionAuthorizer } from './union.ts';

export type AuthorizerConfig =
  | { readonly type: 'Node' | 'RBAC' | 'AlwaysAllow' | 'AlwaysDeny' }
  | { readonly type: 'custom'; readonly authorizer: Authorizer };

/** A fixed chain, or that of a file, which may change. */
export type AuthorizerConfigs = readonly AuthorizerConfig[] | FollowedFiles<readonly AuthorizerConfig[]>;

const DEFAULT_AUTHORIZERS: readonly AuthorizerConfig[] = [{ type: 'Node' }, { type: 'RBAC' }];

export interface Authorization {
  readonly authorizer: UnionAuthorizer;
  /** The RBAC rules, which the escalation check needs even if RBAC is not in the chain. */
  readonly rbac: RbacAuthorizer;
}

interface AuthorizationOptions {
  readonly featureGates?: Readonly<Record<string, boolean>> | undefined;
  /** What APIs of this process offer to everyone. */
  readonly isOpen: OpenToEveryone;
}

export function buildAuthorization(
  ctx: Context,
  registry: Registry,
  configs: AuthorizerConfigs = DEFAULT_AUTHORIZERS,
  { featureGates, isOpen }: AuthorizationOptions,
): Authorization {
  const rbac = new RbacAuthorizer(registry);
  let node: NodeAuthorizer | undefined;
  const authorizerOf = (config: AuthorizerConfig): Authorizer => {
    switch (config.type) {
      case 'Node':
        return (node ??= new NodeAuthorizer(
          new NodeGraph(registry, ctx),
          withGatedRules(nodeRoles(), featureGates).find(({ metadata }) => metadata.name === 'system:node')?.rules ??
            [],
        ));
      case 'RBAC':
        return rbac;
      case 'AlwaysAllow':
        return alwaysAllow;
      case 'AlwaysDeny':
        return alwaysDeny;
      case 'custom':
        return config.authorizer;
    }
  };
  const local = localApiAuthorizer(isOpen);
  const chainOf = (current: readonly AuthorizerConfig[]): Authorizer[] => [
    mastersAuthorizer,
    ...current.map(authorizerOf),
    local,
  ];
  const followed = 'onChange' in configs ? configs : undefined;
  const authorizer = new UnionAuthorizer(chainOf('onChange' in configs ? configs.value : configs), ctx.metrics);
  followed?.onChange((changed) => authorizer.use(chainOf(changed)));
  return { authorizer, rbac };
}
