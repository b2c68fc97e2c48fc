// The ledger has rows for each table. These rows count only the records whose write mode the table takes. If several tables each take only
// some write modes, a range of offsets is therefore not missing if at least one of these tables has a ledger row for it.
import { writeModes } from '@svc-server/modes/write-mode'
import { type Destination, topicsOf } from './destinations/destination.ts'

export interface AccountedTogether {
  readonly topic: string
  readonly tables: readonly string[]
  /**
   * If true, a range without a ledger row is a fault. False if there is a write mode in which none of these tables stores the records of
   * the topic, because ranges without a ledger row are then normal.
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
