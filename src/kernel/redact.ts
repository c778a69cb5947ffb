const REDACTED = '[REDACTED]';

/** Deeper parts of a value are not logged. */
const MAX_DEPTH = 6;

/** Field names whose values are secret, compared without case, dashes, dots and underscores, by their ending. */
const SECRET_NAME_ENDINGS = [
  'token',
  'password',
  'passwd',
  'passphrase',
  'secret',
  'authorization',
  'cookie',
  'privatekey',
  'apikey',
  'secretkey',
  'accesskey',
  'keydata',
  'tlskey',
  'credential',
  'credentials',
  'dockercfg',
  'dockerconfigjson',
  'kubeconfig',
] as const;

const TEXT_PATTERNS: readonly (readonly [RegExp, string])[] = [
  [/-----BEGIN ([A-Z ]*)PRIVATE KEY-----[\s\S]*?(?:-----END \1PRIVATE KEY-----|$)/g, REDACTED],
  // A token may stand at the end of a longer word; only the first `eyJ` of a word can begin one.
  [/(?<![\w-])((?:(?!\beyJ)[\w-])*)\beyJ[\w-]{5,}\.[\w-]{5,}(?:\.[\w-]*)?/g, `$1${REDACTED}`],
  [/\b(bearer|basic)\s+[\w.~+/=-]{6,}/gi, `$1 ${REDACTED}`],
  [/((?<=[a-z0-9+.-]):\/\/[^\s:/@]*):[^\s/@]+@/gi, `$1:${REDACTED}@`],
  [
    /\b((?:access_token|id_token|refresh_token|client_secret|token|password|passwd|secret)\s*[=:]\s*)(?!\[REDACTED\])("[^"]*"|'[^']*'|[^\s&,;"']+)/gi,
    `$1${REDACTED}`,
  ],
  /** Bootstrap tokens: id and secret in a fixed form. */
  [/\b([a-z0-9]{6})\.[a-z0-9]{16}\b/g, `$1.${REDACTED}`],
];

/** Every pattern above needs one of these to match; most texts have none, and logging them should cost little. */
const SUSPICIOUS = /-----BEGIN|eyJ|bearer|basic|:\/\/|[=:]|\.[a-z0-9]{16}/i;

/** The longest text in a log line: clients choose some texts, such as the path of a request. */
const MAX_TEXT_LENGTH = 8192;

/** Replaces bearer tokens, JWTs, private keys, passwords in URLs and the like; truncates long texts. */
export function redactText(text: string): string {
  let result = text;
  // Truncate after redacting: half a secret may not be recognized.
  if (SUSPICIOUS.test(text))
    for (const [pattern, replacement] of TEXT_PATTERNS) result = result.replace(pattern, replacement);
  return result.length <= MAX_TEXT_LENGTH
    ? result
    : `${result.slice(0, MAX_TEXT_LENGTH)}… (${result.length - MAX_TEXT_LENGTH} more characters)`;
}

/** Caches the few names that are logged again and again. */
const knownNames = new Map<string, boolean>();
const MAX_KNOWN_NAMES = 10_000;

export function isSecretName(name: string): boolean {
  let secret = knownNames.get(name);
  if (secret === undefined) {
    const plain = name.toLowerCase().replace(/[-_.]/g, '');
    secret = SECRET_NAME_ENDINGS.some((ending) => plain.endsWith(ending));
    if (knownNames.size >= MAX_KNOWN_NAMES) knownNames.clear();
    knownNames.set(name, secret);
  }
  return secret;
}

/** A copy of the value that is safe to log under `name`. */
export function redact(value: unknown, name = ''): unknown {
  return redactAt(value, name, 0);
}

function redactAt(value: unknown, name: string, depth: number): unknown {
  if (value === undefined || value === null || typeof value === 'boolean') return value;
  if (isSecretName(name)) return REDACTED;
  if (typeof value === 'string') return redactText(value);
  if (typeof value !== 'object' || value instanceof Error) return typeof value === 'function' ? '[function]' : value;
  if (depth >= MAX_DEPTH) return '[deep]';
  if (value instanceof Uint8Array) return `[${value.byteLength} bytes]`;
  if (value instanceof Date) return value;
  if (value instanceof Map) return redactAt(Object.fromEntries(value), name, depth);
  if (value instanceof Set) return redactAt([...value], name, depth);
  if (Array.isArray(value)) return value.map((item) => redactAt(item, name, depth + 1));
  const isSecretObject = 'kind' in value && value.kind === 'Secret';
  const copy: Record<string, unknown> = {};
  for (const [key, inner] of Object.entries(value)) {
    copy[key] = isSecretObject && (key === 'data' || key === 'stringData') ? REDACTED : redactAt(inner, key, depth + 1);
  }
  return copy;
}
