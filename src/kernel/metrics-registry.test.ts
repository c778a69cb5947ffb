import { describe, expect, it } from 'vitest';
import { createContext } from './context.ts';
import { PrometheusRegistry } from './metrics-registry.ts';
import { exponentialBuckets, linearBuckets } from './metrics.ts';

describe('PrometheusRegistry', () => {
  it('does not write metrics that are disabled, whose values go on', () => {
    const registry = new PrometheusRegistry(['a_total', 'c_seconds']);
    for (const name of ['a_total', 'b_total']) registry.counter({ name, help: 'H' }).inc();
    registry.histogram({ name: 'c_seconds', help: 'H', buckets: [1] }).observe(1);
    expect(registry.expose()).toBe('# HELP b_total H\n# TYPE b_total counter\nb_total 1\n');
    expect(registry.counter({ name: 'a_total', help: 'H' }).value()).toBe(1);
    expect(createContext({ disabledMetrics: ['x', ''] }).metrics.expose()).toContain('disabled_metrics_total 1');
  });

  it('writes the text exposition format', () => {
    const registry = new PrometheusRegistry();
    const requests = registry.counter({ name: 'requests_total', help: 'Requests\nserved', labels: ['verb', 'path'] });
    requests.inc({ verb: 'GET', path: '/a"\\\n' });
    requests.inc({ verb: 'GET', path: '/a"\\\n' }, 2);
    registry.gauge({ name: 'depth', help: 'Depth' }).set(-1.5);
    const latency = registry.histogram({
      name: 'latency_seconds',
      help: 'Latency',
      labels: ['verb'],
      buckets: [0.1, 1],
    });
    const get = latency.child({ verb: 'GET' });
    for (const seconds of [0.05, 0.1, 0.5, 3]) get.observe(seconds);
    expect(registry.expose()).toBe(
      [
        '# HELP depth Depth',
        '# TYPE depth gauge',
        'depth -1.5',
        '# HELP latency_seconds Latency',
        '# TYPE latency_seconds histogram',
        'latency_seconds_bucket{verb="GET",le="0.1"} 2',
        'latency_seconds_bucket{verb="GET",le="1"} 3',
        'latency_seconds_bucket{verb="GET",le="+Inf"} 4',
        'latency_seconds_sum{verb="GET"} 3.65',
        'latency_seconds_count{verb="GET"} 4',
        '# HELP requests_total Requests\\nserved',
        '# TYPE requests_total counter',
        'requests_total{verb="GET",path="/a\\"\\\\\\n"} 3',
        '',
      ].join('\n'),
    );
  });

  it('shows unlabelled metrics from the start and labelled ones when used', () => {
    const registry = new PrometheusRegistry();
    registry.counter({ name: 'plain_total', help: 'x' });
    registry.counter({ name: 'labelled_total', help: 'x', labels: ['a'] });
    expect(registry.expose()).toBe('# HELP plain_total x\n# TYPE plain_total counter\nplain_total 0\n');
  });

  it('returns the same instrument for the same name, and refuses different labels', () => {
    const registry = new PrometheusRegistry();
    registry.counter({ name: 'a_total', help: 'x' }).inc();
    const again = registry.counter({ name: 'a_total', help: 'x' });
    expect(again.value()).toBe(1);
    expect(() => registry.gauge({ name: 'a_total', help: 'x' })).toThrow('exists as counter');
    expect(() => registry.counter({ name: 'a_total', help: 'x', labels: ['b'] })).toThrow('exists as counter');
    expect(() => registry.counter({ name: '1bad', help: 'x' })).toThrow('invalid metric name');
    expect(() => again.inc({}, -1)).toThrow('cannot go down');
  });

  it('takes all series of a metric from where they are counted, when exposed', () => {
    const registry = new PrometheusRegistry();
    const counts = new Map([['a', 1]]);
    registry
      .counter({ name: 'c_total', help: 'x', labels: ['name'] })
      .collectEach(() => [...counts].map(([name, value]) => ({ labels: { name }, value })));
    expect(registry.expose()).toContain('c_total{name="a"} 1\n');
    counts.delete('a');
    counts.set('b', 2);
    expect(registry.expose()).toBe('# HELP c_total x\n# TYPE c_total counter\nc_total{name="b"} 2\n');
  });

  it('computes gauges when exposed, and removes series', () => {
    const registry = new PrometheusRegistry();
    const gauge = registry.gauge({ name: 'g', help: 'x', labels: ['name'] });
    let length = 3;
    gauge.collect(() => length, { name: 'a' });
    gauge.inc({ name: 'b' });
    gauge.dec({ name: 'b' }, 3);
    length = 4;
    expect([gauge.value({ name: 'a' }), gauge.value({ name: 'b' })]).toEqual([4, -2]);
    gauge.remove({ name: 'b' });
    expect(registry.expose()).toContain('g{name="a"} 4\n');
    expect(registry.expose()).not.toContain('name="b"');
  });

  it('adds up histograms', () => {
    const histogram = new PrometheusRegistry().histogram({ name: 'h', help: 'x', buckets: [1] });
    histogram.observe(2);
    histogram.observe(3);
    expect(histogram.totals()).toEqual({ count: 2, sum: 5 });
  });

  it('exposes only the samples that are asked for, and computes no others', () => {
    const registry = new PrometheusRegistry();
    registry.histogram({ name: 'h', help: 'x', buckets: [1] }).observe(2);
    registry.counter({ name: 'c_total', help: 'x' }).inc();
    registry.gauge({ name: 'g', help: 'x', labels: ['name'] }).collectEach(() => {
      throw new Error('computed');
    });
    const heading = '# HELP h x\n# TYPE h histogram\n';
    expect(registry.expose(new Set(['h_sum', 'h_count', 'none']))).toBe(`${heading}h_sum 2\nh_count 1\n`);
    expect(registry.expose(new Set(['h_bucket']))).toBe(`${heading}h_bucket{le="1"} 0\nh_bucket{le="+Inf"} 1\n`);
    expect(registry.expose(new Set(['c_total', 'h']))).toBe('# HELP c_total x\n# TYPE c_total counter\nc_total 1\n');
    expect(registry.expose(new Set())).toBe('');
  });

  it('creates buckets', () => {
    expect(exponentialBuckets(1, 2, 4)).toEqual([1, 2, 4, 8]);
    expect(linearBuckets(1, 2, 3)).toEqual([1, 3, 5]);
  });
});
