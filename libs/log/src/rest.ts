// Detects that a pipeline is idle. One result of `lag` is not enough, because `lag` reads one topic after the other. Meanwhile, a stage can
// move its last records from a topic that `lag` has not read yet to a topic that `lag` has already found empty. The pipeline therefore
// counts as idle only if two results show no waiting records and no group has advanced between them.
import { setTimeout as sleep } from 'node:timers/promises'
import type { EventLog, GroupLag } from './port.ts'

export type PartOfTheWay = (reader: Pick<GroupLag, 'group' | 'topic'>) => boolean

export interface Rest {
  /** One entry for each group and partition with unread records. */
  readonly behind: readonly GroupLag[]
  /** True if no records are waiting, and no records moved between topics during the check. */
  readonly atRest: boolean
}

/** Call the returned function with successive results of `lag`. Do not start a call of `lag` before the previous call has finished. */
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
 * `behind` lists the groups that have unread records. If no group is behind but some groups still commit offsets, the function repeats the
 * check for up to ten seconds. If these groups still commit offsets after the ten seconds, `moving` is true. Rejects with log_* AppErrors.
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
