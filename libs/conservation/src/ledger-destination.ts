// What a destination is called in the ledger.

/**
 * The first of all. Rows that were written before rows named their destination are its, and have an empty
 * name.
 */
const first = 'events_full'

/** Of a stage that fills a topic, not a table. */
export const noDestination = ''

/**
 * A table that came later may begin anywhere on a log; what lies before its first row was never meant for it.
 */
export const mayBeginLater = (destination: string): boolean => destination !== first && destination !== noDestination

/** The names under which rows of a destination stand, its own first. */
export const ledgerNamesOf = (destination: string): readonly string[] => (destination === first ? [first, noDestination] : [destination])

/**
 * Tells the inserts of a chunk's rows apart. That of the first destination is what it was when there was no
 * other.
 */
export const ledgerTokenOf = (destination: string): readonly string[] =>
  destination === first ? ['ingest_ledger'] : ['ingest_ledger', destination]
