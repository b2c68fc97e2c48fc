// The ledger has rows for each table. Some tables store the records of a topic only in some write modes. The ledger rows of such a table
// count only records of these write modes. If all records of a chunk have other write modes, the writer writes no ledger row of this table
// for the chunk. All such tables of a topic are checked together: a range is missing only if none of them has a ledger row for the range.
import { writeModes } from '@svc-server/modes/write-mode'
import { type Destination, topicsOf } from './destinations/destination.ts'

export interface AccountedTogether {
  readonly topic: string
  readonly tables: readonly string[]
  /**
   * If true, a range without a ledger row is a fault. False if, in at least one write mode, none of the tables in `tables` stores the
   * records of the topic. In such a write mode, ranges without a ledger row are normal.
   */
  readonly gaps: boolean
}

export function accountsOf(destinations: readonly Destination[]): readonly AccountedTogether[] {
  const topics = new Set<string>(destinations.flatMap(topicsOf))
  return [...topics].flatMap((topic): readonly AccountedTogether[] => {
    const modesOf = ({ sources }: Destination) => writeModes.filter(mode => sources(mode).some(source => source === topic))
    const takers = destinations.filter(destination => modesOf(destination).length > 0)
    const whole = takers.filter(destination => modesOf(destination).length === writeModes.length)
    const partial = takers.filter(destination => !whole.includes(destination))
    const modes = new Set(partial.flatMap(modesOf))
    return [
      ...whole.map(({ table }) => ({ topic, tables: [table], gaps: true })),
      ...(partial.length === 0 ? [] : [{ topic, tables: partial.map(({ table }) => table), gaps: modes.size === writeModes.length }]),
    ]
  })
}
