/**
 * The syntaxes that names, keys and small values have to follow. Each function gives the messages that say what is
 * wrong with a value, in upstream's words, and the same empty list for every value that is right.
 */
import { append } from '../../base/index.ts';
import { MATCH_PRINTABLE_ASCII, utf8Longer } from './text.ts';

export type Messages = readonly string[];

/** How a kind checks its names; `prefix` is true for a generateName, which may end in a dash. */
export type NameCheck = (name: string, prefix?: boolean) => Messages;

export const NO_MESSAGES: Messages = Object.freeze([]);

const LABEL_1123 = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const SUBDOMAIN_1123 = `${LABEL_1123}(\\.${LABEL_1123})*`;
const LABEL_1123_UNDERSCORE = '_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?';
const SUBDOMAIN_1123_UNDERSCORE = `${LABEL_1123_UNDERSCORE}(\\.${LABEL_1123_UNDERSCORE})*`;
const LABEL_1035 = '[a-z]([-a-z0-9]*[a-z0-9])?';
const WILDCARD_SUBDOMAIN = `\\*\\.${SUBDOMAIN_1123}`;
const QUALIFIED = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';
const LABEL_VALUE = `(${QUALIFIED})?`;
const C_IDENTIFIER = '[A-Za-z_][A-Za-z0-9_]*';
const PERCENT = '[0-9]+%';
const HEADER_NAME = '[-A-Za-z0-9]+';
const ENV_NAME = '[-._a-zA-Z][-._a-zA-Z0-9]*';
const CONFIG_KEY = '[-._a-zA-Z0-9]+';

const whole = (pattern: string): RegExp => new RegExp(`^${pattern}$`);

const LABEL_1123_RE = whole(LABEL_1123);
const SUBDOMAIN_1123_RE = whole(SUBDOMAIN_1123);
const SUBDOMAIN_1123_UNDERSCORE_RE = whole(SUBDOMAIN_1123_UNDERSCORE);
const LABEL_1035_RE = whole(LABEL_1035);
const WILDCARD_SUBDOMAIN_RE = whole(WILDCARD_SUBDOMAIN);
const QUALIFIED_RE = whole(QUALIFIED);
const LABEL_VALUE_RE = whole(LABEL_VALUE);
const C_IDENTIFIER_RE = whole(C_IDENTIFIER);
const PERCENT_RE = whole(PERCENT);
const HEADER_NAME_RE = whole(HEADER_NAME);
const ENV_NAME_RE = whole(ENV_NAME);
const CONFIG_KEY_RE = whole(CONFIG_KEY);

export const maxLengthMessage = (length: number): string => `must be no more than ${length} characters`;
export const maxBytesMessage = (length: number): string => `must be no more than ${length} bytes`;
export const rangeMessage = (low: number, high: number): string => `must be between ${low} and ${high}, inclusive`;
export const EMPTY_MESSAGE = 'must be non-empty';
export const NEGATIVE_MESSAGE = 'must be greater than or equal to 0';
export const IMMUTABLE_MESSAGE = 'field is immutable';

export function regexMessage(rule: string, pattern: string, ...examples: string[]): string {
  const given = examples.map((example) => `'${example}', `).join(' or ');
  return given === ''
    ? `${rule} (regex used for validation is '${pattern}')`
    : `${rule} (e.g. ${given}regex used for validation is '${pattern}')`;
}

const LABEL_1123_MESSAGE = regexMessage(
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character",
  LABEL_1123,
  'my-name',
  '123-abc',
);
const SUBDOMAIN_1123_MESSAGE = regexMessage(
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
  SUBDOMAIN_1123,
  'example.com',
);
const SUBDOMAIN_1123_UNDERSCORE_MESSAGE = regexMessage(
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must start and end with an alphanumeric character",
  SUBDOMAIN_1123_UNDERSCORE,
  'example.com',
);
const LABEL_1035_MESSAGE = regexMessage(
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character",
  LABEL_1035,
  'my-name',
  'abc-123',
);
const WILDCARD_SUBDOMAIN_MESSAGE = regexMessage(
  "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character",
  WILDCARD_SUBDOMAIN,
  '*.example.com',
);
const QUALIFIED_MESSAGE = regexMessage(
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
  QUALIFIED,
  'MyName',
  'my.name',
  '123-abc',
);
const LABEL_VALUE_MESSAGE = regexMessage(
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
  LABEL_VALUE,
  'MyValue',
  'my_value',
  '12345',
);

/** A syntax of at most `max` bytes; the two messages that breaking it gives. */
function syntax(pattern: RegExp, max: number, message: string): (value: string) => Messages {
  return (value) => {
    const tooLong = utf8Longer(value, max);
    if (pattern.test(value)) return tooLong ? [maxLengthMessage(max)] : NO_MESSAGES;
    return tooLong ? [maxLengthMessage(max), message] : [message];
  };
}

export const dns1123Subdomain = syntax(SUBDOMAIN_1123_RE, 253, SUBDOMAIN_1123_MESSAGE);
export const dns1123SubdomainWithUnderscore = syntax(
  SUBDOMAIN_1123_UNDERSCORE_RE,
  253,
  SUBDOMAIN_1123_UNDERSCORE_MESSAGE,
);
export const dns1035Label = syntax(LABEL_1035_RE, 63, LABEL_1035_MESSAGE);
export const wildcardDns1123Subdomain = syntax(WILDCARD_SUBDOMAIN_RE, 253, WILDCARD_SUBDOMAIN_MESSAGE);

export function dns1123Label(value: string): Messages {
  const tooLong = utf8Longer(value, 63);
  if (LABEL_1123_RE.test(value)) return tooLong ? [maxLengthMessage(63)] : NO_MESSAGES;
  const message = SUBDOMAIN_1123_RE.test(value) ? 'must not contain dots' : LABEL_1123_MESSAGE;
  return tooLong ? [maxLengthMessage(63), message] : [message];
}

/** A label key: an optional DNS subdomain and a slash, then a name. Also called a qualified name. */
export function qualifiedName(value: string): Messages {
  const slash = value.indexOf('/');
  if (slash < 0) return qualifiedNamePart(value);
  const rest = value.slice(slash + 1);
  if (rest.includes('/')) {
    return [
      `a valid label key ${QUALIFIED_MESSAGE} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ];
  }
  const prefix = value.slice(0, slash);
  const wrong = prefix === '' ? [EMPTY_MESSAGE] : labelKeyPrefix(prefix);
  const nameWrong = qualifiedNamePart(rest);
  return wrong.length === 0 ? nameWrong : [...wrong.map((message) => `prefix part ${message}`), ...nameWrong];
}

function labelKeyPrefix(prefix: string): Messages {
  const wrong = dns1123Subdomain(prefix);
  return wrong[0] === maxLengthMessage(253) ? [maxBytesMessage(253), ...wrong.slice(1)] : wrong;
}

function qualifiedNamePart(name: string): Messages {
  if (name.length <= 63 && QUALIFIED_RE.test(name)) return NO_MESSAGES;
  const messages: string[] = [];
  if (name === '') messages.push(`name part ${EMPTY_MESSAGE}`);
  else if (utf8Longer(name, 63)) messages.push(`name part ${maxBytesMessage(63)}`);
  if (!QUALIFIED_RE.test(name)) messages.push(`name part ${QUALIFIED_MESSAGE}`);
  return messages;
}

export function labelValue(value: string): Messages {
  if (value.length <= 63 && LABEL_VALUE_RE.test(value)) return NO_MESSAGES;
  const messages: string[] = [];
  if (utf8Longer(value, 63)) messages.push(maxBytesMessage(63));
  if (!LABEL_VALUE_RE.test(value)) messages.push(LABEL_VALUE_MESSAGE);
  return messages;
}

export const cIdentifier = (value: string): Messages =>
  C_IDENTIFIER_RE.test(value)
    ? NO_MESSAGES
    : [
        regexMessage(
          "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric characters or '_'",
          C_IDENTIFIER,
          'my_name',
          'MY_NAME',
          'MyName',
        ),
      ];

export const inRange = (value: number, low: number, high: number): Messages =>
  value >= low && value <= high ? NO_MESSAGES : [rangeMessage(low, high)];

export const portNumber = (port: number): Messages => inRange(port, 1, 65535);

const MAX_ID = 2 ** 31 - 1;
export const userId = (id: number): Messages => inRange(id, 0, MAX_ID);
export const groupId = userId;

export function portName(name: string): Messages {
  const messages: string[] = [];
  if (utf8Longer(name, 15)) messages.push(maxLengthMessage(15));
  if (!/^[-a-z0-9]+$/.test(name))
    messages.push('must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)');
  if (!/[a-z]/.test(name)) messages.push('must contain at least one letter (a-z)');
  if (name.includes('--')) messages.push('must not contain consecutive hyphens');
  if (name.startsWith('-') || name.endsWith('-')) messages.push('must not begin or end with a hyphen');
  return messages.length === 0 ? NO_MESSAGES : messages;
}

export const percent = (text: string): Messages =>
  PERCENT_RE.test(text)
    ? NO_MESSAGES
    : [regexMessage("a valid percent string must be a numeric string followed by an ending '%'", PERCENT, '1%', '93%')];

export const httpHeaderName = (name: string): Messages =>
  HEADER_NAME_RE.test(name)
    ? NO_MESSAGES
    : [
        regexMessage(
          "a valid HTTP header must consist of alphanumeric characters or '-'",
          HEADER_NAME,
          'X-Header-Name',
        ),
      ];

/** An environment variable's name under the stricter rules of old. */
export function envVarName(name: string): Messages {
  const messages = [...changesDirectory(name)];
  if (!ENV_NAME_RE.test(name)) {
    messages.unshift(
      regexMessage(
        "a valid environment variable name must consist of alphabetic characters, digits, '_', '-', or '.', and must not start with a digit",
        ENV_NAME,
        'my.env-name',
        'MY_ENV.NAME',
        'MyEnvName1',
      ),
    );
  }
  return messages.length === 0 ? NO_MESSAGES : messages;
}

/** An environment variable's name: anything printable in ASCII but the equals sign. */
export function relaxedEnvVarName(name: string): Messages {
  if (name === '') return [`environment variable name ${EMPTY_MESSAGE}`];
  if (MATCH_PRINTABLE_ASCII.test(name) && !name.includes('=')) return NO_MESSAGES;
  return ["a valid environment variable name must consist only of printable ASCII characters other than '='"];
}

/** The key of a ConfigMap's or Secret's entry. */
export function configMapKey(key: string): Messages {
  if (key.length <= 253 && CONFIG_KEY_RE.test(key) && !key.startsWith('.')) return NO_MESSAGES;
  const messages: string[] = [];
  if (utf8Longer(key, 253)) messages.push(maxLengthMessage(253));
  if (!CONFIG_KEY_RE.test(key)) {
    messages.push(
      regexMessage(
        "a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
        CONFIG_KEY,
        'key.name',
        'KEY_NAME',
        'key-name',
      ),
    );
  }
  append(messages, changesDirectory(key));
  return messages;
}

function changesDirectory(value: string): Messages {
  if (value === '.') return ["must not be '.'"];
  if (value === '..') return ["must not be '..'"];
  return value.startsWith('..') ? ["must not start with '..'"] : NO_MESSAGES;
}

/** A name that stands as one segment of a URL's path. */
export function pathSegmentName(name: string): Messages {
  if (name === '.' || name === '..') return [`may not be '${name}'`];
  return pathSegmentPrefix(name);
}

export function pathSegmentPrefix(name: string): Messages {
  if (!name.includes('/') && !name.includes('%')) return NO_MESSAGES;
  return ['/', '%'].filter((char) => name.includes(char)).map((char) => `may not contain '${char}'`);
}

/** What will be appended to a generateName makes its trailing dash harmless, and the character before it as well. */
const withoutTrailingDash = (name: string): string =>
  name.length > 1 && name.endsWith('-') ? `${name.slice(0, -2)}a` : name;

const nameCheck =
  (check: (value: string) => Messages): NameCheck =>
  (name, prefix = false) =>
    check(prefix ? withoutTrailingDash(name) : name);

export const nameIsDnsSubdomain: NameCheck = nameCheck(dns1123Subdomain);
export const nameIsDnsLabel: NameCheck = nameCheck(dns1123Label);
export const nameIsDns1035Label: NameCheck = nameCheck(dns1035Label);
export const nameIsPathSegment: NameCheck = (name, prefix = false) =>
  prefix ? pathSegmentPrefix(name) : pathSegmentName(name);
