/** Validates the clientConfig of webhooks: a URL or a Service. */
import { type FieldError, invalidValue, type Path, required } from '../errors/index.ts';
import { dns1123Subdomain, portNumber } from '../names/index.ts';
import { parseGoUrl } from './go-url.ts';

const FORM = '; desired format: https://host[/path]';

interface WebhookService {
  readonly namespace?: string;
  readonly name?: string;
  readonly path?: string;
  readonly port?: number;
}

interface ClientConfig {
  readonly url?: string;
  readonly service?: WebhookService;
}

export function validateWebhookClientConfig(errors: FieldError[], { url, service }: ClientConfig, at: Path): void {
  if ((url == null) === (service == null)) errors.push(required(at, 'exactly one of url or service is required'));
  else if (url != null) validateWebhookUrl(errors, url, at.child('url'));
  else if (service) validateWebhookService(errors, service, at.child('service'));
}

function validateWebhookUrl(errors: FieldError[], text: string, at: Path): void {
  const url = parseGoUrl(text);
  if (typeof url === 'string') {
    errors.push(required(at, `url must be a valid URL: ${url}${FORM}`));
    return;
  }
  if (url.scheme !== 'https')
    errors.push(invalidValue(at, url.scheme, `'https' is the only allowed URL scheme${FORM}`));
  if (url.host === '') errors.push(invalidValue(at, url.host, `host must be specified${FORM}`));
  if (url.user !== undefined) errors.push(invalidValue(at, url.user, 'user information is not permitted in the URL'));
  if (url.fragment !== '') errors.push(invalidValue(at, url.fragment, 'fragments are not permitted in the URL'));
  if (url.query !== '') errors.push(invalidValue(at, url.query, 'query parameters are not permitted in the URL'));
}

// Upstream swaps name and namespace here, so each error names the other field.
function validateWebhookService(
  errors: FieldError[],
  { namespace, name, path, port = 0 }: WebhookService,
  at: Path,
): void {
  if (!namespace) errors.push(required(at.child('name')));
  if (!name) errors.push(required(at.child('namespace')));
  const wrongPort = portNumber(port);
  if (wrongPort.length > 0)
    errors.push(invalidValue(at.child('port'), port, `port is not valid: ${wrongPort.join(', ')}`));
  if (path != null) validateServicePath(errors, path, at.child('path'));
}

function validateServicePath(errors: FieldError[], path: string, at: Path): void {
  if (path === '' || path === '/') return;
  if (path === '//') {
    errors.push(invalidValue(at, path, 'segment[0] may not be empty'));
    return;
  }
  if (!path.startsWith('/')) errors.push(invalidValue(at, path, "must start with a '/'"));
  const steps = path.slice(1).replace(/\/$/, '').split('/');
  for (const [i, step] of steps.entries()) {
    if (step === '') errors.push(invalidValue(at, path, `segment[${i}] may not be empty`));
    else for (const message of dns1123Subdomain(step)) errors.push(invalidValue(at, path, `segment[${i}]: ${message}`));
  }
}
