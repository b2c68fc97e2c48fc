// Counts the changes of each table in a store that only this process writes. A reader compares counts to detect whether earlier results are
// still current.

const changed = /^\s*(?:insert into|update|delete from) "?(\w+)/i

export interface TableChanges {
  /** Includes uncommitted changes. */
  of(table: string): number
  executed(statement: string): void
  /**
   * Must be called after each commit or rollback of a transaction. Counts each changed table again, because `executed` counts before the
   * commit. Until the commit, a reader gets the new count but still sees the old rows.
   */
  ended(): void
}

export function createTableChanges(): TableChanges {
  const counts = new Map<string, number>()
  const underWay = new Set<string>()
  const count = (table: string) => counts.set(table, (counts.get(table) ?? 0) + 1)
  return {
    of: table => counts.get(table) ?? 0,
    executed(statement) {
      const table = changed.exec(statement)?.[1]
      if (table === undefined) return
      count(table)
      underWay.add(table)
    },
    ended() {
      for (const table of underWay) count(table)
      underWay.clear()
    },
  }
}
