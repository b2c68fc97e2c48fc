// The variants of the DDL: for a single node, and for replicas that share their parts.

export interface Placement {
  readonly database: string
  /** If true, tables use Replicated engines, and every statement has ON CLUSTER. */
  readonly clustered: boolean
  /** A name, or a macro such as `{cluster}`; defaults to `default`. */
  readonly clusterName?: string
}

export interface Dialect {
  /** Returns the table's name, quoted and with the database. */
  table(name: string): string
  /** The text after the object's name in CREATE, DROP and ALTER; empty on a single node. */
  readonly onCluster: string
  /** Returns the SQL text of a table engine of the MergeTree family, with the engine's parameters. */
  engine(name: string, ...parameters: readonly string[]): string
  /** Returns the SQL text of a table engine that keeps only the newest row of each sorting key. */
  replacing(...columns: readonly string[]): string
  /**
   * Table settings that make an acknowledged insert durable. As long as the event log retains the records of an
   * insert, the settings also let the engine recognize a retry of this insert.
   */
  readonly durability: Readonly<Record<string, number>>
}

const databaseName = /^[A-Za-z_][A-Za-z0-9_-]*$/
const clusterNameOrMacro = /^[A-Za-z0-9_{}.-]+$/

export function createDialect({ database, clustered, clusterName = 'default' }: Placement): Dialect {
  if (!databaseName.test(database)) throw new TypeError(`Not a database name: ${JSON.stringify(database)}`)
  if (!clusterNameOrMacro.test(clusterName)) throw new TypeError(`Not a cluster name: ${JSON.stringify(clusterName)}`)
  const engine = (name: string, ...parameters: readonly string[]) => `${clustered ? 'Replicated' : ''}${name}(${parameters.join(', ')})`
  return {
    table: name => `\`${database}\`.${name}`,
    onCluster: clustered ? ` ON CLUSTER '${clusterName}'` : '',
    engine,
    replacing: (...columns) => engine('ReplacingMergeTree', ...columns),
    durability: clustered
      ? // The default window is one hour, but a writer can return to an open intent after a weekend.
        { replicated_deduplication_window: 10000, replicated_deduplication_window_seconds: 604800 }
      : // Without a replica, an acknowledged part is only on the disk. Waiting for the disk adds 2 to 5 ms to an insert.
        { fsync_after_insert: 1, fsync_part_directory: 1, non_replicated_deduplication_window: 10000 },
  }
}
