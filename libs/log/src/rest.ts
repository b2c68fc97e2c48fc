// Whether a pipeline has come to rest. One answer of `lag` cannot tell: it is read topic after topic, so that a stage may be seen done, and the
// topic behind it as it was before what the stage has put there. Two answers can: nothing waits in both, and nothing was read between them.
import { setTimeout as sleep } from 'node:timers/promises'
import type { EventLog, GroupLag } from './port.ts'

export type PartOfTheWay = (reader: Pick<GroupLag, 'group' | 'topic'>) => boolean

export interface Rest {
  /** What waits now, by reader and partition. */
  readonly behind: readonly GroupLag[]
  /** Nothing waits, and nothing was on its way between two topics. */
  readonly atRest: boolean
}

/** To be called with answers of `lag`, each asked for after the one before was there. */
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
 * What waits, as soon as something does; nothing: all is at rest, or `moving`, as for ten seconds records kept coming and were read at once. Rejects
 * with log_* AppErrors.
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
