// Detects that a pipeline is idle. One result of `lag` is not enough: `lag` reads one topic after the other, so it can read the next topic
// before a stage writes to it, and afterwards see that the stage is done. Two results are enough if nothing waits in either of them and no
// group advanced between them.
import { setTimeout as sleep } from 'node:timers/promises'
import type { EventLog, GroupLag } from './port.ts'

export type PartOfTheWay = (reader: Pick<GroupLag, 'group' | 'topic'>) => boolean

export interface Rest {
  /** Groups that are currently behind, by reader and partition. */
  readonly behind: readonly GroupLag[]
  /** True if nothing waits, and nothing was in flight between two topics. */
  readonly atRest: boolean
}

/** Watches the results of `lag`. The caller requests each result after it has received the previous result. */
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
 * If records wait, returns the groups that are behind. When all groups are idle, returns an empty list. Sets `moving` if records arrived
 * for ten seconds without a pause and were read immediately. Rejects with log_* AppErrors.
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
