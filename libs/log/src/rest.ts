// Detects that a pipeline is idle. `lag` reads one topic after the other. It can find a topic empty just before a stage moves its last
// input there, and then find that input empty. The pipeline is therefore idle only if two results show no waiting records and no group has
// advanced between them.
import { setTimeout as sleep } from 'node:timers/promises'
import type { EventLog, GroupLag } from './port.ts'

export type PartOfTheWay = (reader: Pick<GroupLag, 'group' | 'topic'>) => boolean

export interface Rest {
  /** Groups with unread records, by reader and partition. */
  readonly behind: readonly GroupLag[]
  /** True if no records are waiting, and none moved between topics during the check. */
  readonly atRest: boolean
}

/** The returned function takes successive results of `lag`. Request each one after the previous one has arrived. */
export function createRestWatch(isPartOfTheWay: PartOfTheWay): (lags: readonly GroupLag[]) => Rest {
  let before: string | undefined
  return lags => {
    const ofTheWay = lags.filter(isPartOfTheWay)
    const behind = ofTheWay.filter(({ lagRecords }) => lagRecords > 0)
    if (behind.length > 0) {
      before = undefined
      return { behind, atRest: false }
    }
    const now = JSON.stringify(ofTheWay.map(({ group, topic, partition, committed }) => [group, topic, partition, committed]).sort())
    const atRest = now === before
    before = now
    return { behind, atRest }
  }
}

const pollMs = 250
const patienceMs = 10_000

/**
 * Groups with unread records; empty if all are idle. `moving` is set if records kept arriving and being read for ten seconds. Rejects with
 * log_* AppErrors.
 */
export async function findBehind(
  log: Pick<EventLog, 'lag'>,
  isPartOfTheWay: PartOfTheWay,
): Promise<{ readonly behind: readonly GroupLag[]; readonly moving: boolean }> {
  const watch = createRestWatch(isPartOfTheWay)
  const giveUpAt = performance.now() + patienceMs
  for (;;) {
    const { behind, atRest } = watch(await log.lag())
    const moving = behind.length === 0 && !atRest
    if (!moving || performance.now() >= giveUpAt) return { behind, moving }
    await sleep(pollMs)
  }
}
