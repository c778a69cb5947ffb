/** pods/log: the log of a container, from the kubelet of its node. */
import type { Pod } from '../../api/generated/core-v1.ts';
import { parseTime, quote } from '../../base/index.ts';
import type { Counter } from '../../kernel/index.ts';
import {
  badRequest,
  failure,
  type FieldError,
  forbiddenField,
  internalError,
  invalid,
  invalidValue,
  isStatusError,
  notSupported,
  path,
  WHOLE_OBJECT,
} from '../../machinery/errors/index.ts';
import { featureEnabled, type KubeObject } from '../../machinery/index.ts';
import { dialText, pump, send } from '../dial/index.ts';
import { isTrue } from '../request/request-info.ts';
import type { ResponseSink, Result } from '../request/request.ts';
import { copyOverWebSocket, isWebSocketRequest } from '../request/websocket.ts';
import type { Scope } from '../verbs/scope.ts';
import { containerOf } from './pod-container.ts';

interface LogOptions {
  readonly container: string;
  readonly follow: boolean;
  /** Parameters in the kubelet's form. */
  readonly query: URLSearchParams;
}

export async function readLog(scope: Scope): Promise<Result> {
  const insecureSkipVerify = isTrue(scope.request.query.get('insecureSkipTLSVerifyBackend'));
  countBackend(scope, insecureSkipVerify);
  const options = logOptions(scope);
  const { object } = await scope.backend.objects.get(scope.served, scope.place);
  const pod = object as Pod & KubeObject;
  const container = containerOf(scope.place.name, pod.spec!, options.container);
  const nodeName = pod.spec?.nodeName;
  if (!nodeName) return { type: 'response', response: { status: 204, headers: {} } };
  const target = await scope.backend.kubelet.target(nodeName, { insecureSkipVerify });
  const location = `/containerLogs/${scope.place.namespace}/${scope.place.name}/${container}`;
  const query = options.query.toString();
  const requested = query === '' ? location : `${location}?${query}`;
  let incoming;
  try {
    incoming = await send(scope.backend.dialer, {
      target,
      method: 'GET',
      path: requested,
      headers: {},
      signal: scope.request.signal,
    });
  } catch (error) {
    if (isStatusError(error)) throw error;
    const why = error instanceof Error ? dialText(error) : 'unknown';
    if (why.includes('x509:')) backendFailures(scope).inc();
    throw failure(500, '', `Get "https://${target.host}:${target.port}${requested}": ${why}`);
  }
  if ((incoming.statusCode ?? 500) >= 300) throw await kubeletFailure(scope, incoming, incoming.statusCode ?? 500);
  if (isWebSocketRequest(scope.request)) {
    // A log that breaks off ends the connection, as a log that ends does.
    const run = (sink: ResponseSink): Promise<void> => pump(incoming, sink).catch(() => undefined);
    return { type: 'response', response: copyOverWebSocket(scope.request, run) };
  }
  return {
    type: 'response',
    response: {
      status: 200,
      headers: { 'content-type': 'text/plain' },
      stream: (sink) => pump(incoming, sink),
    },
  };
}

const SUBSYSTEM = 'kube_apiserver_pod_logs';

function countBackend({ backend }: Pick<Scope, 'backend'>, insecureSkipVerify: boolean): void {
  backend.ctx.metrics
    .counter({
      name: `${SUBSYSTEM}_insecure_backend_total`,
      help: "Requests for logs, and whether they allowed that the kubelet's certificate is not verified.",
      labels: ['usage'],
    })
    .inc({ usage: insecureSkipVerify ? 'skip_tls_allowed' : 'enforce_tls' });
  backendFailures({ backend });
}

const backendFailures = ({ backend }: Pick<Scope, 'backend'>): Counter =>
  backend.ctx.metrics.counter({
    name: `${SUBSYSTEM}_backend_tls_failure_total`,
    help: "Requests for logs that failed because the kubelet's certificate is not valid.",
  });

const MAX_ERROR_TEXT = 4096;

async function kubeletFailure(scope: Scope, incoming: AsyncIterable<Buffer>, code: number): Promise<Error> {
  let text = '';
  for await (const piece of incoming) {
    text += piece.toString('utf8');
    if (text.length > MAX_ERROR_TEXT) break;
  }
  if (code === 500) return internalError(text);
  const reason = code === 404 ? 'NotFound' : code === 400 ? 'BadRequest' : code === 403 ? 'Forbidden' : '';
  const details = {
    name: scope.place.name,
    kind: 'pods/log',
    causes: [{ reason: 'UnexpectedServerResponse', message: text }],
  };
  return code === 400
    ? badRequest(text)
    : failure(
        code,
        reason,
        `the server could not find the requested resource (GET pods/log ${scope.place.name})`,
        details,
      );
}

function logOptions(scope: Scope): LogOptions {
  const given = scope.request.query;
  const query = new URLSearchParams();
  const numbers = {
    sinceSeconds: int64(given, 'sinceSeconds'),
    tailLines: int64(given, 'tailLines'),
    limitBytes: int64(given, 'limitBytes'),
  };
  const sinceTime = given.get('sinceTime');
  if (sinceTime) checkTime(sinceTime);
  const selectsStreams = featureEnabled('PodLogsQuerySplitStreams', scope.backend.validation.features);
  const stream = given.get('stream') ?? (selectsStreams ? 'All' : '');

  const errors: FieldError[] = [];
  const { tailLines, limitBytes, sinceSeconds } = numbers;
  if (tailLines !== undefined && tailLines < 0)
    errors.push(invalidValue(path('tailLines'), tailLines, 'must be greater than or equal to 0'));
  if (limitBytes !== undefined && limitBytes < 1)
    errors.push(invalidValue(path('limitBytes'), limitBytes, 'must be greater than 0'));
  if (sinceSeconds !== undefined && sinceTime) {
    errors.push(forbiddenField(WHOLE_OBJECT, 'at most one of `sinceTime` or `sinceSeconds` may be specified'));
  } else if (sinceSeconds !== undefined && sinceSeconds < 1) {
    errors.push(invalidValue(path('sinceSeconds'), sinceSeconds, 'must be greater than 0'));
  }
  if (selectsStreams) validateStream(errors, stream, tailLines);
  else if (stream) errors.push(forbiddenField(path('stream'), 'may not be specified'));
  if (errors.length > 0) throw invalid({ group: '', kind: 'PodLogOptions' }, scope.place.name, errors);

  const follow = given.has('follow') && isTrue(given.get('follow'));
  for (const name of ['follow', 'previous', 'timestamps'] as const)
    if (given.has(name) && isTrue(given.get(name))) query.set(name, 'true');
  if (sinceTime) query.set('sinceTime', sinceTime);
  if (selectsStreams) query.set('stream', stream);
  for (const [name, value] of Object.entries(numbers)) if (value !== undefined) query.set(name, String(value));
  return { container: given.get('container') ?? '', follow, query };
}

const STREAMS = ['All', 'Stderr', 'Stdout'];

function validateStream(errors: FieldError[], stream: string, tailLines: number | undefined): void {
  if (!STREAMS.includes(stream)) errors.push(notSupported(path('stream'), stream, STREAMS));
  if (stream !== 'All' && tailLines !== undefined) {
    const detail = '`tailLines` and specific `stream` are mutually exclusive for now';
    errors.push(forbiddenField(WHOLE_OBJECT, detail));
  }
}

function checkTime(text: string): void {
  try {
    parseTime(text);
  } catch {
    throw badRequest(
      `parsing time ${quote(text)} as "2006-01-02T15:04:05Z07:00": cannot parse ${quote(text)} as "2006"`,
    );
  }
}

function int64(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null || text === '') return undefined;
  if (!/^[+-]?\d+$/.test(text)) throw badRequest(`strconv.ParseInt: parsing ${quote(text)}: invalid syntax`);
  return Number(text);
}
