import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeNode, makePod, startSchedulerFixture, type SchedulerFixture } from './testing/index.ts';

describe('the metrics of a scheduler with one scheduled and one unschedulable pod', () => {
  let fixture: SchedulerFixture;

  beforeEach(async () => {
    fixture = await startSchedulerFixture();
  });
  afterEach(() => fixture.stop());

  it('cover every extension point, plugin, hint and event', async () => {
    await fixture.createNode(makeNode('n').allocatable({ cpu: '4' }));
    await fixture.createNode(makeNode('m').allocatable({ cpu: '4' }));
    await fixture.start();
    await fixture.createPod(makePod('small').requests({ cpu: '1' }));
    await fixture.placed('small');
    await fixture.createPod(makePod('huge').requests({ cpu: '5' }));
    await fixture.turnedDown('huge');
    await fixture.createNode(makeNode('o').allocatable({ cpu: '1' }));
    await fixture.until('the hint was asked', () =>
      Promise.resolve(
        fixture.server.ctx.metrics.expose().includes('scheduler_queueing_hint_execution_duration_seconds_count'),
      ),
    );
    const text = fixture.server.ctx.metrics.expose();
    const wanted = [
      'scheduler_schedule_attempts_total{result="scheduled",profile="default-scheduler"} 1',
      'scheduler_schedule_attempts_total{result="unschedulable",profile="default-scheduler"} 1',
      'scheduler_unschedulable_pods{plugin="NodeResourcesFit",profile="default-scheduler"} 1',
      'scheduler_plugin_evaluation_total{plugin="NodeResourcesFit",extension_point="Filter",profile="default-scheduler"}',
      'scheduler_plugin_execution_duration_seconds_count{plugin=',
      'scheduler_event_handling_duration_seconds_count{event="UnscheduledPodAdd"}',
      'scheduler_event_handling_duration_seconds_count{event="NodeAdd"}',
      'scheduler_queueing_hint_execution_duration_seconds_count{plugin="NodeResourcesFit",event="NodeAdd",hint="QueueSkip"}',
      'scheduler_get_node_hint_duration_seconds_count{hinted="false",profile="default-scheduler"}',
      ...['PreFilter', 'Filter', 'PreScore', 'Score', 'Reserve', 'Permit', 'PreBind', 'Bind', 'PostBind'].map(
        (point) =>
          `scheduler_framework_extension_point_duration_seconds_count{extension_point="${point}",status="Success",profile="default-scheduler"}`,
      ),
      'scheduler_framework_extension_point_duration_seconds_count{extension_point="PostFilter",status="Unschedulable",profile="default-scheduler"}',
    ];
    expect(wanted.filter((line) => !text.includes(line))).toEqual([]);
  });
});
