// Rebuilds the owner's state from a commit and continues an interrupted publication.
import { AppError } from '@svc-server/errors'
import type { CommittedOffset } from '@svc-server/log'
import { readRange } from '@svc-server/log/read-range'
import { topicNames } from '@svc-server/modes/names'
import { openWindow } from '../windows/window.ts'
import type { OwnerDeps } from './deps.ts'
import { closeWindow, takeRecords } from './fill-window.ts'
import {
  type ClosedWindow,
  type Learned,
  located,
  type Publishing,
  publishedWindowEnd,
  type Recovering,
  type Repairing,
  recovered,
  type Standing,
  type State,
  standingAt,
  unfinishedWindow,
} from './machine.ts'
import type { Progress } from './progress.ts'

/** Throws `log_unavailable` if the log returns a commit that is older than the newest commit that the owner knows. */
export function locate({ partition }: Pick<OwnerDeps, 'partition'>, state: Recovering, found: CommittedOffset | undefined): State {
  const next = located(state, found)
  if (next !== null) return next
  const [was, is] = [state.committed?.offset, found?.offset ?? 'nothing']
  const at = `${topicNames.staging}/${partition}`
  throw new AppError('log_unavailable', `${at} is reported as committed at ${is}, but was committed at ${was} before.`)
}

export async function recover(deps: OwnerDeps, state: Recovering, signal: AbortSignal): Promise<Publishing | Repairing> {
  const standing = standingAt(state.committed, deps.assignment.lowWatermark)
  await catchUp(deps, standing, state.learned, signal)
  const unfinished = unfinishedWindow(standing)
  return recovered(state, standing, unfinished && (await rebuilt(deps, unfinished)))
}

/** Applies the whole changelog to the state. */
export async function catchUp(deps: OwnerDeps, standing: Standing, { lastAttributes }: Learned, signal: AbortSignal): Promise<void> {
  const { partition, state, assignment, logClock } = deps
  const { newestTimestampMs } = await state.catchUp(partition, {
    last: lastAttributes,
    end: assignment.changelogEnd,
    endMs: publishedWindowEnd(standing),
    signal,
  })
  if (newestTimestampMs !== null) logClock.seen('changelog', newestTimestampMs)
}

async function rebuilt(deps: OwnerDeps, { first, last, endMs }: NonNullable<Progress['window']>): Promise<ClosedWindow> {
  const { log, partition, assignment, config, monotonicNow } = deps
  const window = openWindow(first, endMs, monotonicNow())
  // Retention may have deleted some of the window's records. The deleted records were already published, and the state has their
  // attributes.
  const range = { topic: topicNames.staging, partition, from: Math.max(first, assignment.lowWatermark), until: last + 1 }
  for await (const { records } of readRange(log, range, config.readBytes)) await takeRecords(deps, window, records, 'end')
  return closeWindow(deps, window, last, 'restart')
}
