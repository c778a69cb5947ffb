/** Validates probes and lifecycle handlers. */
import type {
  Container,
  HTTPGetAction,
  Lifecycle,
  LifecycleHandler,
  Probe,
} from '../../../../api/generated/core-v1.ts';
import {
  type FieldError,
  forbiddenField,
  invalidValue,
  notSupported,
  type Path,
  required,
} from '../../../errors/index.ts';
import { httpHeaderName, NEGATIVE_MESSAGE, portName, portNumber } from '../../../names/index.ts';

const SCHEMES = ['HTTP', 'HTTPS'];

export interface HandlerRules {
  /** The pod's terminationGracePeriodSeconds; absent if the pod has none, which another check reports. */
  readonly gracePeriod: number | undefined;
  /** The pod's os.name; empty if it is not set. */
  readonly os: string;
}

export function validateProbesAndLifecycle(
  errors: FieldError[],
  container: Container,
  at: Path,
  rules: HandlerRules,
): void {
  if (container.lifecycle) validateLifecycle(errors, container.lifecycle, at.child('lifecycle'), rules);
  const { livenessProbe, readinessProbe, startupProbe } = container;
  if (livenessProbe) {
    validateProbe(errors, livenessProbe, at.child('livenessProbe'), rules);
    validateSuccessThreshold(errors, livenessProbe, at.child('livenessProbe'));
  }
  if (readinessProbe) {
    validateProbe(errors, readinessProbe, at.child('readinessProbe'), rules);
    if (readinessProbe.terminationGracePeriodSeconds !== undefined) {
      const here = at.child('readinessProbe', 'terminationGracePeriodSeconds');
      errors.push(
        invalidValue(here, readinessProbe.terminationGracePeriodSeconds, 'must not be set for readinessProbes'),
      );
    }
  }
  if (startupProbe) {
    validateProbe(errors, startupProbe, at.child('startupProbe'), rules);
    validateSuccessThreshold(errors, startupProbe, at.child('startupProbe'));
  }
}

function validateSuccessThreshold(errors: FieldError[], { successThreshold = 0 }: Probe, at: Path): void {
  if (successThreshold !== 1) errors.push(invalidValue(at.child('successThreshold'), successThreshold, 'must be 1'));
}

const PROBE_NUMBERS = [
  'initialDelaySeconds',
  'timeoutSeconds',
  'periodSeconds',
  'successThreshold',
  'failureThreshold',
] as const;

function validateProbe(errors: FieldError[], probe: Probe, at: Path, rules: HandlerRules): void {
  validateHandler(errors, probe, at, rules);
  for (const name of PROBE_NUMBERS) {
    const value = probe[name] ?? 0;
    if (value < 0) errors.push(invalidValue(at.child(name), value, NEGATIVE_MESSAGE));
  }
  const grace = probe.terminationGracePeriodSeconds;
  if (grace !== undefined && grace <= 0)
    errors.push(invalidValue(at.child('terminationGracePeriodSeconds'), grace, 'must be greater than 0'));
}

function validateLifecycle(
  errors: FieldError[],
  { postStart, preStop, stopSignal }: Lifecycle,
  at: Path,
  rules: HandlerRules,
): void {
  if (postStart) validateHandler(errors, postStart, at.child('postStart'), rules);
  if (preStop) validateHandler(errors, preStop, at.child('preStop'), rules);
  if (stopSignal !== undefined) validateStopSignal(errors, stopSignal, at.child('stopSignal'), rules.os);
}

type Handler = Pick<Probe, 'grpc'> & LifecycleHandler;
const HANDLERS = ['exec', 'httpGet', 'tcpSocket', 'grpc', 'sleep'] as const;

function validateHandler(errors: FieldError[], handler: Handler, at: Path, rules: HandlerRules): void {
  let found = false;
  for (const name of HANDLERS) {
    if (!handler[name]) continue;
    if (found) errors.push(forbiddenField(at.child(name), 'may not specify more than 1 handler type'));
    else validateAction(errors, handler, name, { at: at.child(name), rules });
    found = true;
  }
  if (!found) errors.push(required(at, 'must specify a handler type'));
}

function validateAction(
  errors: FieldError[],
  handler: Handler,
  name: (typeof HANDLERS)[number],
  { at, rules }: { at: Path; rules: HandlerRules },
): void {
  switch (name) {
    case 'exec':
      if (!handler.exec?.command?.length) errors.push(required(at.child('command')));
      break;
    case 'httpGet':
      validateHttpGet(errors, handler.httpGet!, at);
      break;
    case 'tcpSocket':
      validatePortNumberOrName(errors, handler.tcpSocket!.port, at.child('port'));
      break;
    case 'grpc':
      validatePortNumberOrName(errors, handler.grpc!.port, at.child('port'));
      break;
    case 'sleep': {
      const { gracePeriod } = rules;
      const seconds = handler.sleep!.seconds ?? 0;
      if (gracePeriod !== undefined && (seconds < 0 || seconds > gracePeriod)) {
        errors.push(
          invalidValue(
            at,
            seconds,
            `must be non-negative and less than terminationGracePeriodSeconds (${gracePeriod})`,
          ),
        );
      }
    }
  }
}

function validateHttpGet(errors: FieldError[], get: HTTPGetAction, at: Path): void {
  if (!get.path) errors.push(required(at.child('path')));
  validatePortNumberOrName(errors, get.port, at.child('port'));
  const scheme = get.scheme ?? '';
  if (!SCHEMES.includes(scheme)) errors.push(notSupported(at.child('scheme'), scheme, SCHEMES));
  for (const { name = '' } of get.httpHeaders ?? []) {
    for (const message of httpHeaderName(name)) errors.push(invalidValue(at.child('httpHeaders'), name, message));
  }
}

export function validatePortNumberOrName(errors: FieldError[], port: number | string | undefined, at: Path): void {
  if (typeof port === 'string') for (const message of portName(port)) errors.push(invalidValue(at, port, message));
  else for (const message of portNumber(port ?? 0)) errors.push(invalidValue(at, port ?? 0, message));
}

const LINUX_SIGNALS = [
  ...[
    'ABRT',
    'ALRM',
    'BUS',
    'CHLD',
    'CLD',
    'CONT',
    'FPE',
    'HUP',
    'ILL',
    'INT',
    'IO',
    'IOT',
    'KILL',
    'PIPE',
    'POLL',
    'PROF',
    'PWR',
  ],
  ...['QUIT', 'RTMAX', ...Array.from({ length: 14 }, (_, i) => `RTMAX-${i + 1}`)],
  ...['RTMIN', ...Array.from({ length: 15 }, (_, i) => `RTMIN+${i + 1}`)],
  ...[
    'SEGV',
    'STKFLT',
    'STOP',
    'SYS',
    'TERM',
    'TRAP',
    'TSTP',
    'TTIN',
    'TTOU',
    'URG',
    'USR1',
    'USR2',
    'VTALRM',
    'WINCH',
    'XCPU',
    'XFSZ',
  ],
]
  .map((name) => `SIG${name}`)
  .sort();
const WINDOWS_SIGNALS = ['SIGKILL', 'SIGTERM'];

function validateStopSignal(errors: FieldError[], signal: string, at: Path, os: string): void {
  if (os === '') {
    errors.push(forbiddenField(at, 'may not be set for containers with empty `spec.os.name`'));
    return;
  }
  const supported = os === 'windows' ? WINDOWS_SIGNALS : LINUX_SIGNALS;
  if (!supported.includes(signal)) errors.push(notSupported(at, signal, supported));
}
