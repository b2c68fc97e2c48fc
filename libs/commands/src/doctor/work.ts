import { readHeadroom } from '@svc-server/backfill/load'
import { backfillStatus, foundNothing, missedInLegacy } from '@svc-server/backfill/status'
import type { ColumnStore } from '@svc-server/column-store/port'
import { verbFor } from '@svc-server/errors'
import { canaryProject } from '@svc-server/modes/names'
import { readDeletions } from '@svc-server/relational/deletions'
import type { RelationalStore } from '@svc-server/relational/store'
import { instance } from '@svc-server/relational/tenancy'
import { formatAge } from '../table.ts'
import type { Finding } from './finding.ts'

/** A canary is a test span that is sent every ten seconds. A staged canary is stored only after the end of its window. */
const canaryLateMs = 5 * 60_000
/** An unfinished deletion of this age is reported. Usually, deleted data is hidden within seconds and removed within minutes. */
const deletionLateMs = 3_600_000

/** Finds the canaries by their stored rows, because a process other than this one sends them. */
export async function examineCanary(store: ColumnStore, now: () => number): Promise<readonly Finding[]> {
  const area = 'canary'
  const tables = await store.query<{ name: string }>(
    `SELECT name FROM system.tables WHERE database = currentDatabase() AND name IN ('events_core', 'observations')`,
  )
  const newest = await Promise.all(
    tables.map(({ name }) =>
      store.query<{ ms: string }>(
        `SELECT toString(toUnixTimestamp64Milli(max(start_time))) AS ms FROM ${name} WHERE project_id = '${canaryProject}' HAVING count() > 0`,
      ),
    ),
  )
  const sentMs = newest.flat().reduce((latest, { ms }) => Math.max(latest, Number(ms)), 0)
  if (sentMs === 0)
    return [{ area, state: 'ok', says: 'No canary of the last three days was found. Without SVC_CANARY_URL, no canaries are sent.' }]
  const age = formatAge(now() - sentMs)
  if (now() - sentMs <= canaryLateMs) return [{ area, state: 'ok', says: `The newest readable canary was sent ${age} ago.` }]
  return [
    {
      area,
      state: 'warning',
      says: `The newest readable canary was sent ${age} ago.`,
      do: 'Follow docs/runbooks/alerts/svc-canary-burn.md. If you have removed SVC_CANARY_URL, do nothing.',
    },
  ]
}

export async function examineDeletions(relational: Pick<RelationalStore, 'db'>, now: () => number): Promise<readonly Finding[]> {
  const area = 'deletions'
  let [waiting, oldestMs] = [0, now()]
  for await (const batch of readDeletions(instance(relational), { pendingOnly: true }))
    for (const { firstNotedAt } of batch) {
      waiting += 1
      oldestMs = Math.min(oldestMs, firstNotedAt.getTime())
    }
  if (waiting === 0) return [{ area, state: 'ok', says: 'No deletion is pending.' }]
  const says = `${waiting} ${verbFor(waiting, 'is', 'are')} pending, ${verbFor(waiting, '', 'the oldest ')}for ${formatAge(now() - oldestMs)}.`
  if (now() - oldestMs <= deletionLateMs) return [{ area, state: 'ok', says }]
  return [{ area, state: 'warning', says, do: 'Run svc deletions, then follow docs/runbooks/deletion.md.' }]
}

export async function examineBackfill(
  relational: Pick<RelationalStore, 'db'>,
  store: Pick<ColumnStore, 'query'>,
  now: () => number,
): Promise<readonly Finding[]> {
  const area = 'backfill'
  const steps = await backfillStatus(relational, now())
  const failed = steps.find(({ status }) => status === 'failed')
  if (failed)
    return [
      {
        area,
        state: 'fault',
        says: `The step ${failed.name} of the backfill has failed: ${failed.failedReason ?? 'no reason is recorded'}.`,
        do: 'Run svc backfill status, remove the cause, then run svc backfill retry-failed: docs/runbooks/backfill.md.',
      },
    ]
  const missed = missedInLegacy(steps)
  if (missed !== null)
    return [
      {
        area,
        state: 'fault',
        says: missed,
        do: 'Switch every process to dual. Then run this command, which restarts the backfill: svc backfill again --yes (docs/runbooks/backfill.md).',
      },
    ]
  if (foundNothing(steps)) return [{ area, state: 'ok', says: 'There was no data of v3 to migrate.' }]
  const done = steps.filter(({ status }) => status === 'finished').length
  const current = steps.find(({ status }) => status === 'running' || status === 'interrupted')
  if (current === undefined) {
    const isBegun = steps.some(({ cutoff }) => cutoff !== null)
    const room = isBegun ? null : await readHeadroom(store)
    const says = isBegun
      ? `${done} of ${steps.length} steps ${verbFor(done, 'is', 'are')} finished, and no step is running.`
      : 'The backfill has not begun.'
    const rest = { area, state: 'ok', says } as const
    if (room === null || room.state === 'enough') return [rest]
    return [
      rest,
      {
        area,
        state: 'warning',
        says: room.says,
        do: 'Make sure that the disk has enough free space before the backfill begins: docs/runbooks/backfill.md.',
      },
    ]
  }
  const says = `The step ${current.name} is ${current.status}, and ${Math.floor(current.ratio * 100)} % of it is done.`
  if (current.status === 'running') return [{ area, state: 'ok', says }]
  return [
    {
      area,
      state: 'warning',
      says,
      do: 'Only a running backfill runner can continue the step. Check whether a runner runs. The log of the runner states what the runner waits for.',
    },
  ]
}
