/** The Pod Security policy of a namespace from its labels: a level and version for each of enforce, audit and warn. */
import { ownValue } from '../../../base/index.ts';
import { type FieldError, invalidValue, path } from '../../../machinery/errors/index.ts';

export type Level = 'privileged' | 'baseline' | 'restricted';

export interface LevelVersion {
  readonly level: Level;
  /** The minor version of v1. */
  readonly version: number | 'latest';
}

export interface Policy {
  readonly enforce: LevelVersion;
  readonly audit: LevelVersion;
  readonly warn: LevelVersion;
}

export interface ParsedPolicy {
  readonly policy: Policy;
  readonly errors: readonly FieldError[];
}

type Labels = Readonly<Record<string, string>>;

export const LABEL_PREFIX = 'pod-security.kubernetes.io/';
const LEVELS: readonly Level[] = ['privileged', 'baseline', 'restricted'];
const PRIVILEGED: LevelVersion = { level: 'privileged', version: 'latest' };

export const DEFAULT_POLICY: Policy = { enforce: PRIVILEGED, audit: PRIVILEGED, warn: PRIVILEGED };

export const policyText = ({ level, version }: LevelVersion): string =>
  `${level}:${version === 'latest' ? version : `v1.${version}`}`;

export const compareLevels = (a: Level, b: Level): number => LEVELS.indexOf(a) - LEVELS.indexOf(b);

export const samePolicy = (a: LevelVersion, b: LevelVersion): boolean => a.level === b.level && a.version === b.version;

/** An invalid enforce label means restricted; invalid audit and warn labels mean privileged. */
export function parsePolicy(labels: Labels | undefined, defaults: Policy): ParsedPolicy {
  if (!labels) return { policy: defaults, errors: [] };
  const errors: FieldError[] = [];
  const enforce = parseMode('enforce', labels, { defaults: defaults.enforce, fallback: 'restricted', errors });
  const audit = parseMode('audit', labels, { defaults: defaults.audit, fallback: 'privileged', errors });
  let warn = parseMode('warn', labels, { defaults: defaults.warn, fallback: 'privileged', errors });
  // PodSecurity does not reject workloads, only their pods. Warn the author of the workload about it.
  const {
    [`${LABEL_PREFIX}enforce`]: enforced,
    [`${LABEL_PREFIX}warn`]: warned,
    [`${LABEL_PREFIX}warn-version`]: warnVersion,
  } = labels;
  if (enforced !== undefined && warned === undefined && compareLevels(enforce.level, warn.level) > 0) {
    warn = { level: enforce.level, version: warnVersion === undefined ? enforce.version : warn.version };
  }
  return { policy: { enforce, audit, warn }, errors };
}

interface ModeRules {
  readonly defaults: LevelVersion;
  readonly fallback: Level;
  readonly errors: FieldError[];
}

function parseMode(mode: keyof Policy, labels: Labels, { defaults, fallback, errors }: ModeRules): LevelVersion {
  let { level, version } = defaults;
  const levelKey = `${LABEL_PREFIX}${mode}`;
  const levelText = ownValue(labels, levelKey);
  if (levelText !== undefined) {
    const known = LEVELS.find((name) => name === levelText);
    if (!known)
      errors.push(
        invalidValue(path('metadata', 'labels').key(levelKey), levelText, `must be one of ${LEVELS.join(', ')}`),
      );
    level = known ?? fallback;
  }
  const versionKey = `${levelKey}-version`;
  const versionText = ownValue(labels, versionKey);
  if (versionText !== undefined) {
    const known = parseVersion(versionText);
    if (known === undefined)
      errors.push(invalidValue(path('metadata', 'labels').key(versionKey), versionText, 'must be "latest" or "v1.x"'));
    version = known ?? 'latest';
  }
  return { level, version };
}

function parseVersion(text: string): LevelVersion['version'] | undefined {
  if (text === 'latest') return 'latest';
  const minor = /^v1\.(0|[1-9]\d*)$/.exec(text)?.[1];
  return minor === undefined ? undefined : Number(minor);
}
