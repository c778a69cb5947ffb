import { runWorld } from '/work/simulation/src/simulation/run-world.ts';
import { drawPlan, describePlanned } from '/work/simulation/src/simulation/plan.ts';
const [from='1', to='3', nofault=''] = process.argv.slice(2);
for (let s=Number(from); s<=Number(to); s++) {
  const cpu=process.cpuUsage(); 
  const r = await runWorld(drawPlan(s, nofault==='nofault'?{faults:[]}:{}), {trace: process.env.TRACE!==undefined});
  const c=process.cpuUsage(cpu);
  console.log(s, 'cpu', ((c.user+c.system)/1000).toFixed(0), 'commits', r.commits, 'virtual', (r.durationMs/1000).toFixed(0), r.violation ? JSON.stringify(r.violation) : 'ok', Object.keys(r.struck).join());
  if (process.env.TRACE) { (await import('node:fs')).writeFileSync(process.env.TRACE, r.plan.events.map(describePlanned).join('\n')+'\n'+r.trace.join('\n')+'\n'); }
}
process.exit(0);
