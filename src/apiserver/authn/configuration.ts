/** AuthenticationConfiguration: JWT authenticators and anonymous authentication from --authentication-config. */
import { parse } from 'yaml';
import type { Context } from '../../kernel/index.ts';
import { compileExpression } from '../review-webhooks/index.ts';
import type { AuthenticationOptions } from './build.ts';
import type { ClaimMapping, ClaimSource } from './oidc/claim-mapping.ts';
import { OidcTokens } from './oidc/oidc-tokens.ts';

interface Source {
  readonly claim?: string;
  readonly prefix?: string;
  readonly expression?: string;
}

interface JwtAuthenticator {
  readonly issuer?: {
    readonly url?: string;
    readonly discoveryURL?: string;
    readonly certificateAuthority?: string;
    readonly audiences?: readonly string[];
    readonly audienceMatchPolicy?: string;
  };
  readonly claimValidationRules?: readonly {
    readonly claim?: string;
    readonly requiredValue?: string;
    readonly expression?: string;
    readonly message?: string;
  }[];
  readonly claimMappings?: {
    readonly username?: Source;
    readonly groups?: Source;
    readonly uid?: Source;
    readonly extra?: readonly { readonly key?: string; readonly valueExpression?: string }[];
  };
  readonly userValidationRules?: readonly { readonly expression?: string; readonly message?: string }[];
}

interface Configuration {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly jwt?: readonly JwtAuthenticator[];
  readonly anonymous?: { readonly enabled?: boolean; readonly conditions?: readonly { readonly path?: string }[] };
}

const VERSIONS = ['v1', 'v1beta1', 'v1alpha1'].map((version) => `apiserver.config.k8s.io/${version}`);

/** `text` is YAML or JSON. Throws an error that names the wrong field. */
export function authenticationFromConfiguration(
  ctx: Context,
  text: string,
): Pick<AuthenticationOptions, 'tokenAuthenticators' | 'anonymous'> {
  const configuration = parse(text) as Configuration;
  if (configuration.kind !== 'AuthenticationConfiguration' || !VERSIONS.includes(configuration.apiVersion ?? '')) {
    throw new Error(
      `expected an AuthenticationConfiguration of ${VERSIONS[0]}, got ${configuration.kind} of ${configuration.apiVersion}`,
    );
  }
  const { jwt = [], anonymous } = configuration;
  const urls = jwt.map(({ issuer }) => issuer?.url ?? '');
  const twice = urls.findIndex((url, index) => urls.indexOf(url) !== index);
  if (twice >= 0) throw new Error(`jwt[${twice}].issuer.url: Duplicate value: "${urls[twice]}"`);
  const paths = anonymous?.conditions?.map(({ path }) => path ?? '');
  return {
    tokenAuthenticators: jwt.map((authenticator, index) => issuerFrom(ctx, authenticator, `jwt[${index}]`)),
    ...(anonymous ? { anonymous: { enabled: anonymous.enabled ?? false, ...(paths?.length ? { paths } : {}) } } : {}),
  };
}

function issuerFrom(ctx: Context, config: JwtAuthenticator, at: string): OidcTokens {
  const { url = '', discoveryURL, certificateAuthority, audiences = [] } = config.issuer ?? {};
  if (!url.startsWith('https://'))
    throw new Error(`${at}.issuer.url: Invalid value: "${url}": URL scheme must be https`);
  if (audiences.length === 0)
    throw new Error(`${at}.issuer.audiences: Required value: at least one ${at}.issuer.audiences is required`);
  return new OidcTokens(ctx, {
    issuer: url,
    audiences,
    mapping: mappingFrom(config, at),
    ...(discoveryURL ? { discoveryUrl: discoveryURL } : {}),
    ...(certificateAuthority ? { ca: certificateAuthority } : {}),
  });
}

function mappingFrom(
  { claimMappings = {}, claimValidationRules = [], userValidationRules = [] }: JwtAuthenticator,
  at: string,
): ClaimMapping {
  const { username, groups, uid, extra = [] } = claimMappings;
  if (!username || (!username.claim && !username.expression))
    throw new Error(`${at}.claimMappings.username: Required value: claim or expression is required`);
  const claims = (text: string, where: string): ReturnType<typeof compileExpression> =>
    compiled(text, 'claims', `${at}.${where}`);
  const source = (given: Source, where: string): ClaimSource => {
    if (given.claim && given.expression)
      throw new Error(`${at}.${where}: Invalid value: "": claim and expression can't both be set`);
    if (given.expression) return { expression: claims(given.expression, `${where}.expression`) };
    if (given.prefix === undefined)
      throw new Error(
        `${at}.${where}.prefix: Required value: prefix is required when claim is set. It can be set to an empty string to disable prefixing`,
      );
    return { claim: given.claim ?? '', prefix: given.prefix };
  };
  return {
    username: source(username, 'claimMappings.username'),
    ...(groups?.claim || groups?.expression ? { groups: source(groups, 'claimMappings.groups') } : {}),
    ...(uid?.expression
      ? { uid: { expression: claims(uid.expression, 'claimMappings.uid.expression') } }
      : uid?.claim
        ? { uid: { claim: uid.claim } }
        : {}),
    extra: extra.map(({ key = '', valueExpression = '' }, i) => ({
      key,
      expression: claims(valueExpression, `claimMappings.extra[${i}].valueExpression`),
    })),
    validations: claimValidationRules.map(({ claim, requiredValue = '', expression, message = '' }, i) =>
      expression
        ? { expression: claims(expression, `claimValidationRules[${i}].expression`), message }
        : { claim: claim ?? '', requiredValue },
    ),
    userValidations: userValidationRules.map(({ expression = '', message = '' }, i) => ({
      expression: compiled(expression, 'user', `${at}.userValidationRules[${i}].expression`),
      message,
    })),
  };
}

function compiled(text: string, variable: string, at: string): ReturnType<typeof compileExpression> {
  try {
    return compileExpression(text, [variable]);
  } catch (error) {
    throw new Error(`${at}: Invalid value: "${text}": ${(error as Error).message}`, { cause: error });
  }
}
