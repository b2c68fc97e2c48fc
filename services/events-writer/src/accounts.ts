// The ledger has rows for each table. A ledger row for a table counts only records whose write mode is one in which this table stores
// records. A table that stores the records of only some write modes can therefore lack a ledger row for a range of offsets. If several
// tables each store the records of only some write modes, a range is missing only if none of these tables has a ledger row for it.
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
