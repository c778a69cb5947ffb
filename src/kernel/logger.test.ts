import { describe, expect, it } from 'vitest';
import { jsonLines, klogText } from './log-format.ts';
import { createLogger, silentLogger, type LogFormat } from './logger.ts';

const time = new Date(2026, 0, 2, 15, 4, 5, 6).getTime() + 0.123;

function capture(format: LogFormat, verbosity = 0) {
  const lines: string[] = [];
  const logger = createLogger({ now: () => time, format, write: (line) => void lines.push(line), verbosity });
  return { lines, logger };
}

describe('klog text', () => {
  it.each<[string, Record<string, unknown>, string]>([
    ['strings are quoted', { a: 'x "y"' }, 'a="x \\"y\\""'],
    ['numbers and booleans are bare', { n: 1.5, b: true }, 'n=1.5 b=true'],
    ['null', { n: null }, 'n=null'],
    ['objects as JSON', { o: { x: [1, 2] } }, 'o={"x":[1,2]}'],
    [
      'API objects by name',
      { pod: { metadata: { name: 'web', namespace: 'default' }, spec: {} } },
      'pod="default/web"',
    ],
    ['cluster-scoped objects by name', { node: { metadata: { name: 'n1' } } }, 'node="n1"'],
    ['several lines are indented', { diff: 'a\nb\n' }, 'diff=<\n\ta\n\tb\n >'],
    ['errors by message', { err: new Error('no', { cause: new Error('why') }) }, 'err="no: why"'],
    [
      'several errors in one, each text once',
      { err: new AggregateError([new Error('a'), new Error('b'), new Error('a')], 'no') },
      'err="no: [a, b]"',
    ],
    ['big integers', { id: 5n }, 'id=5'],
  ])('%s', (_name, pairs, expected) => {
    const { lines, logger } = capture(klogText(42));
    logger.info('Done', pairs);
    expect(lines).toEqual([`I0102 15:04:05.006123      42 k8ts] "Done" ${expected}`]);
  });

  it('marks severities and carries name and pairs', () => {
    const { lines, logger } = capture(klogText(42));
    const named = logger.named('kubelet').named('pleg').with({ node: 'n1' });
    named.warn('Slow');
    named.error(new Error('boom'), 'Failed', { attempt: 2 });
    expect(lines).toEqual([
      'W0102 15:04:05.006123      42 kubelet.pleg] "Slow" node="n1"',
      'E0102 15:04:05.006123      42 kubelet.pleg] "Failed" err="boom" node="n1" attempt=2',
    ]);
  });

  it('never throws, for any value', () => {
    const { lines, logger } = capture(klogText(42));
    const cycle: Record<string, unknown> = {};
    cycle['self'] = cycle;
    logger.info('Odd', { cycle, f: () => 1, s: Symbol.iterator });
    logger.error(cycle, 'Odd');
    expect(lines).toHaveLength(2);
  });
});

describe('JSON lines', () => {
  it('has the fields of upstream', () => {
    const { lines, logger } = capture(jsonLines, 2);
    logger.named('kubelet').v(2).info('Done', { n: 1 });
    logger.error(new Error('boom'), 'Failed');
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
      { ts: time, logger: 'kubelet', msg: 'Done', v: 2, n: 1 },
      { ts: time, msg: 'Failed', err: 'boom' },
    ]);
  });
});

describe('verbosity', () => {
  it('writes lines up to the configured level, and every error', () => {
    const { lines, logger } = capture(klogText(42), 2);
    logger.v(2).info('shown');
    logger.v(3).info('hidden');
    logger.v(1).v(2).info('hidden: levels add up');
    logger.v(9).error(new Error('e'), 'shown');
    expect(lines).toHaveLength(2);
    expect([logger.v(2).enabled, logger.v(3).enabled]).toEqual([true, false]);
  });

  it('has a logger that writes nothing', () => {
    expect(silentLogger.v(0).with({}).named('x').enabled).toBe(false);
  });
});

describe.each([
  ['text', klogText(42)],
  ['json', jsonLines],
])('redaction in %s', (_name, format) => {
  it('redacts secrets in every argument', () => {
    const { lines, logger } = capture(format, 9);
    const secret = 'c3VwZXItc2VjcmV0';
    logger.info(`calling with Bearer ${secret}`);
    logger.info('request', { headers: { Authorization: secret } });
    logger.error(new Error(`GET https://user:${secret}@host/ failed`), 'x', { token: secret });
    logger.info('object', { value: { kind: 'Secret', data: { a: secret } } });
    logger
      .with({ password: secret })
      .v(3)
      .info('x', { list: [{ clientSecret: secret }] });
    expect(lines).toHaveLength(5);
    expect(lines.join('\n')).not.toContain(secret);
    expect(lines.join('\n').match(/\[REDACTED\]/g)).toHaveLength(7);
  });
});
