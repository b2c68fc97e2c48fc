// Functions that read the backfill's progress and kill its runners.
import { setTimeout as sleep } from 'node:timers/promises'
import type { StepStatus } from '@svc-server/backfill/status'
import type { ServiceProcess } from '../../src/service-process.ts'
import type { TestCluster } from '../cluster.ts'

/** Returns the number of completed steps, plus the completed fraction of the current step. */
export const progressOf = (steps: readonly StepStatus[]): number =>
  steps.slice(0, 4).reduce((sum, { status, ratio }) => sum + (status === 'finished' ? 1 : Math.min(0.99, ratio)), 0)

async function isAtWork(cluster: TestCluster, runner: ServiceProcess): Promise<boolean> {
  const states = await Promise.all(
    ['running', 'paused'].map(state => cluster.metric(`svc_backfill_state{state="${state}"}`, [runner.probeUrl]).catch(() => 0)),
  )
  return states.some(value => value === 1)
}

/** Waits for `afterMs`, then kills the active runner and restarts it. Returns null if no runner is active. */
export async function killWorking(cluster: TestCluster, afterMs: number): Promise<string | null> {
  for (const runner of cluster.running.backfillRunners) {
    if (!(await isAtWork(cluster, runner))) continue
    await sleep(afterMs)
    runner.signal('SIGKILL')
    await runner.ended()
    await runner.start()
    return runner.name
  }
  return null
}
