// A table's ledger rows count only the records of the modes that the table takes. A range of offsets is therefore not missing if at least
// one table has a ledger row for it.
import { writeModes } from '@svc-server/modes/write-mode'
import { type Destination, topicsOf } from './destinations/destination.ts'

export interface AccountedTogether {
  readonly topic: string
  readonly tables: readonly string[]
  /**
   * False if there is a write mode in which none of these tables stores the records of the topic. A range can then lack a ledger row
   * without a fault.
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
