// Computes how far the ledger topic must be consumed before the ledger covers everything up to a certain time.
import type { GroupLag } from '@svc-server/log'
import { groupNames, topicNames } from '@svc-server/modes/names'

/** End offsets of all partitions of the topic `ledger`, and of one partition of `spans.filled`, read at the same time. */
export interface LogEnds {
  readonly ledger: ReadonlyMap<number, number>
  readonly filled: number
}

const isLedger = ({ group, topic }: GroupLag) => group === groupNames.ledger && topic === topicNames.ledger
const isFilled = (partition: number) => (lag: GroupLag) =>
  lag.group === groupNames.writer && lag.topic === topicNames.filled && lag.partition === partition

/** Returns undefined if one of the topics has no reader in this deployment. */
export function endsOf(lags: readonly GroupLag[], partition: number): LogEnds | undefined {
  const ledger = lags.filter(isLedger)
  const filled = lags.find(isFilled(partition))
  if (ledger.length === 0 || filled === undefined) return undefined
  return {
    ledger: new Map(ledger.map(lag => [lag.partition, lag.committed + lag.lagRecords])),
    filled: filled.committed + filled.lagRecords,
  }
}

export const ledgerReached = (lags: readonly GroupLag[], { ledger }: LogEnds): boolean =>
  lags.filter(isLedger).every(({ partition, committed }) => committed >= (ledger.get(partition) ?? 0))

/** Returns the end of a partition of spans.filled; undefined if no writer reads the partition. */
export function filledEndOf(lags: readonly GroupLag[], partition: number): number | undefined {
  const lag = lags.find(isFilled(partition))
  return lag === undefined ? undefined : lag.committed + lag.lagRecords
}

export const filledReached = (lags: readonly GroupLag[], partition: number, { filled }: Pick<LogEnds, 'filled'>): boolean =>
  lags.filter(isFilled(partition)).every(({ committed }) => committed >= filled)
