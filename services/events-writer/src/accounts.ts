// Chooses the ledger rows that together account for all records of a topic. A table that takes records of every mode accounts for all
// records. A table that takes only some modes accounts only for records accepted in these modes. A range of offsets is missing only if no
// table has a ledger row for the range: a chunk has ledger rows only for the tables of its records' modes.
import { writeModes } from '@svc-server/modes/write-mode'
import { type Destination, topicsOf } from './destinations/destination.ts'

export interface AccountedTogether {
  readonly topic: string
  readonly tables: readonly string[]
  /** False if some write mode has no table that takes the records. If false, a range without a ledger row is no fault. */
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
